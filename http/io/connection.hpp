// A stream of bytes in both directions whose calls never block: a caller tries, and if that would
// block, waits in the owner's Waiter. Sessions, relays and upstream pools access streams only
// through it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/sys/descriptor.hpp"
#include "http/core/head.hpp"
#include "http/io/address.hpp"
#include "http/io/reactor.hpp"
#include "http/io/tls.hpp"

namespace bellows::http {

/// Result of one try.
struct IoResult {
  enum class Kind : std::uint8_t {
    kBytes,       ///< `bytes` were transferred, at least one
    kWouldBlock,  ///< the waiter wakes when another try is useful
    kEnd,         ///< the peer has ended its direction (FIN on a socket)
    kFailed,      ///< `error` is the errno
  };
  Kind kind = Kind::kWouldBlock;
  std::size_t bytes = 0;
  int error = 0;

  static IoResult failed(int code) { return {Kind::kFailed, 0, code}; }
};

/// State of the first bytes that were written to a new connection.
enum class FirstBytes : std::uint8_t {
  kArrived,  ///< the peer's system has them, or it is unknown
  kAwaited,  ///< they are being retransmitted: ask later
  kLost,     ///< none has arrived, and none will, because the connection was aborted
};

/// An implementation keeps the flags below up to date, and wakes the waiter when one of them
/// becomes true. Owner: a session, an exchange or an upstream pool. Thread: the io thread.
class Connection {
 public:
  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Sets the waiter to wake at events; nullptr for none. Earlier events do not wake it. It may be
  /// destroyed before this connection.
  void set_waiter(Waiter* waiter) { waiter_.lead_to(waiter); }

  virtual bool is_open() const = 0;
  /// Returns true if the peer has closed or reset its sending side; there may still be bytes to
  /// read.
  bool peer_has_closed() const { return peer_has_closed_; }
  /// Returns true after a reset, or when the system has given up the peer: waiting to send is
  /// futile.
  bool was_reset() const { return was_reset_; }
  /// Returns true if a read is useful: there may be bytes, the end or an error.
  bool is_readable() const { return readable_; }

  /// Returns true if this is a stream of HTTP/2: one request and its response on a shared
  /// connection. After them, a read returns the end.
  bool is_stream() const { return is_stream_; }
  /// Returns the error code by which the peer has reset the stream (RFC 9113 7), or with which its
  /// connection ended; 0 otherwise.
  std::uint32_t reset_code() const { return reset_code_; }
  /// Returns true if the peer has reset the stream and reported that it did not process the request
  /// (RFC 9113 8.7), so a retry is safe for any method.
  bool was_not_processed() const { return was_not_processed_; }
  /// Sets the error code that abort() sends for a stream, in place of INTERNAL_ERROR.
  void set_abort_code(std::uint32_t code) { abort_code_ = code; }

  /// Returns the maximum number of bytes left to read on a stream whose peer has sent all of its
  /// message; 0 if unknown.
  virtual std::size_t rest() const { return 0; }
  /// Bytes of the message that this process may have to keep until they are read. A socket's are
  /// the kernel's.
  virtual std::size_t most_unread() const { return 0; }

  /// Sets `head` for a stream whose message begins with `text`, with views into `text`, as a
  /// HeadParser would. The head is known because it was made from checked fields. Returns false if
  /// the text has to be parsed. Call it once per stream.
  virtual bool take_head(std::string_view /*text*/, const HeadLimits& /*limits*/,
                         RequestHead& /*head*/) {
    return false;
  }
  virtual bool take_head(std::string_view /*text*/, const HeadLimits& /*limits*/,
                         ResponseHead& /*head*/) {
    return false;
  }

  /// Returns the bytes accepted for sending so far.
  std::uint64_t written() const { return written_; }
  /// Returns false if nothing written after the first `before` bytes has reached the peer's system,
  /// true if it has or if that is unknown. Right after the peer's end (FIN) the result is final:
  /// later bytes are answered by a reset, and the server may not process them (RFC 9112 9.6).
  virtual bool may_have_delivered(std::uint64_t /*before*/) { return true; }
  /// Checks a connection whose first bytes were written some time ago and that has read none.
  virtual FirstBytes check_first_bytes() { return FirstBytes::kArrived; }

  virtual IoResult try_read(char* data, std::size_t size) = 0;
  /// Sends as much of the parts as possible without blocking. The rest comes first in the next
  /// write, byte for byte and at least as long, because TLS may have encrypted it already.
  virtual IoResult try_write(const iovec* parts, std::size_t count) = 0;
  IoResult try_write(std::string_view bytes);
  /// Does try_write() for a message from its beginning. `head` describes the first part and is not
  /// of an upgrade. A stream then does not parse it.
  virtual IoResult try_write_head(const RequestHead& /*head*/, const iovec* parts,
                                  std::size_t count) {
    return try_write(parts, count);
  }
  virtual IoResult try_write_head(const ResponseHead& /*head*/, const iovec* parts,
                                  std::size_t count) {
    return try_write(parts, count);
  }

  /// Returns true if open and without bytes, end or error to read.
  virtual bool is_idle() = 0;

  /// Returns what TLS knows about the peer, once something was read; nullopt: the stream is in the
  /// clear.
  virtual std::optional<TlsPeer> tls_peer() const { return std::nullopt; }

  /// Ends the sending direction (FIN); reading continues.
  virtual void shutdown_write() = 0;
  virtual void close() = 0;
  /// Closes with a reset, so that the sent bytes cannot look complete.
  virtual void abort() = 0;

 protected:
  Connection() = default;
  void wake() {
    Waiter* const waiter = waiter_.get();
    if (waiter == nullptr) return;
    is_patient_ ? waiter->wake_last() : waiter->wake();
  }

  WaiterLink waiter_;
  bool readable_ = false;  // set by the first event, so that reads happen in the order of arrival
  bool writable_ = true;
  bool peer_has_closed_ = false;
  bool was_reset_ = false;
  bool is_stream_ = false;
  bool is_patient_ = false;  // the woken task may run after those of other connections
  bool was_not_processed_ = false;
  std::uint64_t written_ = 0;
  std::uint32_t reset_code_ = 0;
  std::uint32_t abort_code_ = 2;  // INTERNAL_ERROR
};

/// Makes the connection of an accepted socket. Returns null, and logs the reason, if it cannot be
/// served.
using MakeConnection =
    std::function<std::unique_ptr<Connection>(sys::Descriptor socket, const SocketAddress& peer)>;

/// Returns a block for the head of a message and the bytes that arrive with it: kHead, or less if
/// less remains to be read.
inline Block head_block(BufferPool& pool, const Connection& from) {
  const std::size_t rest = from.is_stream() ? from.rest() : 0;
  return rest > 0 && rest < BufferPool::kHead ? pool.acquire_exact(rest)
                                              : pool.acquire(BufferPool::kHead);
}

inline IoResult Connection::try_write(std::string_view bytes) {
  const iovec part{const_cast<char*>(bytes.data()), bytes.size()};  // NOLINT: writing only reads
  return try_write(&part, 1);
}

}  // namespace bellows::http
