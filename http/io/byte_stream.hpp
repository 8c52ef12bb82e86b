// A connected socket, plain or TLS, as one type, so that clients and WebSockets are compiled once
// for both.
#pragma once

#include <array>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "http/io/net.hpp"
#include "http/io/tls.hpp"

namespace bellows::http {

namespace detail {
template <class T>
struct IsOfIoContext : std::false_type {};
template <class Allocator, std::uintptr_t kBits>
struct IsOfIoContext<net::io_context::basic_executor_type<Allocator, kBits>> : std::true_type {};
}  // namespace detail

/// A type-erased completion handler, so that Asio's and TLS's own parts are compiled for one type.
/// It is move-only and called once.
class IoHandler {
 public:
  using cancellation_slot_type = net::cancellation_slot;

  template <class H>
  requires(!std::is_same_v<std::decay_t<H>, IoHandler>) explicit IoHandler(H&& handler)
      : kept_(std::make_unique<Kept<std::decay_t<H>>>(std::forward<H>(handler))) {}

  net::cancellation_slot get_cancellation_slot() const noexcept { return kept_->slot(); }
  void operator()(const boost::system::error_code& error, std::size_t bytes) {
    std::exchange(kept_, nullptr)->complete(error, bytes);
  }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual void complete(const boost::system::error_code& error, std::size_t bytes) = 0;
    virtual net::cancellation_slot slot() const noexcept = 0;
  };
  template <class H>
  struct Kept final : Base {
    // The io thread's run() calls it, as such an executor requires.
    static_assert(detail::IsOfIoContext<net::associated_executor_t<H, Executor>>::value);

    explicit Kept(H&& its_handler) : handler(std::move(its_handler)) {}
    void complete(const boost::system::error_code& error, std::size_t bytes) override {
      handler(error, bytes);
    }
    net::cancellation_slot slot() const noexcept override {
      return net::get_associated_cancellation_slot(handler);
    }
    H handler;
  };
  std::unique_ptr<Base> kept_;
};

/// The first parts of a sequence of buffers. Further parts are written by another call.
class BufferParts {
 public:
  template <class Buffers>
  explicit BufferParts(const Buffers& buffers) {
    const auto end = net::buffer_sequence_end(buffers);
    for (auto i = net::buffer_sequence_begin(buffers); i != end && count_ < parts_.size(); ++i) {
      const net::const_buffer part(*i);
      if (part.size() != 0) parts_[count_++] = part;
    }
  }
  using value_type = net::const_buffer;
  using const_iterator = const net::const_buffer*;
  const_iterator begin() const { return parts_.data(); }
  const_iterator end() const { return parts_.data() + count_; }
  std::size_t size() const { return count_; }

 private:
  std::array<net::const_buffer, 8> parts_;
  std::size_t count_ = 0;
};

/// A stream that satisfies Asio's AsyncReadStream and AsyncWriteStream: at most one read and one
/// write at a time, and none while it is moved. Errors are error codes for net_error(). An end
/// without TLS's close_notify is an error; net::error::eof is a proper end. The destructor closes
/// the socket. Owner: the connection that uses it. Thread: the io thread.
class ByteStream {
 public:
  using executor_type = Executor;

  /// `session` is null for a plain stream.
  explicit ByteStream(StreamSocket socket, std::unique_ptr<TlsSession> session = nullptr);
  ByteStream(ByteStream&&) noexcept = default;
  ByteStream& operator=(ByteStream&& other) noexcept;
  ~ByteStream();

  executor_type get_executor() noexcept;
  /// Returns the socket, for deadlines and socket options. Its address stays the same when the
  /// stream is moved.
  StreamSocket& socket();

  /// Performs TLS's handshake; succeeds at once on a plain stream. Errors name `peer`:
  /// kInvalidSetting (a certificate that one side does not accept), kUnsupported (no common
  /// version), kReset, kMalformed (the peer does not speak TLS).
  Awaitable<Result<void>> handshake(std::string peer);

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return net::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto handler, net::mutable_buffer into) {
          start_read(into, IoHandler(std::move(handler)));
        },
        token, first_of(buffers));
  }
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return net::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto handler, const BufferParts& parts) {
          start_write(parts, IoHandler(std::move(handler)));
        },
        token, BufferParts(buffers));
  }

  /// Returns true if the stream is open and has no bytes, end or error to read; asks the system.
  bool is_idle();
  /// Ends the sending direction with close_notify and FIN. Reading continues.
  void shutdown_write();
  /// Ends pending operations with an error, and sends close_notify to a TLS peer if the socket has
  /// room.
  void close();

 private:
  struct State;

  template <class Buffers>
  static net::mutable_buffer first_of(const Buffers& buffers) {
    const auto end = net::buffer_sequence_end(buffers);
    for (auto i = net::buffer_sequence_begin(buffers); i != end; ++i) {
      const net::mutable_buffer part(*i);
      if (part.size() != 0) return part;
    }
    return {};
  }
  void start_read(net::mutable_buffer into, IoHandler done);
  void start_write(const BufferParts& parts, IoHandler done);

  // Shared with pending TLS operations, which see that the stream is closed.
  std::shared_ptr<State> state_;
};

/// Sends all of `bytes`, which must live until then.
Awaitable<boost::system::error_code> write_all(ByteStream& stream, std::string_view bytes);

}  // namespace bellows::http
