#include "http/core/access_rules.hpp"

#include <algorithm>
#include <iterator>

#include "base/text_parts.hpp"

namespace bellows::http {
namespace {

/// Returns the host without the port of "shop.example:8080", in lower case; a trailing dot is
/// removed.
std::string host_name(std::string_view host) {
  if (host.starts_with('[')) return std::string(host.substr(0, host.find(']') + 1));
  std::string name = lower_case(host.substr(0, host.rfind(':')));
  if (name.ends_with('.')) name.pop_back();
  return name;
}

/// Returns true for an IP address. No name ends in a label of digits alone (RFC 3696 2), so such a
/// text is an IPv4 address or invalid.
bool is_address(std::string_view name) {
  if (name.starts_with('[')) return true;
  const std::string_view last = name.substr(name.rfind('.') + 1);
  return !last.empty() && std::ranges::all_of(last, [](char c) { return c >= '0' && c <= '9'; });
}

/// Returns true for hosts that no attacker can resolve to an address of his choice; browsers
/// resolve localhost themselves.
bool is_own_kind(std::string_view name) {
  return name.empty() || is_address(name) || name == "localhost" || name.ends_with(".localhost");
}

bool takes_host(const AccessRules& rules, std::string_view host) {
  const std::string name = host_name(host);
  return is_own_kind(name) || std::ranges::any_of(rules.hosts, [&](const std::string& taken) {
           return taken == "*" || taken == name;
         });
}

/// Compares the part of "https://shop.example:8080" after the scheme with `host`; "null" has no
/// scheme and matches none.
bool is_same_origin(std::string_view origin, std::string_view host) {
  const std::size_t scheme = origin.find("://");
  if (scheme == std::string_view::npos) return false;
  return lower_case(origin.substr(scheme + 3)) == lower_case(host);
}

/// Returns the names in a line of /etc/hosts: "127.0.1.1 node1.example node1 # this machine".
std::vector<std::string> names_in(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  line = line.substr(0, line.find('#'));
  std::vector<std::string> words;
  for (std::size_t at = line.find_first_not_of(kBlanks); at < line.size();) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    words.push_back(lower_case(line.substr(at, end - at)));
    at = line.find_first_not_of(kBlanks, end);
  }
  if (!words.empty()) words.erase(words.begin());
  return words;
}

/// Takes the same time for every value of the same length.
bool is_key(std::string_view value, std::string_view key) {
  if (key.empty() || value.size() != key.size()) return false;
  int difference = 0;
  for (std::size_t i = 0; i < key.size(); ++i) difference |= value[i] ^ key[i];
  return difference == 0;
}

/// Returns true for a request with the key to one of the pages that it opens.
bool is_opened(const AccessRules& rules, const RequestHead& head) {
  bool has_key = false;
  for (std::size_t i = 0; i < head.fields.size(); ++i) {
    if (!equals_lower(head.fields.name(i), "x-bellows-key")) continue;
    has_key = is_key(head.fields.value(i), rules.key);
  }
  return has_key && std::ranges::any_of(rules.key_paths, [&](const std::string& path) {
           return head.path.starts_with(path);
         });
}

bool changes_something(std::string_view method) {
  return method != "GET" && method != "HEAD" && method != "OPTIONS";
}

}  // namespace

std::optional<std::string> refusal(const AccessRules& rules, const RequestHead& head,
                                   Transport transport, bool is_websocket) {
  for (std::size_t i = 0; i < head.fields.size(); ++i) {
    const std::string_view name = head.fields.name(i);
    const std::string_view value = head.fields.value(i);
    if (equals_lower(name, "origin") && !is_same_origin(value, head.host)) {
      return "Origin is another web site; pages of other sites may not send requests here.";
    }
    if (equals_lower(name, "sec-fetch-site") && value != "same-origin" && value != "none") {
      return "Sec-Fetch-Site is " + lower_case(value) +
             "; pages of other sites may not send requests here.";
    }
  }
  if (transport == Transport::kUnix) return std::nullopt;
  if (!is_websocket && !takes_host(rules, head.host)) {
    return "Host is not a name of this server; it accepts IP addresses, localhost, the names of "
           "its machine and those of admin-hosts.";
  }
  if (!changes_something(head.method) || is_opened(rules, head)) return std::nullopt;
  switch (rules.changes) {
    case AccessRules::Changes::kOfAll:
      return std::nullopt;
    case AccessRules::Changes::kOfLoopback:
      if (transport == Transport::kLoopback) return std::nullopt;
      return "Changes are accepted only from a loopback address: from the app beside this program.";
    case AccessRules::Changes::kOfUnixSockets:
      break;
  }
  return "Changes are not accepted over TCP; `bellows retire`, `pause` and `resume` use the "
         "control socket, `bellows page` opens the live page with its rights.";
}

bool may_see_detail(const AccessRules& rules, const RequestHead& head, Transport transport) {
  return transport == Transport::kUnix || rules.details == AccessRules::Details::kToAll ||
         is_opened(rules, head);
}

std::vector<std::string> own_names(std::string_view host_name, std::string_view hosts_file) {
  if (host_name.empty()) return {};
  std::vector<std::string> names = {lower_case(host_name)};
  const std::string shorter = names.front().substr(0, names.front().find('.'));
  if (shorter != names.front()) names.push_back(shorter);
  const std::vector<std::string> known = names;
  while (!hosts_file.empty()) {
    const std::vector<std::string> found = names_in(next_part(hosts_file, '\n'));
    const bool is_own = std::ranges::any_of(
        found, [&](const std::string& name) { return std::ranges::count(known, name) > 0; });
    if (!is_own) continue;
    std::ranges::copy_if(found, std::back_inserter(names), [&](const std::string& name) {
      return std::ranges::count(names, name) == 0;
    });
  }
  return names;
}

std::vector<std::string> read_hosts(std::string_view text) {
  std::vector<std::string> hosts;
  while (!text.empty()) {
    const std::string_view host = trimmed(next_part(text, ','));
    if (!host.empty()) hosts.push_back(lower_case(host));
  }
  return hosts;
}

}  // namespace bellows::http
