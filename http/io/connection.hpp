// A stream of bytes in both directions whose calls never block: try, and if that would block, wait
// in the owner's Waiter. Sessions, relays and upstream pools know streams only by it.
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

/// The result of one try.
struct IoResult {
  enum class Kind : std::uint8_t {
    kBytes,       ///< `bytes` were moved, at least one
    kWouldBlock,  ///< the waiter is woken when another try is useful
    kEnd,         ///< the peer has ended its direction: by FIN, on a socket
    kFailed,      ///< `error` is the errno
  };
  Kind kind = Kind::kWouldBlock;
  std::size_t bytes = 0;
  int error = 0;

  static IoResult failed(int code) { return {Kind::kFailed, 0, code}; }
};

/// What has become of the first bytes that were written to a new connection.
enum class FirstBytes : std::uint8_t {
  kArrived,  ///< the peer's system has them, or nobody knows
  kAwaited,  ///< they are sent again and again: ask later
  kLost,     ///< none has arrived, and the connection was aborted, so none will
};

/// Owner: a session, an exchange or an upstream pool. Thread: the io thread. An implementation
/// keeps the flags below up to date, and wakes the waiter when one of them becomes true.
class Connection {
 public:
  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// The waiter to wake at events; nullptr for none. Earlier events do not wake it. It may be
  /// destroyed before this connection.
  void set_waiter(Waiter* waiter) { waiter_.lead_to(waiter); }

  virtual bool is_open() const = 0;
  /// The peer has closed or reset its sending side; there may still be bytes to read.
  bool peer_has_closed() const { return peer_has_closed_; }
  /// It was reset, or the system has given up the peer: waiting to send is futile.
  bool was_reset() const { return was_reset_; }
  /// A read is worth a try: there may be bytes, the end or an error.
  bool is_readable() const { return readable_; }

  /// It is one request and its response on a connection of HTTP/2 that it shares with others. After
  /// them, a read returns the end.
  bool is_stream() const { return is_stream_; }
  /// Of a stream that was reset: the error code by which the peer did it (RFC 9113 7), or that its
  /// connection ended with; 0 otherwise.
  std::uint32_t reset_code() const { return reset_code_; }
  /// Of a stream that was reset: the peer has said that it did nothing of the request (RFC 9113
  /// 8.7), so another try is safe for any method.
  bool was_not_processed() const { return was_not_processed_; }
  /// What abort() should tell the peer of a stream, in place of INTERNAL_ERROR.
  void set_abort_code(std::uint32_t code) { abort_code_ = code; }

  /// Of a stream whose peer has sent all of its message: how many bytes may still be read, at most.
  /// 0: nobody knows.
  virtual std::size_t rest() const { return 0; }
  /// Bytes of the message that this process may have to keep while nobody reads them. A socket's
  /// are the kernel's.
  virtual std::size_t most_unread() const { return 0; }

  /// Of a stream whose message begins with `text`: its head with views into `text`, as a HeadParser
  /// would read it; known because it was made from fields that were checked. False: it is to be
  /// read. Once for each stream.
  virtual bool take_head(std::string_view /*text*/, const HeadLimits& /*limits*/,
                         RequestHead& /*head*/) {
    return false;
  }
  virtual bool take_head(std::string_view /*text*/, const HeadLimits& /*limits*/,
                         ResponseHead& /*head*/) {
    return false;
  }

  /// Bytes that it has taken to send, so far.
  std::uint64_t written() const { return written_; }
  /// False: nothing that was written after the first `before` bytes has reached the peer's system.
  /// True: it has, or nobody knows. Right after the peer's end (FIN) this is final: what comes
  /// later is answered by a reset, and the server may not process it (RFC 9112 9.6).
  virtual bool may_have_delivered(std::uint64_t /*before*/) { return true; }
  /// For a connection whose first bytes were written some time ago, and that has read none.
  virtual FirstBytes check_first_bytes() { return FirstBytes::kArrived; }

  virtual IoResult try_read(char* data, std::size_t size) = 0;
  /// Sends as much of the parts as possible without blocking. What was not sent comes first in the
  /// next write, byte for byte and at least as long: TLS may have encrypted it already.
  virtual IoResult try_write(const iovec* parts, std::size_t count) = 0;
  IoResult try_write(std::string_view bytes);
  /// try_write() of a message from its beginning: the first part is the head that `head` describes,
  /// not of an upgrade. A stream has no need to read it then.
  virtual IoResult try_write_head(const RequestHead& /*head*/, const iovec* parts,
                                  std::size_t count) {
    return try_write(parts, count);
  }
  virtual IoResult try_write_head(const ResponseHead& /*head*/, const iovec* parts,
                                  std::size_t count) {
    return try_write(parts, count);
  }

  /// True if open and without bytes, end or error to read.
  virtual bool is_idle() = 0;

  /// What TLS knows about the peer, once something was read; nullopt: the stream is in the clear.
  virtual std::optional<TlsPeer> tls_peer() const { return std::nullopt; }

  /// Ends what is sent (FIN); reading continues.
  virtual void shutdown_write() = 0;
  virtual void close() = 0;
  /// Closes with a reset, so that what was sent cannot look complete.
  virtual void abort() = 0;

 protected:
  Connection() = default;
  void wake() {
    Waiter* const waiter = waiter_.get();
    if (waiter == nullptr) return;
    is_patient_ ? waiter->wake_last() : waiter->wake();
  }

  WaiterLink waiter_;
  bool readable_ = false;  // until the first event, so that reads come in the order of arrival
  bool writable_ = true;
  bool peer_has_closed_ = false;
  bool was_reset_ = false;
  bool is_stream_ = false;
  bool is_patient_ = false;  // what it wakes for may wait for other connections
  bool was_not_processed_ = false;
  std::uint64_t written_ = 0;
  std::uint32_t reset_code_ = 0;
  std::uint32_t abort_code_ = 2;  // INTERNAL_ERROR
};

/// Makes the connection of a socket that was accepted. Null: it cannot be served; the reason is
/// logged.
using MakeConnection =
    std::function<std::unique_ptr<Connection>(sys::Descriptor socket, const SocketAddress& peer)>;

/// A block for the head of a message and what comes with it: kHead, or no more than is to come.
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
