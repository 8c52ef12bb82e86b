// Endpoints in the form that socket calls need.
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

/// Returns the address to listen on. Returns nullopt if the host is a name that has to be resolved
/// ("localhost" is 127.0.0.1 without that), or if the Unix path is longer than the system allows.
std::optional<SocketAddress> literal_address(const Endpoint& endpoint);

/// Returns the addresses to connect to if no look-up is needed: the literal, or both addresses of
/// "localhost", 127.0.0.1 first (some servers listen on ::1 only). Returns none where
/// literal_address() is nullopt.
std::vector<SocketAddress> literal_addresses(const Endpoint& endpoint);

/// Returns "127.0.0.1:51234", "[::1]:51234" or "unix".
std::string address_text(const SocketAddress& address);
/// Returns an endpoint with the address as host, or with the path of a Unix socket. A Unix socket
/// without a path is kInvalidSetting.
Result<Endpoint> endpoint_of(const SocketAddress& address);
/// Returns "127.0.0.1", "::1", or "unix".
std::string host_text(const SocketAddress& address);
/// Returns nullopt for a Unix socket.
std::optional<IpAddress> ip_address(const SocketAddress& address);
/// Returns the client to which limits attribute a connection: an IPv4 address, or the /64 network
/// of an IPv6 address, because one site has all of it ("2001:db8:0:1::").
std::string client_text(const SocketAddress& address);
std::uint16_t port_of(const SocketAddress& address);
/// Returns true for an address of this machine (127.0.0.0/8, ::1).
bool is_loopback(const SocketAddress& address);

/// Opens a non-blocking stream socket of the address's family, which no child inherits. TCP sockets
/// have TCP_NODELAY and, except on loopback, SO_KEEPALIVE: a peer that is lost without a FIN causes
/// an error after two idle minutes. Accepted sockets inherit both.
Result<sys::Descriptor> open_socket(const SocketAddress& address, std::string_view culprit);
/// Disables Nagle's algorithm, so that small writes are sent at once; it has no effect on Unix
/// sockets.
void set_no_delay(int fd);
/// Makes the kernel end a TCP connection whose peer has been silent for `span` (at least 6 s),
/// although it was probed or owes acknowledgements. The next read or write then fails.
void set_dead_after(int fd, Duration span);

}  // namespace bellows::http
