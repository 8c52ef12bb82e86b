#include "http/io/address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace bellows::http {

namespace {

/// Returns the storage as the structure of one family. It copies because of the aliasing rules.
template <class T>
T as(const SocketAddress& address) {
  T value{};
  std::memcpy(&value, &address.storage, sizeof value);
  return value;
}

template <class T>
SocketAddress from(const T& value, std::size_t size = sizeof(T)) {
  SocketAddress address;
  std::memcpy(&address.storage, &value, sizeof value);
  address.size = static_cast<socklen_t>(size);
  return address;
}

std::optional<SocketAddress> unix_address(const std::string& path) {
  sockaddr_un value{};
  value.sun_family = AF_UNIX;
  if (path.size() >= sizeof value.sun_path) return std::nullopt;
  std::memcpy(value.sun_path, path.data(), path.size());
  return from(value);
}

void set_option(int fd, int name, int value) {
  ::setsockopt(fd, IPPROTO_TCP, name, &value, sizeof value);
}

/// Detects a peer on another machine that is lost without a FIN: after an idle minute the kernel
/// probes it every 10 s and reports an error after six probes without a response. A timeout of
/// unacknowledged bytes (TCP_USER_TIMEOUT) would also end clients that read slowly; the kernel's
/// default takes a quarter of an hour.
void keep_alive(int fd) {
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  set_option(fd, TCP_KEEPIDLE, 60);
  set_option(fd, TCP_KEEPINTVL, 10);
  set_option(fd, TCP_KEEPCNT, 6);
}

}  // namespace

const sockaddr* SocketAddress::get() const {
  return reinterpret_cast<const sockaddr*>(&storage);  // NOLINT: as the socket calls want it
}

sockaddr* SocketAddress::get() {
  return reinterpret_cast<sockaddr*>(&storage);  // NOLINT: as the socket calls want it
}

std::optional<SocketAddress> literal_address(const Endpoint& endpoint) {
  if (endpoint.is_unix()) return unix_address(endpoint.unix_path);
  const std::string host = endpoint.host == "localhost" ? "127.0.0.1" : endpoint.host;
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(endpoint.port);
  if (::inet_pton(AF_INET, host.c_str(), &v4.sin_addr) == 1) return from(v4);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(endpoint.port);
  if (::inet_pton(AF_INET6, host.c_str(), &v6.sin6_addr) == 1) return from(v6);
  return std::nullopt;
}

std::vector<SocketAddress> literal_addresses(const Endpoint& endpoint) {
  std::vector<SocketAddress> addresses;
  if (const auto first = literal_address(endpoint)) addresses.push_back(*first);
  if (endpoint.host == "localhost") {
    addresses.push_back(*literal_address({.host = "::1", .port = endpoint.port, .unix_path = {}}));
  }
  return addresses;
}

Result<Endpoint> endpoint_of(const SocketAddress& address) {
  if (!address.is_unix()) {
    return Endpoint{.host = host_text(address), .port = port_of(address), .unix_path = {}};
  }
  const auto value = as<sockaddr_un>(address);
  const std::size_t longest = sizeof value.sun_path;
  std::string path(value.sun_path, ::strnlen(value.sun_path, longest));
  if (path.empty()) {
    return fail(ErrorKind::kInvalidSetting, "a Unix socket", "has no path: want one with a file");
  }
  return Endpoint{.host = {}, .port = 0, .unix_path = std::move(path)};
}

std::string host_text(const SocketAddress& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.storage.ss_family == AF_INET) {
    const auto v4 = as<sockaddr_in>(address);
    ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
  } else if (address.storage.ss_family == AF_INET6) {
    const auto v6 = as<sockaddr_in6>(address);
    if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {  // an IPv4 client of a dual-stack port
      ::inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], text.data(), text.size());
    } else {
      ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    }
  } else {
    return "unix";
  }
  return text.data();
}

std::optional<IpAddress> ip_address(const SocketAddress& address) {
  if (address.storage.ss_family == AF_INET) return parse_ip_address(host_text(address));
  if (address.storage.ss_family != AF_INET6) return std::nullopt;
  const auto v6 = as<sockaddr_in6>(address);
  IpAddress found;
  std::copy(std::begin(v6.sin6_addr.s6_addr), std::end(v6.sin6_addr.s6_addr), found.bytes.begin());
  return found;
}

std::string client_text(const SocketAddress& address) {
  if (address.storage.ss_family != AF_INET6) return host_text(address);
  auto v6 = as<sockaddr_in6>(address);
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) return host_text(address);
  constexpr std::size_t kNetworkBytes = 8;
  std::fill(std::begin(v6.sin6_addr.s6_addr) + kNetworkBytes, std::end(v6.sin6_addr.s6_addr), 0);
  return host_text(from(v6));
}

std::uint16_t port_of(const SocketAddress& address) {
  if (address.storage.ss_family == AF_INET) return ntohs(as<sockaddr_in>(address).sin_port);
  if (address.storage.ss_family == AF_INET6) return ntohs(as<sockaddr_in6>(address).sin6_port);
  return 0;
}

bool is_loopback(const SocketAddress& address) {
  if (address.storage.ss_family == AF_INET) {
    constexpr std::uint32_t kLoopbackNetwork = 127;
    return ntohl(as<sockaddr_in>(address).sin_addr.s_addr) >> 24U == kLoopbackNetwork;
  }
  if (address.storage.ss_family != AF_INET6) return false;
  const auto v6 = as<sockaddr_in6>(address);
  return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

std::string address_text(const SocketAddress& address) {
  if (address.is_unix()) return "unix";
  return to_string(Endpoint{.host = host_text(address), .port = port_of(address), .unix_path = {}});
}

Result<sys::Descriptor> open_socket(const SocketAddress& address, std::string_view culprit) {
  sys::Descriptor socket(
      ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return fail(system_error(std::string(culprit), "socket", errno));
  if (address.is_unix()) return socket;
  set_no_delay(socket.get());
  if (!is_loopback(address)) keep_alive(socket.get());
  return socket;
}

void set_no_delay(int fd) {
  set_option(fd, TCP_NODELAY, 1);
}

void set_dead_after(int fd, Duration span) {
  // Probes begin after a third of the time. With a user timeout Linux ignores their number and
  // tests the timeout only when it sends the next probe. Therefore the user timeout is one interval
  // shorter than `span`.
  const auto seconds =
      static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(span).count());
  const int idle = seconds / 3;
  const int interval = std::max(seconds / 9, 1);
  const int timeout = seconds - interval;
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  set_option(fd, TCP_KEEPIDLE, idle);
  set_option(fd, TCP_KEEPINTVL, interval);
  set_option(fd, TCP_KEEPCNT, (timeout - idle) / interval);
  set_option(fd, TCP_USER_TIMEOUT, timeout * 1000);
}

}  // namespace bellows::http
