#include "http/io/byte_stream.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>

namespace bellows::http {

namespace {

using ErrorCode = boost::system::error_code;

constexpr std::size_t kMaxRecordBytes = std::size_t{16} * 1024;  // RFC 8446, 5.1

}  // namespace

struct ByteStream::State {
  /// One read or write of a TLS stream that may need several tries.
  struct Operation {
    bool is_read = true;
    char* data = nullptr;   // destination of a read
    std::size_t size = 0;   // size of `data`
    std::string_view text;  // bytes of a write
    IoHandler done;
  };

  State(StreamSocket its_socket, std::unique_ptr<TlsSession> its_session)
      : socket(std::move(its_socket)), session(std::move(its_session)) {}

  bool is_open() const { return socket.is_open(); }
  TlsIo attempt(const Operation& operation);

  StreamSocket socket;
  std::unique_ptr<TlsSession> session;  // null: plain
  std::string output;                   // joined parts of a write, until it is done
};

TlsIo ByteStream::State::attempt(const Operation& operation) {
  if (!is_open()) return {.kind = TlsIo::Kind::kFailed, .error = net::error::operation_aborted};
  const int fd = socket.native_handle();
  if (operation.is_read) return session->try_read(fd, operation.data, operation.size);
  return session->try_write(fd, operation.text);
}

namespace {

/// Tries, and waits for the socket as often as TLS requires it. The handler is never called within
/// the call that starts the operation (`is_first`).
template <class State>
void run_operation(std::shared_ptr<State> state, typename State::Operation operation,
                   bool is_first) {
  const TlsIo io = state->attempt(operation);
  if (io.kind == TlsIo::Kind::kWantRead || io.kind == TlsIo::Kind::kWantWrite) {
    const auto wanted =
        io.kind == TlsIo::Kind::kWantRead ? StreamSocket::wait_read : StreamSocket::wait_write;
    StreamSocket& socket = state->socket;
    const net::cancellation_slot slot = operation.done.get_cancellation_slot();
    auto resume = [state = std::move(state),
                   operation = std::move(operation)](const ErrorCode& error) mutable {
      if (error) return operation.done(error, 0);
      run_operation(std::move(state), std::move(operation), false);
    };
    return socket.async_wait(wanted, net::bind_cancellation_slot(slot, std::move(resume)));
  }
  const ErrorCode error = io.kind == TlsIo::Kind::kEnd ? ErrorCode(net::error::eof) : io.error;
  if (!is_first) return operation.done(error, io.bytes);
  const Executor executor = state->socket.get_executor();
  net::post(executor, [done = std::move(operation.done), error, bytes = io.bytes]() mutable {
    done(error, bytes);
  });
}

/// Returns the parts in one piece, so that they become one record: the only part itself, or a copy
/// in `output`.
std::string_view joined(const BufferParts& parts, std::string& output) {
  if (parts.size() == 0) return {};
  const auto text = [](const net::const_buffer& part) {
    return std::string_view(static_cast<const char*>(part.data()), part.size());
  };
  if (parts.size() == 1) return text(*parts.begin());
  output.clear();
  for (const net::const_buffer& part : parts) {
    output += text(part).substr(0, kMaxRecordBytes - output.size());
  }
  return output;
}

}  // namespace

ByteStream::ByteStream(StreamSocket socket, std::unique_ptr<TlsSession> session)
    : state_(std::make_shared<State>(std::move(socket), std::move(session))) {}

ByteStream& ByteStream::operator=(ByteStream&& other) noexcept {
  if (state_) close();
  state_ = std::move(other.state_);
  return *this;
}

ByteStream::~ByteStream() {
  if (state_) close();
}

ByteStream::executor_type ByteStream::get_executor() noexcept {
  return state_->socket.get_executor();
}

StreamSocket& ByteStream::socket() {
  return state_->socket;
}

Awaitable<Result<void>> ByteStream::handshake(std::string peer) {
  const std::shared_ptr<State> state = state_;
  if (!state->session) co_return Result<void>();
  for (;;) {
    ErrorCode error = net::error::operation_aborted;
    TlsIo io;
    if (state->is_open()) io = state->session->try_handshake(state->socket.native_handle());
    if (io.kind == TlsIo::Kind::kDone) co_return Result<void>();
    if (io.kind == TlsIo::Kind::kWantRead) {
      co_await state->socket.async_wait(StreamSocket::wait_read, awaiting(error));
    } else if (io.kind == TlsIo::Kind::kWantWrite) {
      co_await state->socket.async_wait(StreamSocket::wait_write, awaiting(error));
    } else if (io.error) {
      co_return fail(state->session->handshake_error(peer, io.error));
    }
    if (error) co_return fail(net_error(peer, "TLS handshake", error).on(ErrorSide::kUpstream));
  }
}

void ByteStream::start_read(net::mutable_buffer into, IoHandler done) {
  if (!state_->session) return state_->socket.async_read_some(into, std::move(done));
  run_operation(state_,
                State::Operation{.is_read = true,
                                 .data = static_cast<char*>(into.data()),
                                 .size = into.size(),
                                 .text = {},
                                 .done = std::move(done)},
                true);
}

void ByteStream::start_write(const BufferParts& parts, IoHandler done) {
  if (!state_->session) return state_->socket.async_write_some(parts, std::move(done));
  const std::string_view text = joined(parts, state_->output);
  run_operation(
      state_,
      State::Operation{
          .is_read = false, .data = nullptr, .size = 0, .text = text, .done = std::move(done)},
      true);
}

bool ByteStream::is_idle() {
  if (!state_->is_open()) return false;
  const int fd = state_->socket.native_handle();
  if (state_->session) return state_->session->is_idle(fd);
  char byte = 0;
  return ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
         (errno == EAGAIN || errno == EWOULDBLOCK);
}

void ByteStream::shutdown_write() {
  if (!state_->is_open()) return;
  if (state_->session) state_->session->send_end(state_->socket.native_handle());
  ErrorCode ignored;
  state_->socket.shutdown(StreamSocket::shutdown_send, ignored);
}

void ByteStream::close() {
  if (!state_->is_open()) return;
  if (state_->session) state_->session->send_end(state_->socket.native_handle());
  ErrorCode ignored;
  state_->socket.close(ignored);
}

Awaitable<boost::system::error_code> write_all(ByteStream& stream, std::string_view bytes) {
  ErrorCode error;
  co_await net::async_write(stream, net::buffer(bytes), awaiting(error));
  co_return error;
}

}  // namespace bellows::http
