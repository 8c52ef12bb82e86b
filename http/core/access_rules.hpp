// Which requests a program's own port takes of all that reach it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/core/head.hpp"

namespace bellows::http {

/// A web page that a person on this machine looks at can send requests to its loopback ports. The
/// browser says so in Origin or Sec-Fetch-Site, or, if the page's name was made to mean this
/// machine's address (DNS rebinding), in Host. And a port has no owner: every
/// account of the machine can connect. So requests of foreign pages and names are refused, and
/// methods that change something are taken by a Unix socket only, whose file mode says who may,
/// unless `changes` says otherwise.
struct AccessRules {
  /// Whose changes are taken: of Unix sockets; also of callers on this machine or in this pod; of
  /// all.
  enum class Changes : std::uint8_t { kOfUnixSockets, kOfLoopback, kOfAll };
  /// Who is told details: what apps wrote, how they are called, texts of failed requests.
  enum class Details : std::uint8_t { kToUnixSockets, kToAll };

  /// Names in Host that are taken besides IP addresses, localhost and names below it, in lower
  /// case;
  /// "*" takes every name. Other names, short ones too, mean what others in the network say: a name
  /// server, a search domain that a router hands out, a neighbour by multicast.
  std::vector<std::string> hosts = {};
  Changes changes = Changes::kOfUnixSockets;
  Details details = Details::kToUnixSockets;
};

/// Of which kind of socket the request came. kLoopback: by TCP from a loopback address.
enum class Transport : std::uint8_t { kTcp, kLoopback, kUnix };

/// Why the request is refused (403), one sentence that names the field and says what would be
/// taken. nullopt: it is not. `is_websocket`: its Host is not looked at, because a browser always
/// sends Origin with it (RFC 6455 4.1).
std::optional<std::string> refusal(const AccessRules& rules, const RequestHead& head,
                                   Transport transport, bool is_websocket);

/// See AccessRules::details.
bool may_see_detail(const AccessRules& rules, Transport transport);

/// The names of this machine, in lower case: its host name, whole and without a domain, and those
/// that stand beside it in `hosts_file` (/etc/hosts). No name server is asked: it may be a
/// stranger's.
std::vector<std::string> own_names(std::string_view host_name, std::string_view hosts_file);

/// "a.example, B.example" as AccessRules::hosts, in lower case.
std::vector<std::string> read_hosts(std::string_view text);

}  // namespace bellows::http
