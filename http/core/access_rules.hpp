// Decides which requests the admin port of a program accepts. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/core/head.hpp"

namespace bellows::http {

/// Rules against foreign web pages and other accounts. A web page in a browser on this machine can
/// send requests to the loopback ports of the machine. The browser reports this in Origin or
/// Sec-Fetch-Site, or in Host if the page's name was resolved to this machine's address (DNS
/// rebinding). Every account of the machine can connect to a port. Therefore requests of foreign
/// pages and names are refused, and methods that change something are accepted only on a Unix
/// socket, whose file mode grants access, unless `changes` allows more.
struct AccessRules {
  /// Transports on which changes are accepted: Unix sockets only; also loopback (callers on this
  /// machine or in this pod); all.
  enum class Changes : std::uint8_t { kOfUnixSockets, kOfLoopback, kOfAll };
  /// Transports that receive details: output of apps, their commands, texts of failed requests.
  enum class Details : std::uint8_t { kToUnixSockets, kToAll };

  /// Accepted Host names besides IP addresses, localhost and names below it, in lower case; "*"
  /// accepts every name. The address of any other name, even of a short one, is chosen by others in
  /// the network: a name server, a search domain from a router, a neighbour by multicast.
  std::vector<std::string> hosts = {};
  Changes changes = Changes::kOfUnixSockets;
  Details details = Details::kToUnixSockets;
  /// A secret that is told over Unix sockets only; empty: there is none. A request with it in the
  /// field X-Bellows-Key may change what the pages below `key_paths` change, and receives details
  /// of them.
  std::string key = {};
  std::vector<std::string> key_paths = {};
};

/// Kind of socket that received the request. kLoopback is TCP from a loopback address.
enum class Transport : std::uint8_t { kTcp, kLoopback, kUnix };

/// Returns why the request is refused (403): one sentence that names the field and what would be
/// accepted. Returns nullopt if the request is accepted. With `is_websocket` Host is not checked,
/// because a browser always sends Origin with a WebSocket handshake (RFC 6455 4.1).
std::optional<std::string> refusal(const AccessRules& rules, const RequestHead& head,
                                   Transport transport, bool is_websocket);

/// Returns true if the response to this request has details; see AccessRules::details and key.
bool may_see_detail(const AccessRules& rules, const RequestHead& head, Transport transport);

/// Returns the names of this machine in lower case: its host name, whole and without a domain, and
/// those on the same line of `hosts_file` (/etc/hosts). No name server is queried, because others
/// may control it.
std::vector<std::string> own_names(std::string_view host_name, std::string_view hosts_file);

/// Parses "a.example, B.example" into AccessRules::hosts, in lower case.
std::vector<std::string> read_hosts(std::string_view text);

}  // namespace bellows::http
