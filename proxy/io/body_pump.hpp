// Relays one body from one connection to another as it arrives, according to its framing. It
// buffers only the part that the receiver has not read yet, and holds no memory while no byte is
// transferred.
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
    kMoving,        ///< waits for one of the connections
    kBusy,          ///< could continue, after other sessions had their turn
    kComplete,      ///< all of it has been sent
    kSourceEnded,   ///< the sender closed before the end
    kSourceFailed,  ///< the sender's connection failed
    kSinkFailed,    ///< the receiver's connection failed
    kMalformed,     ///< malformed chunked coding: see fault()
  };

  /// `blanks`: whether chunk sizes may be followed by blanks. `hops`: whether trailers of hops are
  /// relayed.
  explicit BodyPump(http::Reactor& reactor, http::SizeBlanks blanks = http::SizeBlanks::kRejected,
                    http::HopTrailers hops = http::HopTrailers::kDropped)
      : reactor_(reactor), chunks_(blanks, hops) {}

  /// Follows the messages of a gRPC body. Call it before begin(). The object must outlive the pump.
  void follow(GrpcMessages& messages) { messages_ = &messages; }
  /// Passes all bytes of a request that are read after begin() to `kept`, which must outlive the
  /// pump.
  void keep_in(KeptBody& kept) { kept_ = &kept; }

  /// Begins a body. `first` has been read already and may extend beyond the end of the body. The
  /// memory must stay valid until it has been sent. Returns kMalformed or kMoving.
  Status begin(http::BodyFraming framing, std::string_view first);
  /// Does the same with a change of the coding. kUnchunked joins the data in `first` in place, and
  /// drops trailers.
  Status begin(http::BodyFraming framing, BodyCoding coding, std::span<char> first);

  /// Transfers as much as is possible without waiting.
  Status step(http::Connection& from, http::Connection& to);

  /// Returns the part that is in memory and has not been sent, so that it can be sent together with
  /// a head.
  std::string_view unsent() const { return unsent_; }
  void note_sent(std::size_t bytes) { unsent_.remove_prefix(bytes); }

  /// Returns true if the whole body has been read; it may not have been sent yet.
  bool is_read() const { return is_read_; }
  bool is_complete() const { return is_read_ && unsent_.empty(); }
  /// Returns bytes that were read after the end of the body. They are valid until the pump is
  /// destroyed.
  std::string_view read_ahead() const { return read_ahead_; }
  /// Returns true if the body is chunked gRPC messages, all of them complete so far, so that
  /// trailers may follow.
  bool is_between_messages() const;
  /// Returns the bytes of the body received so far, chunked coding included if it is relayed.
  std::uint64_t bytes() const { return bytes_; }
  /// Returns how many of them the receiver's socket has accepted. A chunk that this pump made
  /// counts once all of it was accepted.
  std::uint64_t sent_bytes() const {
    if (unsent_.empty()) return bytes_;
    return bytes_ - (coding_ == BodyCoding::kChunked ? chunk_data_bytes_ : unsent_.size());
  }
  /// Returns the trailers of a chunked body that is relayed or joined, once it is read.
  std::string_view trailers() const { return chunks_.trailers(); }
  http::ChunkFault fault() const { return chunks_.fault(); }

 private:
  /// Processes new bytes: determines how many belong to the body, and whether it ends with them.
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
  std::uint64_t left_ = 0;  // rest of a body with a length
  std::uint64_t bytes_ = 0;
  std::string_view unsent_;
  std::string canonical_;  // replacement of chunked bytes that are not forwarded as received
  std::string_view read_ahead_;
  http::Block block_;
  std::size_t chunk_data_bytes_ = 0;  // data of the chunk in the block, with kChunked
  BodyCoding coding_ = BodyCoding::kAsIs;
  bool is_read_ = true;
};

}  // namespace bellows::proxy
