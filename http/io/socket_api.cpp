#include "http/io/socket_api.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "http/io/backlog.hpp"

namespace bellows::http {

namespace {

// Offset of tcpi_bytes_acked in tcp_info (<linux/tcp.h>, which cannot be included beside
// <netinet/tcp.h>, which lacks it).
constexpr std::size_t kBytesAckedAt = 120;
constexpr std::size_t kTcpInfoSize = kBytesAckedAt + sizeof(std::uint64_t);

}  // namespace

ssize_t SocketApi::receive(int fd, void* data, std::size_t size, int flags) {
  return ::recv(fd, data, size, flags);
}

ssize_t SocketApi::send(int fd, const iovec* parts, std::size_t count) {
  if (count == 1) return ::send(fd, parts->iov_base, parts->iov_len, MSG_NOSIGNAL);
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(parts);  // NOLINT: sendmsg only reads them
  message.msg_iovlen = count;
  return ::sendmsg(fd, &message, MSG_NOSIGNAL);
}

int SocketApi::connect(int fd, const sockaddr* address, socklen_t size) {
  return ::connect(fd, address, size);
}

int SocketApi::accept(int fd, sockaddr* address, socklen_t* size) {
  return ::accept4(fd, address, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

std::optional<Delivery> SocketApi::delivery(int fd) {
  std::array<char, kTcpInfoSize> bytes{};
  socklen_t size = bytes.size();
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, bytes.data(), &size) != 0) return std::nullopt;
  if (size < bytes.size()) return std::nullopt;
  tcp_info info{};
  std::memcpy(&info, bytes.data(), std::min(sizeof info, bytes.size()));
  std::uint64_t acknowledged = 0;  // the SYN counts as a byte
  std::memcpy(&acknowledged, bytes.data() + kBytesAckedAt, sizeof acknowledged);
  return Delivery{.acknowledged = acknowledged > 0 ? acknowledged - 1 : 0,
                  .repetitions = static_cast<int>(info.tcpi_total_retrans),
                  .timeouts = info.tcpi_retransmits,
                  .since_sent = std::chrono::milliseconds(info.tcpi_last_data_sent)};
}

std::optional<std::size_t> SocketApi::backlog_room(const sockaddr* address) {
  thread_local BacklogReader reader;
  return reader.room(address);
}

SocketApi& system_sockets() {
  static SocketApi api;
  return api;
}

}  // namespace bellows::http
