#include "activator/core/route_table.hpp"

#include <algorithm>
#include <utility>

namespace bellows::activator {
namespace {

/// How many routes an error message lists: enough to see a spelling error, but not a page.
constexpr std::size_t kMaxListedRoutes = 8;
/// How many bytes of a caller's host or path an error message quotes.
constexpr std::size_t kMaxQuotedBytes = 128;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Without port and without the dot of a fully qualified name. An IPv6 address keeps its brackets.
std::string_view bare_host(std::string_view host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  host = host.substr(0, host.find(':'));
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

std::string_view bare_path(std::string_view path) {
  return path.substr(0, path.find('?'));
}

std::string_view bare_prefix(std::string_view prefix) {
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  return prefix;
}

std::string shortened(std::string_view text) {
  if (text.size() <= kMaxQuotedBytes) return std::string(text);
  return std::string(text.substr(0, kMaxQuotedBytes)) + "...";
}

std::string route_text(const config::Route& route) {
  if (route.host.empty() && route.path_prefix.empty()) return "any host";
  return route.host + route.path_prefix;
}

std::string known_routes(const std::vector<RouteEntry>& entries) {
  std::string text;
  std::size_t in_service = 0;
  for (const RouteEntry& entry : entries) {
    if (entry.retired) continue;
    if (++in_service > kMaxListedRoutes) continue;
    if (!text.empty()) text += ", ";
    text += route_text(entry.route);
  }
  if (in_service > kMaxListedRoutes) {
    text += " and " + std::to_string(in_service - kMaxListedRoutes) + " more";
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::size_t RouteTable::FoldedHash::operator()(std::string_view text) const {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a, 64 bits
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(lower(c))) * 0x100000001b3ULL;
  }
  return hash;
}

bool RouteTable::FoldedEqual::operator()(std::string_view a, std::string_view b) const noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

RouteTable::RouteTable(const std::vector<RouteEntry>& entries) : known_(known_routes(entries)) {
  targets_.reserve(entries.size());
  for (const RouteEntry& entry : entries) {
    targets_.push_back({entry.revision, entry.retired});
    add(targets_.size() - 1, entry);
  }
}

void RouteTable::add(std::size_t position, const RouteEntry& entry) {
  const std::string_view host = bare_host(entry.route.host);
  PrefixRoutes& routes = host.empty() ? any_host_ : by_host_[std::string(host)];
  const auto takes_over = [&](std::size_t holder) {
    return targets_[holder].retired && !entry.retired;
  };
  const std::string_view prefix = bare_prefix(entry.route.path_prefix);
  if (prefix.empty()) {
    if (!routes.without_prefix || takes_over(*routes.without_prefix)) {
      routes.without_prefix = position;
    }
    return;
  }
  const auto [place, is_new] = routes.by_prefix.try_emplace(std::string(prefix), position);
  if (!is_new && takes_over(place->second)) place->second = position;
  routes.longest_prefix = std::max(routes.longest_prefix, prefix.size());
}

std::optional<std::size_t> RouteTable::PrefixRoutes::find(std::string_view path) const {
  if (by_prefix.empty()) return without_prefix;
  const auto without_last_segment = [](std::string_view text) {
    const std::size_t slash = text.rfind('/');
    return text.substr(0, slash == std::string_view::npos ? 0 : slash);
  };
  // A path of thousands of slashes is first shortened to what a prefix could match.
  if (path.size() > longest_prefix) path = without_last_segment(path.substr(0, longest_prefix + 1));
  for (; !path.empty(); path = without_last_segment(path)) {
    if (const auto found = by_prefix.find(path); found != by_prefix.end()) return found->second;
  }
  return without_prefix;
}

Result<std::size_t> RouteTable::find(std::string_view host, std::string_view path) const {
  const std::string_view name = bare_host(host);
  const std::string_view target_path = bare_path(path);
  std::optional<std::size_t> found;
  if (const auto routes = by_host_.find(name); routes != by_host_.end()) {
    found = routes->second.find(target_path);
  }
  if (!found) found = any_host_.find(target_path);
  if (!found) return fail(unknown(name, target_path));
  const Target& target = targets_[*found];
  if (target.retired) {
    return fail(Error(ErrorKind::kGone, "service " + target.revision.text(),
                      "was retired and serves nothing any more", ErrorSide::kDownstream));
  }
  return *found;
}

Error RouteTable::unknown(std::string_view host, std::string_view path) const {
  std::string culprit = host.empty() ? "no host" : "host " + shortened(host);
  const bool has_prefixes = !any_host_.by_prefix.empty() || by_host_.find(host) != by_host_.end();
  if (has_prefixes) culprit += ", path " + shortened(path);
  return Error(ErrorKind::kNotFound, std::move(culprit), "no service takes it; known: " + known_,
               ErrorSide::kDownstream);
}

}  // namespace bellows::activator
