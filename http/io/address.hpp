// Endpoints as the socket calls want them.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <string>
#include <vector>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "http/io/unique_fd.hpp"

namespace bellows::http {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;

  const sockaddr* get() const;
  sockaddr* get();
};

/// Where to listen. nullopt: the host is a name that has to be resolved ("localhost" need not be:
/// it is 127.0.0.1), or the Unix path is longer than the system allows.
std::optional<SocketAddress> literal_address(const Endpoint& endpoint);

/// Where to connect to, as far as that needs no question: the literal, or both addresses of
/// "localhost", 127.0.0.1 first (some servers listen on ::1 only). Empty where literal_address() is
/// nullopt.
std::vector<SocketAddress> literal_addresses(const Endpoint& endpoint);

/// "127.0.0.1:51234", "[::1]:51234" or "unix".
std::string address_text(const SocketAddress& address);
/// "127.0.0.1", "::1", or "unix".
std::string host_text(const SocketAddress& address);
std::uint16_t port_of(const SocketAddress& address);

/// A non-blocking stream socket of the address's family. Where there is TCP with TCP_NODELAY, and
/// unless the address is a loopback one, so that the loss of a peer without a word shows as an
/// error after two minutes of silence (SO_KEEPALIVE). Sockets that it accepts are like it.
Result<UniqueFd> open_socket(const SocketAddress& address, std::string_view culprit);
/// Sends small writes at once; without effect on Unix sockets.
void set_no_delay(int fd);

}  // namespace bellows::http
