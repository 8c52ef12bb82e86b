// Relays one body from one connection to another as it arrives, according to its framing. Buffers
// only what the receiver has not read yet, and nothing while no byte moves.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "http/core/chunk_scanner.hpp"
#include "http/core/framing.hpp"
#include "http/io/connection.hpp"
#include "proxy/core/grpc.hpp"
#include "proxy/core/response_plan.hpp"
#include "proxy/io/kept_body.hpp"

namespace bellows::proxy {

/// Owner: a relay. Thread: the io thread.
class BodyPump {
 public:
  enum class Status : std::uint8_t {
    kMoving,        ///< waits for one of the connections; nothing more can be done now
    kBusy,          ///< could go on, after other sessions had their turn
    kComplete,      ///< all of it has been sent
    kSourceEnded,   ///< the sender closed in the middle
    kSourceFailed,  ///< the sender's connection broke
    kSinkFailed,    ///< the receiver's connection broke
    kMalformed,     ///< malformed chunked coding: see fault()
  };

  /// `blanks`: whether chunk sizes may be followed by blanks. `hops`: whether trailers of hops are
  /// relayed.
  explicit BodyPump(http::Reactor& reactor, http::SizeBlanks blanks = http::SizeBlanks::kRejected,
                    http::HopTrailers hops = http::HopTrailers::kDropped)
      : reactor_(reactor), chunks_(blanks, hops) {}

  /// Before begin(): the body is messages of gRPC. The object outlives the pump.
  void follow(GrpcMessages& messages) { messages_ = &messages; }
  /// Of a request: it hears of all bytes that are read after begin(). It outlives the pump.
  void keep_in(KeptBody& kept) { kept_ = &kept; }

  /// `first`: what has been read already, which may go beyond the end of the body. The memory stays
  /// valid until it has been sent. Returns kMalformed or kMoving.
  Status begin(http::BodyFraming framing, std::string_view first);
  /// The same with a change of the coding. kUnchunked moves the data in `first` together there, and
  /// drops trailers.
  Status begin(http::BodyFraming framing, BodyCoding coding, std::span<char> first);

  /// Moves what can be moved without waiting.
  Status step(http::Connection& from, http::Connection& to);

  /// The part that is in memory and has not been sent, so that it can be sent together with a head.
  std::string_view unsent() const { return unsent_; }
  void note_sent(std::size_t bytes) { unsent_.remove_prefix(bytes); }

  /// The whole body has been read, but not necessarily sent.
  bool is_read() const { return is_read_; }
  bool is_complete() const { return is_read_ && unsent_.empty(); }
  /// Bytes that were read after the end of the body. Valid until the pump is destroyed.
  std::string_view read_ahead() const { return read_ahead_; }
  /// It is messages of gRPC in chunks, and so far all of them whole: trailers may follow.
  bool is_between_messages() const;
  /// Bytes of the body so far as they came, chunked coding included if it is relayed.
  std::uint64_t bytes() const { return bytes_; }
  /// How many of them the receiver's socket has taken. A chunk that this pump made counts when all
  /// of it was taken.
  std::uint64_t sent_bytes() const {
    if (unsent_.empty()) return bytes_;
    return bytes_ - (coding_ == BodyCoding::kChunked ? chunk_data_bytes_ : unsent_.size());
  }
  /// Of a chunked body that is relayed or moved together, once it is read: its trailers.
  std::string_view trailers() const { return chunks_.trailers(); }
  http::ChunkFault fault() const { return chunks_.fault(); }

 private:
  /// Takes new bytes: how many belong to the body, and whether it ends with them.
  void take(std::span<char> bytes);
  void take_as_is(std::string_view bytes);
  void take_chunked(std::string_view bytes);
  std::size_t scan_chunks(std::string_view bytes);
  void take_unchunked(std::span<char> bytes);
  void take_as_chunk(std::size_t bytes);
  void copy_as_chunk(std::string_view first);
  Status pull(http::Connection& from);
  Status end_of_source();
  Status complete();
  std::span<char> read_space();

  http::Reactor& reactor_;
  http::BodyFraming framing_;
  http::ChunkScanner chunks_;
  GrpcMessages* messages_ = nullptr;
  KeptBody* kept_ = nullptr;
  std::uint64_t left_ = 0;  // of a body with a length
  std::uint64_t bytes_ = 0;
  std::string_view unsent_;
  std::string canonical_;  // what is sent of chunked bytes that are not forwarded as they came
  std::string_view read_ahead_;
  http::Block block_;
  std::size_t chunk_data_bytes_ = 0;  // of the chunk in the block, with kChunked
  BodyCoding coding_ = BodyCoding::kAsIs;
  bool is_read_ = true;
};

}  // namespace bellows::proxy
