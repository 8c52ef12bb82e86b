#include "http/io/tls_connection.hpp"

#include <algorithm>
#include <array>
#include <boost/system/errc.hpp>
#include <cerrno>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "base/sys/log.hpp"

namespace bellows::http {

namespace {

constexpr std::size_t kMaxRecordBytes = std::size_t{16} * 1024;  // RFC 8446 5.1

constexpr std::string_view kPlainHttpReply =
    "HTTP/1.1 400 Bad Request\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 34\r\n"
    "Connection: close\r\n"
    "\r\n"
    "This port requires TLS: use https\n";
static_assert(kPlainHttpReply.size() - kPlainHttpReply.find("\r\n\r\n") - 4 == 34);

int errno_of(const boost::system::error_code& error) {
  if (error.category() == boost::system::system_category()) return error.value();
  return error == boost::system::errc::connection_reset ? ECONNRESET : EPROTO;
}

/// Splits the bytes of several parts into records.
class Records {
 public:
  Records(const iovec* parts, std::size_t count) : parts_(parts), count_(count) {}

  /// Returns at most `most` bytes in one piece: a view of a part, or a copy in `room`.
  std::string_view next(std::size_t most, std::span<char> room) {
    while (count_ > 0 && offset_ == parts_->iov_len) skip_part();
    if (count_ == 0) return {};
    const char* const first = static_cast<const char*>(parts_->iov_base) + offset_;
    const std::size_t left = parts_->iov_len - offset_;
    if (left >= most || count_ == 1) return {first, std::min(left, most)};
    std::size_t size = 0;
    for (std::size_t i = 0; i < count_ && size < most; ++i) {
      const std::size_t from = i == 0 ? offset_ : 0;
      const std::size_t take = std::min(parts_[i].iov_len - from, most - size);
      std::memcpy(room.data() + size, static_cast<const char*>(parts_[i].iov_base) + from, take);
      size += take;
    }
    return {room.data(), size};
  }

  void sent(std::size_t bytes) {
    for (; bytes > 0; skip_part()) {
      const std::size_t step = std::min(bytes, parts_->iov_len - offset_);
      offset_ += step;
      bytes -= step;
      if (offset_ < parts_->iov_len) return;
    }
  }

 private:
  void skip_part() {
    ++parts_;
    --count_;
    offset_ = 0;
  }

  const iovec* parts_;
  std::size_t count_;
  std::size_t offset_ = 0;  // offset of the next byte in the first part
};

}  // namespace

TlsConnection::TlsConnection(Reactor& reactor, sys::Descriptor socket,
                             std::unique_ptr<TlsSession> session, TlsConnectionOptions options)
    : SocketConnection(reactor, std::move(socket)),
      Timer(reactor.timers()),
      session_(std::move(session)),
      options_(std::move(options)) {
  // A handshake takes as long as dozens of requests, and many may begin or end at once.
  is_patient_ = true;
  session_->use(reactor.sockets());
  set_deadline(reactor.now() + options_.handshake_timeout);
}

TlsConnection::~TlsConnection() {
  close();
}

void TlsConnection::count(TlsCounters::Count TlsCounters::*which) {
  if (options_.counters != nullptr) ++(options_.counters->*which);
}

void TlsConnection::on_expiry() {
  if (stage_ == Stage::kHandshake) count(&TlsCounters::late);
  unusable(ETIMEDOUT);
  wake();
}

/// Disables further tries of TLS. Reads return the error.
IoResult TlsConnection::unusable(int error) {
  stage_ = Stage::kFailed;
  error_ = error;
  readable_ = true;
  return IoResult::failed(error);
}

/// Returns true once the handshake is complete.
bool TlsConnection::shake_hands() {
  if (stage_ != Stage::kHandshake) return stage_ == Stage::kOpen;
  const TlsIo io = session_->try_handshake(fd());
  switch (io.kind) {
    case TlsIo::Kind::kDone:
      hands_shaken();
      return true;
    case TlsIo::Kind::kWantRead:
      readable_ = false;
      return false;
    case TlsIo::Kind::kWantWrite:
      return false;  // readable_ stays, so that the event of free room leads to another try
    case TlsIo::Kind::kPlainHttp:
      refuse_plain_http();
      return false;
    case TlsIo::Kind::kEnd:
    case TlsIo::Kind::kFailed:
      handshake_failed(io.error);
      return false;
  }
  return false;
}

void TlsConnection::hands_shaken() {
  stage_ = Stage::kOpen;
  is_patient_ = false;
  clear_deadline();
  readable_ = true;  // the session may have read more than the handshake
  options_.peer = {};
  count(session_->peer().was_resumed ? &TlsCounters::resumed : &TlsCounters::full);
}

void TlsConnection::handshake_failed(const boost::system::error_code& error) {
  count(&TlsCounters::failed);
  sys::log::debug("no TLS",
                  {{"error", to_string(session_->handshake_error(options_.peer, error))}});
  if (was_reset_ || error.category() == boost::system::system_category()) {
    unusable(errno_of(error));
  } else {
    refuse();
  }
}

void TlsConnection::refuse_plain_http() {
  count(&TlsCounters::plain_http);
  const iovec reply{const_cast<char*>(kPlainHttpReply.data()),  // NOLINT: sending only reads
                    kPlainHttpReply.size()};
  sockets().send(fd(), &reply, 1);  // the first bytes of a connection: the socket has room
  refuse();
}

/// Sends the reply and keeps the socket open, because a close with unread bytes would reset the
/// connection and lose the reply.
void TlsConnection::refuse() {
  stage_ = Stage::kRefused;
  SocketConnection::shutdown_write();
}

IoResult TlsConnection::read_away(char* data, std::size_t size) {
  constexpr int kTries = 16;  // the deadline of the handshake ends a peer that continues
  for (int i = 0; i < kTries; ++i) {
    const IoResult got = SocketConnection::try_read(data, size);
    if (got.kind != IoResult::Kind::kBytes) return got;
  }
  return {};
}

IoResult TlsConnection::try_read(char* data, std::size_t size) {
  if (stage_ == Stage::kFailed) return unusable(error_);
  if (!readable_) return {};
  if (!shake_hands()) {
    if (stage_ == Stage::kRefused) return read_away(data, size);
    return stage_ == Stage::kFailed ? unusable(error_) : IoResult();
  }
  const TlsIo io = session_->try_read(fd(), data, size);
  switch (io.kind) {
    case TlsIo::Kind::kDone:
      // No further event comes once the peer has closed.
      readable_ = !io.is_drained || peer_has_closed_;
      return {IoResult::Kind::kBytes, io.bytes, 0};
    case TlsIo::Kind::kWantRead:
      readable_ = false;
      return {};
    case TlsIo::Kind::kWantWrite:
      return {};
    case TlsIo::Kind::kEnd:
      peer_has_closed_ = true;
      return {IoResult::Kind::kEnd, 0, 0};
    case TlsIo::Kind::kFailed:
    case TlsIo::Kind::kPlainHttp:
      break;
  }
  return unusable(errno_of(io.error));
}

bool TlsConnection::is_what_comes_next(std::string_view record) const {
  return !unsent_ || (unsent_->bytes == record.size() &&
                      unsent_->hash == std::hash<std::string_view>()(record));
}

IoResult TlsConnection::try_write(const iovec* parts, std::size_t count) {
  if (stage_ == Stage::kFailed) return unusable(error_);
  if (stage_ == Stage::kRefused) return IoResult::failed(EPIPE);
  if (!writable_ || !shake_hands()) return {};
  std::array<char, kMaxRecordBytes> room;  // NOLINT: filled as far as it is read
  Records records(parts, count);
  std::size_t sent = 0;
  for (;;) {
    const std::string_view record = records.next(unsent_ ? unsent_->bytes : room.size(), room);
    if (record.empty()) break;
    if (!is_what_comes_next(record)) return unusable(EPROTO);
    const TlsIo io = session_->try_write(fd(), record);
    if (io.kind == TlsIo::Kind::kDone) {
      unsent_.reset();
      records.sent(io.bytes);
      sent += io.bytes;
      continue;
    }
    if (io.kind == TlsIo::Kind::kWantWrite) {
      writable_ = false;
      unsent_ = {.bytes = record.size(), .hash = std::hash<std::string_view>()(record)};
      break;
    }
    if (io.kind == TlsIo::Kind::kWantRead) break;
    const IoResult failed = unusable(errno_of(io.error));
    if (sent == 0) return failed;
    break;
  }
  if (sent == 0) return {};
  return {IoResult::Kind::kBytes, sent, 0};
}

bool TlsConnection::is_idle() {
  if (!is_open() || peer_has_closed_ || stage_ == Stage::kFailed) return false;
  if (stage_ != Stage::kOpen) return true;  // no byte of a message yet
  if (session_->is_idle(fd())) return true;
  readable_ = true;  // the check may have read bytes from the socket
  return false;
}

void TlsConnection::shutdown_write() {
  if (stage_ == Stage::kOpen && !unsent_) session_->send_end(fd());
  SocketConnection::shutdown_write();
}

void TlsConnection::close() {
  clear_deadline();
  const bool may_say_end = session_ && is_open() && stage_ == Stage::kOpen && !unsent_;
  if (may_say_end) session_->send_end(fd());
  SocketConnection::close();
}

void TlsConnection::abort() {
  unusable(ECONNABORTED);
  SocketConnection::abort();
}

}  // namespace bellows::http
