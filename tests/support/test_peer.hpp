// The client and the app of a proxy under test: plain non-blocking sockets that send and receive.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <algorithm>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace bellows::test {

inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

inline sockaddr_in6 loopback6(std::uint16_t port) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(port);
  address.sin6_addr = in6addr_loopback;
  return address;
}

/// One end of a TCP connection.
class TestPeer {
 public:
  TestPeer() = default;
  explicit TestPeer(int fd) : fd_(fd) { ::fcntl(fd_, F_SETFL, O_NONBLOCK); }
  TestPeer(TestPeer&& other) noexcept { *this = std::move(other); }
  TestPeer& operator=(TestPeer&& other) noexcept {
    std::swap(fd_, other.fd_);
    std::swap(received_, other.received_);
    std::swap(has_ended_, other.has_ended_);
    std::swap(was_reset_, other.was_reset_);
    return *this;
  }
  ~TestPeer() { close(); }

  static TestPeer connect_to(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(port);
    // NOLINTNEXTLINE: as connect() wants it
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return TestPeer(fd);
  }

  static TestPeer connect_to(const std::string& unix_path) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    unix_path.copy(address.sun_path, sizeof address.sun_path - 1);
    // NOLINTNEXTLINE: as connect() wants it
    EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return TestPeer(fd);
  }

  bool is_open() const { return fd_ >= 0; }
  /// True if all of it was sent.
  bool say(std::string_view bytes) {
    return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  /// Sends what does not block; returns the number of bytes.
  std::size_t say_some(std::string_view bytes) {
    const ssize_t said = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return said < 0 ? 0 : static_cast<std::size_t>(said);
  }
  /// Bytes that the peer's system has not taken yet.
  int unsent() const {
    int bytes = 0;
    EXPECT_EQ(::ioctl(fd_, SIOCOUTQ, &bytes), 0);
    return bytes;
  }
  /// Receives at most `most` bytes of what has arrived.
  void listen(std::size_t most = std::string::npos) {
    char bytes[16384];
    while (fd_ >= 0 && !has_ended_ && most > 0) {
      const ssize_t got = ::recv(fd_, bytes, std::min(most, sizeof bytes), 0);
      if (got > 0) {
        received_.append(bytes, static_cast<std::size_t>(got));
        most -= static_cast<std::size_t>(got);
        continue;
      }
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
      has_ended_ = true;
      was_reset_ = got < 0;
    }
  }

  const std::string& received() const { return received_; }
  std::string take_received() { return std::exchange(received_, {}); }
  /// True if the peer has closed or reset it.
  bool has_ended() const { return has_ended_; }
  bool was_reset() const { return was_reset_; }

  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  void finish() { ::shutdown(fd_, SHUT_WR); }
  void reset() {
    const linger hard{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close();
  }

 private:
  int fd_ = -1;
  std::string received_;
  bool has_ended_ = false;
  bool was_reset_ = false;
};

/// A listening socket, by default on 127.0.0.1 and a port chosen by the system. No other process
/// gets its port until the destructor; the test may bind it again with SO_REUSEADDR after close().
class TestListener {
 public:
  static constexpr int kNotYet = -1;  ///< as a backlog: the port refuses connections until listen()

  TestListener() : TestListener(loopback(0)) {}
  explicit TestListener(sockaddr_in address, int backlog = 128) : kept_(bound(&address)) {
    fd_ = bound(&address);
    if (backlog != kNotYet) listen(backlog);
    port_ = ntohs(address.sin_port);
  }
  explicit TestListener(sockaddr_in6 address) : kept_(bound(&address)) {
    fd_ = bound(&address);
    listen();
    port_ = ntohs(address.sin6_port);
  }
  ~TestListener() {
    close();
    ::close(kept_);
  }
  TestListener(const TestListener&) = delete;
  TestListener& operator=(const TestListener&) = delete;

  std::uint16_t port() const { return port_; }
  /// A pending connection, or a closed peer.
  TestPeer accept() {
    const int fd = ::accept(fd_, nullptr, nullptr);
    return fd < 0 ? TestPeer() : TestPeer(fd);
  }
  /// The port refuses connections from now on.
  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  /// Accepts connections from now on, after kNotYet.
  void listen(int backlog = 128) { EXPECT_EQ(::listen(fd_, backlog), 0); }

 private:
  /// Sets `address` to the address that it got.
  template <class Address>
  static int bound(Address* address) {
    socklen_t size = sizeof *address;
    auto* const generic = reinterpret_cast<sockaddr*>(address);  // NOLINT: as the calls want it
    const int fd = ::socket(generic->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int on = 1;
    EXPECT_EQ(::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
    EXPECT_EQ(::bind(fd, generic, size), 0);
    EXPECT_EQ(::getsockname(fd, generic, &size), 0);
    return fd;
  }

  int kept_;  // bound and never listening
  int fd_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace bellows::test
