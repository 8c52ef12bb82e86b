// Moves one body from one connection to the other as it comes, following its framing, with as much
// memory as the receiver lags behind and none while nothing moves.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "http/core/chunk_scanner.hpp"
#include "http/core/framing.hpp"
#include "http/io/connection.hpp"

namespace bellows::proxy {

/// Owner: one exchange. Thread: the io thread.
class BodyPump {
 public:
  enum class Status : std::uint8_t {
    kMoving,        ///< waits for one of the two; nothing more can be done now
    kBusy,          ///< could go on, but others want their turn
    kComplete,      ///< all of it has been sent
    kSourceEnded,   ///< the sender closed in the middle
    kSourceFailed,  ///< the sender's connection broke
    kSinkFailed,    ///< the receiver's connection broke
    kMalformed,     ///< broken chunked coding: see fault()
  };

  /// `blanks`: what chunked coding may look like.
  explicit BodyPump(http::Reactor& reactor, http::SizeBlanks blanks = http::SizeBlanks::kRefused)
      : reactor_(reactor), chunks_(blanks) {}

  /// `first` is what has been read of the body already, and maybe bytes beyond it. It stays where
  /// it is until it has been sent. kMalformed or kMoving.
  Status begin(http::BodyFraming framing, std::string_view first);

  /// The same of a chunked body of which the data alone go on, for a receiver that knows no chunks.
  /// The data in `first` are moved together there. Trailers are dropped.
  Status begin_unchunked(std::span<char> first);

  /// A body that ends with its sender's connection, for a receiver that cannot be reset: it goes on
  /// in chunks, so that only a whole one has a last chunk.
  Status begin_in_chunks(std::string_view first);

  /// Moves what can be moved without waiting.
  Status step(http::Connection& from, http::Connection& to);

  /// The part that is in memory and not sent; for a write together with the head.
  std::string_view unsent() const { return unsent_; }
  void note_sent(std::size_t bytes) { unsent_.remove_prefix(bytes); }

  /// Everything has been read (not necessarily sent).
  bool is_read() const { return is_read_; }
  bool is_complete() const { return is_read_ && unsent_.empty(); }
  /// It has taken bytes from the connection itself: those in front cannot be had again.
  bool has_pulled() const { return has_pulled_; }
  /// Bytes that were read behind the body's end; good until the pump's own end.
  std::string_view surplus() const { return surplus_; }
  /// Bytes of the body so far, chunked coding included if it goes on.
  std::uint64_t bytes() const { return bytes_; }
  /// Of those, what the receiver's socket has taken (of a chunk that we make: all or nothing).
  std::uint64_t sent_bytes() const {
    const std::uint64_t unsent = makes_chunks_ ? data_in_block_ : unsent_.size();
    return unsent_.empty() ? bytes_ : bytes_ - unsent;
  }
  http::ChunkFault fault() const { return chunks_.fault(); }

 private:
  /// Notes new bytes: how many belong to the body, and whether it ends with them.
  void take(std::string_view bytes);
  void take_data(std::span<char> bytes);
  void take_as_chunk(std::size_t bytes);
  Status pull(http::Connection& from);
  Status complete();
  std::size_t read_size() const;

  http::Reactor& reactor_;
  http::BodyFraming framing_;
  http::ChunkScanner chunks_;
  std::uint64_t left_ = 0;  // of a body with length
  std::uint64_t bytes_ = 0;
  std::string_view unsent_;
  std::string_view surplus_;
  http::Block block_;
  bool is_read_ = true;
  bool has_pulled_ = false;
  bool unchunks_ = false;
  bool makes_chunks_ = false;
  std::size_t data_in_block_ = 0;  // of a chunk that we make
};

}  // namespace bellows::proxy
