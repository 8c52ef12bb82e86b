// Endpoints as the socket calls want them.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>
#include <vector>

#include "base/endpoint.hpp"
#include "base/ip_range.hpp"
#include "base/result.hpp"
#include "base/sys/descriptor.hpp"
#include "base/time.hpp"

namespace bellows::http {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  bool is_unix() const { return storage.ss_family == AF_UNIX; }
  const sockaddr* get() const;
  sockaddr* get();
};

/// The address to listen on. nullopt if the host is a name that has to be resolved ("localhost" is
/// 127.0.0.1 without that), or the Unix path is longer than the system allows.
std::optional<SocketAddress> literal_address(const Endpoint& endpoint);

/// The addresses to connect to, if no look-up is needed: the literal, or both addresses of
/// "localhost", 127.0.0.1 first (some servers listen on ::1 only). Empty where literal_address() is
/// nullopt.
std::vector<SocketAddress> literal_addresses(const Endpoint& endpoint);

/// "127.0.0.1:51234", "[::1]:51234" or "unix".
std::string address_text(const SocketAddress& address);
/// With the address as host; the path of a Unix socket. kInvalidSetting: one without a path.
Result<Endpoint> endpoint_of(const SocketAddress& address);
/// "127.0.0.1", "::1", or "unix".
std::string host_text(const SocketAddress& address);
/// nullopt: a Unix socket.
std::optional<IpAddress> ip_address(const SocketAddress& address);
/// Whom connections from there belong to: an IPv4 address; of an IPv6 address its /64 network,
/// because one site has all of it ("2001:db8:0:1::").
std::string client_text(const SocketAddress& address);
std::uint16_t port_of(const SocketAddress& address);
/// It is of this machine (127.0.0.0/8, ::1).
bool is_loopback(const SocketAddress& address);

/// A non-blocking stream socket of the address's family, which no child inherits. TCP sockets have
/// TCP_NODELAY and, unless the address is a loopback one, SO_KEEPALIVE: a peer that is lost without
/// a FIN is an error after two idle minutes. Sockets that it accepts inherit both.
Result<sys::Descriptor> open_socket(const SocketAddress& address, std::string_view culprit);
/// Sends small writes at once; without effect on Unix sockets.
void set_no_delay(int fd);
/// Has the kernel end a TCP connection whose peer has been silent for `span` (at least 6 s),
/// although it was probed or owes acknowledgements: the next read or write fails.
void set_dead_after(int fd, Duration span);

}  // namespace bellows::http
