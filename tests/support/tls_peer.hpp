// A caller that speaks TLS: as TestPeer, over a client's session.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/io/tls.hpp"
#include "tests/support/test_peer.hpp"

namespace bellows::test {

class TlsPeer {
 public:
  /// `socket`: connected, and owned by this from now on.
  TlsPeer(int socket, http::TlsContext& context, const std::string& server_name = "localhost")
      : fd_(socket), session_(context.start(server_name).value()) {
    ::fcntl(fd_, F_SETFL, O_NONBLOCK);
  }
  TlsPeer(TlsPeer&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), session_(std::move(other.session_)) {}
  TlsPeer& operator=(TlsPeer&&) = delete;
  ~TlsPeer() { close(); }

  static TlsPeer connect_to(std::uint16_t port, http::TlsContext& context,
                            const std::string& server_name = "localhost") {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(port);
    // NOLINTNEXTLINE: as connect() wants it
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return {fd, context, server_name};
  }

  /// Sent as far as the connection takes it, by the next calls of listen().
  void say(std::string_view bytes) { to_say_ += bytes; }

  /// Goes on with the handshake, sends, and receives at most `most` bytes of what has arrived.
  void listen(std::size_t most = std::string::npos) {
    using Kind = http::TlsIo::Kind;
    if (fd_ < 0 || has_ended_) return;
    if (!is_open_) {
      const http::TlsIo io = session_->try_handshake(fd_);
      if (io.kind == Kind::kFailed || io.kind == Kind::kEnd) return end(io);
      if (io.kind != Kind::kDone) return;
      is_open_ = true;
    }
    while (!to_say_.empty()) {
      const http::TlsIo io = session_->try_write(fd_, to_say_);
      if (io.kind != Kind::kDone) break;
      to_say_.erase(0, io.bytes);
    }
    char bytes[16384];
    while (most > 0) {
      const http::TlsIo io = session_->try_read(fd_, bytes, std::min(most, sizeof bytes));
      if (io.kind == Kind::kFailed || io.kind == Kind::kEnd) return end(io);
      if (io.kind != Kind::kDone) return;
      received_.append(bytes, io.bytes);
      most -= io.bytes;
    }
  }

  bool is_open() const { return is_open_; }
  const http::TlsSession& session() const { return *session_; }
  const std::string& received() const { return received_; }
  std::string take_received() { return std::exchange(received_, {}); }
  bool has_ended() const { return has_ended_; }
  /// Ended without close_notify, or with an error.
  bool was_cut() const { return was_cut_; }
  /// Why, in words.
  const std::string& why() const { return why_; }

  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  /// close_notify, and the end of TCP.
  void finish() {
    session_->send_end(fd_);
    ::shutdown(fd_, SHUT_WR);
  }
  int fd() const { return fd_; }

 private:
  void end(const http::TlsIo& io) {
    has_ended_ = true;
    was_cut_ = io.kind == http::TlsIo::Kind::kFailed;
    if (was_cut_) why_ = to_string(session_->handshake_error("server", io.error));
  }

  int fd_ = -1;
  std::unique_ptr<http::TlsSession> session_;
  std::string to_say_;
  std::string received_;
  std::string why_;
  bool is_open_ = false;
  bool has_ended_ = false;
  bool was_cut_ = false;
};

}  // namespace bellows::test
