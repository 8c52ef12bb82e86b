#include "activator/core/route_table.hpp"

#include <algorithm>
#include <tuple>
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

RouteTable::RouteTable(const std::vector<RouteEntry>& entries) {
  for (const RouteEntry& entry : entries) add(entry);
}

std::size_t RouteTable::add(RouteEntry entry) {
  std::size_t number = entries_.size();
  if (free_.empty()) {
    entries_.push_back(std::move(entry));
  } else {
    number = free_.back();
    free_.pop_back();
    entries_[number] = std::move(entry);
  }
  insert(number);
  return number;
}

void RouteTable::change(std::size_t number, RouteEntry entry) {
  erase(number);
  entries_[number] = std::move(entry);
  insert(number);
}

void RouteTable::remove(std::size_t number) {
  erase(number);
  entries_[number] = {};
  free_.push_back(number);
}

void RouteTable::insert(std::size_t number) {
  const RouteEntry& entry = entries_[number];
  const std::string_view host = bare_host(entry.route.host);
  PrefixRoutes& routes = host.empty() ? any_host_ : by_host_[std::string(host)];
  const std::string_view prefix = bare_prefix(entry.route.path_prefix);
  if (prefix.empty()) {
    add_holder(routes.without_prefix, number);
  } else {
    add_holder(routes.by_prefix[std::string(prefix)], number);
    ++routes.lengths[prefix.size()];
  }
  if (!entry.retired) in_service_.emplace(entry.revision, number);
}

void RouteTable::erase(std::size_t number) {
  const RouteEntry& entry = entries_[number];
  const std::string_view host = bare_host(entry.route.host);
  const auto of_host = by_host_.find(host);
  PrefixRoutes& routes = host.empty() ? any_host_ : of_host->second;
  const std::string_view prefix = bare_prefix(entry.route.path_prefix);
  if (prefix.empty()) {
    remove_holder(routes.without_prefix, number);
  } else {
    const auto holders = routes.by_prefix.find(prefix);
    remove_holder(holders->second, number);
    if (!holders->second.first) routes.by_prefix.erase(holders);
    const auto length = routes.lengths.find(prefix.size());
    if (--length->second == 0) routes.lengths.erase(length);
  }
  if (!host.empty() && routes.empty()) by_host_.erase(of_host);
  in_service_.erase({entry.revision, number});
}

bool RouteTable::is_before(std::size_t a, std::size_t b) const {
  const auto rank = [&](std::size_t number) {
    return std::tie(entries_[number].retired, entries_[number].revision, number);
  };
  return rank(a) < rank(b);
}

void RouteTable::add_holder(Holders& holders, std::size_t number) const {
  if (!holders.first) {
    holders.first = number;
    return;
  }
  const auto is_earlier = [this](std::size_t a, std::size_t b) { return is_before(a, b); };
  if (is_before(number, *holders.first)) std::swap(number, *holders.first);
  std::vector<std::size_t>& others = holders.others;
  others.insert(std::upper_bound(others.begin(), others.end(), number, is_earlier), number);
}

void RouteTable::remove_holder(Holders& holders, std::size_t number) {
  if (holders.first != number) {
    std::erase(holders.others, number);
  } else if (holders.others.empty()) {
    holders.first.reset();
  } else {
    holders.first = holders.others.front();
    holders.others.erase(holders.others.begin());
  }
}

std::optional<std::size_t> RouteTable::PrefixRoutes::find(std::string_view path) const {
  if (by_prefix.empty()) return without_prefix.first;
  const auto without_last_segment = [](std::string_view text) {
    const std::size_t slash = text.rfind('/');
    return text.substr(0, slash == std::string_view::npos ? 0 : slash);
  };
  // A path of thousands of slashes is first shortened to what a prefix could match.
  const std::size_t longest_prefix = lengths.rbegin()->first;
  if (path.size() > longest_prefix) path = without_last_segment(path.substr(0, longest_prefix + 1));
  for (; !path.empty(); path = without_last_segment(path)) {
    if (const auto found = by_prefix.find(path); found != by_prefix.end()) {
      return found->second.first;
    }
  }
  return without_prefix.first;
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
  const RouteEntry& target = entries_[*found];
  if (target.retired) {
    return fail(Error(ErrorKind::kGone, "service " + target.revision.text(),
                      "was retired and serves nothing any more", ErrorSide::kDownstream));
  }
  return *found;
}

std::string RouteTable::known() const {
  std::string text;
  std::size_t listed = 0;
  for (const auto& [revision, number] : in_service_) {
    if (++listed > kMaxListedRoutes) break;
    if (!text.empty()) text += ", ";
    text += route_text(entries_[number].route);
  }
  if (in_service_.size() > kMaxListedRoutes) {
    text += " and " + std::to_string(in_service_.size() - kMaxListedRoutes) + " more";
  }
  return text.empty() ? "none" : text;
}

Error RouteTable::unknown(std::string_view host, std::string_view path) const {
  std::string culprit = host.empty() ? "no host" : "host " + shortened(host);
  const bool has_prefixes = !any_host_.by_prefix.empty() || by_host_.find(host) != by_host_.end();
  if (has_prefixes) culprit += ", path " + shortened(path);
  return Error(ErrorKind::kNotFound, std::move(culprit), "no service takes it; known: " + known(),
               ErrorSide::kDownstream);
}

}  // namespace bellows::activator
