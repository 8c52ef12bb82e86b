#include "activator/core/route_table.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace bellows::activator {
namespace {

/// Number of routes that an error message lists: enough to see a spelling error, but not a page.
constexpr std::size_t kMaxListedRoutes = 8;
/// Number of bytes of a caller's host or path that an error message quotes.
constexpr std::size_t kMaxQuotedBytes = 128;

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Returns the host without port and without the dot of a fully qualified name. An IPv6 address
/// keeps its brackets.
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

bool is_wildcard(std::string_view host) {
  return host.starts_with("*.");
}

/// Returns 2 for an exact host, 1 for a wildcard, 0 for any.
int host_class(const config::RouteRule& rule) {
  if (rule.host.empty()) return 0;
  return is_wildcard(rule.host) ? 1 : 2;
}

std::ptrdiff_t values_in(const config::RouteRule& rule) {
  return std::ranges::count_if(
      rule.headers, [](const config::HeaderMatch& match) { return match.value.has_value(); });
}

bool has_line(const http::Fields& fields, const config::HeaderMatch& match) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields.name(i).size() != match.name.size()) continue;
    if (!http::equals_lower(fields.name(i), match.name)) continue;
    if (!match.value || fields.value(i) == *match.value) return true;
  }
  return false;
}

bool matches(const std::vector<config::HeaderMatch>& headers, const http::Fields* fields) {
  if (headers.empty()) return true;
  return fields != nullptr &&
         std::ranges::all_of(headers, [&](const auto& match) { return has_line(*fields, match); });
}

/// Removes one route of this length.
void release_length(std::map<std::size_t, std::size_t>& lengths, std::size_t length) {
  const auto place = lengths.find(length);
  if (--place->second == 0) lengths.erase(place);
}

/// Returns a number less than 0 if `a` is checked before `b`.
int compare(const config::RouteRule& a, const config::RouteRule& b, std::string_view& why) {
  const auto more = [&](auto of_a, auto of_b, std::string_view reason) {
    why = reason;
    if (of_a == of_b) return 0;
    return of_a > of_b ? -1 : 1;
  };
  int order = more(host_class(a), host_class(b),
                   "an exact host is before a wildcard, a wildcard "
                   "before any host");
  if (order == 0 && host_class(a) == 1) {
    order = more(a.host.size(), b.host.size(), "the longer wildcard is first");
  }
  if (order == 0) {
    order = more(bare_prefix(a.path_prefix).size(), bare_prefix(b.path_prefix).size(),
                 "the longer path-prefix is first");
  }
  if (order == 0) {
    order = more(a.headers.size(), b.headers.size(), "more conditions on headers are first");
  }
  if (order == 0) {
    order = more(values_in(a), values_in(b), "a condition on a value is before one on presence");
  }
  if (order == 0) {
    order = more(b.headers, a.headers, "equally specific conditions go by the alphabet");
  }
  if (order == 0) why = {};
  return order;
}

}  // namespace

bool is_before(const config::RouteRule& a, const config::RouteRule& b) {
  std::string_view why;
  return compare(a, b, why) < 0;
}

std::string_view why_before(const config::RouteRule& a, const config::RouteRule& b) {
  std::string_view why;
  compare(a, b, why);
  return why;
}

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
  const bool is_suffix = is_wildcard(host);
  if (is_suffix) ++suffix_lengths_[host.size() - 1];
  PrefixRoutes& routes = host.empty() ? any_host_
                         : is_suffix  ? by_suffix_[std::string(host.substr(1))]
                                      : by_host_[std::string(host)];
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
  const bool is_suffix = is_wildcard(host);
  ByName& names = is_suffix ? by_suffix_ : by_host_;
  const auto of_host = names.find(is_suffix ? host.substr(1) : host);
  PrefixRoutes& routes = host.empty() ? any_host_ : of_host->second;
  const std::string_view prefix = bare_prefix(entry.route.path_prefix);
  if (prefix.empty()) {
    remove_holder(routes.without_prefix, number);
  } else {
    const auto holders = routes.by_prefix.find(prefix);
    remove_holder(holders->second, number);
    if (!holders->second.first) routes.by_prefix.erase(holders);
    release_length(routes.lengths, prefix.size());
  }
  if (!host.empty() && routes.empty()) names.erase(of_host);
  if (is_suffix) release_length(suffix_lengths_, host.size() - 1);
  in_service_.erase({entry.revision, number});
}

bool RouteTable::is_before(std::size_t a, std::size_t b) const {
  std::string_view why;
  const int order = compare(entries_[a].route, entries_[b].route, why);
  if (order != 0) return order < 0;
  const auto rank = [&](std::size_t number) {
    return std::tie(entries_[number].retired, entries_[number].revision, number);
  };
  return rank(a) < rank(b);
}

void RouteTable::add_holder(Holders& holders, std::size_t number) const {
  if (!holders.first) {
    holders.first = number;
  } else {
    const auto is_earlier = [this](std::size_t a, std::size_t b) { return is_before(a, b); };
    if (is_before(number, *holders.first)) std::swap(number, *holders.first);
    std::vector<std::size_t>& others = holders.others;
    others.insert(std::upper_bound(others.begin(), others.end(), number, is_earlier), number);
  }
  holders.is_conditional = !entries_[*holders.first].route.headers.empty();
}

void RouteTable::remove_holder(Holders& holders, std::size_t number) const {
  if (holders.first != number) {
    std::erase(holders.others, number);
  } else if (holders.others.empty()) {
    holders.first.reset();
  } else {
    holders.first = holders.others.front();
    holders.others.erase(holders.others.begin());
    holders.is_conditional = !entries_[*holders.first].route.headers.empty();
  }
}

/// Rules without conditions are last, so the first one without any matches.
std::optional<std::size_t> RouteTable::first_match(const Holders& holders,
                                                   const http::Fields* fields) const {
  if (!holders.first || !holders.is_conditional) return holders.first;
  if (matches(entries_[*holders.first].route.headers, fields)) return holders.first;
  for (const std::size_t number : holders.others) {
    if (matches(entries_[number].route.headers, fields)) return number;
  }
  return std::nullopt;
}

std::optional<std::size_t> RouteTable::find_in(const PrefixRoutes& routes, std::string_view path,
                                               const http::Fields* fields) const {
  if (routes.by_prefix.empty()) return first_match(routes.without_prefix, fields);
  const auto without_last_segment = [](std::string_view text) {
    const std::size_t slash = text.rfind('/');
    return text.substr(0, slash == std::string_view::npos ? 0 : slash);
  };
  // A path of thousands of slashes is first shortened to what a prefix could match.
  const std::size_t longest_prefix = routes.lengths.rbegin()->first;
  if (path.size() > longest_prefix) path = without_last_segment(path.substr(0, longest_prefix + 1));
  for (; !path.empty(); path = without_last_segment(path)) {
    const auto place = routes.by_prefix.find(path);
    if (place == routes.by_prefix.end()) continue;
    if (const auto found = first_match(place->second, fields)) return found;
  }
  return first_match(routes.without_prefix, fields);
}

/// Tries the longest suffix first. A host of thousands of dots is first shortened to the longest
/// suffix that could match.
std::optional<std::size_t> RouteTable::find_wildcard(std::string_view host, std::string_view path,
                                                     const http::Fields* fields) const {
  if (by_suffix_.empty()) return std::nullopt;
  const std::size_t longest = suffix_lengths_.rbegin()->first;
  // At least one byte of a name precedes the suffix.
  std::size_t dot = host.find('.', host.size() > longest ? host.size() - longest : 1);
  for (; dot != std::string_view::npos; dot = host.find('.', dot + 1)) {
    const auto routes = by_suffix_.find(host.substr(dot));
    if (routes == by_suffix_.end()) continue;
    if (const auto found = find_in(routes->second, path, fields)) return found;
  }
  return std::nullopt;
}

Result<std::size_t> RouteTable::find(std::string_view host, std::string_view path,
                                     const http::Fields* fields) const {
  const std::string_view name = bare_host(host);
  const std::string_view target_path = bare_path(path);
  std::optional<std::size_t> found;
  if (const auto routes = by_host_.find(name); routes != by_host_.end()) {
    found = find_in(routes->second, target_path, fields);
  }
  if (!found) found = find_wildcard(name, target_path, fields);
  if (!found) found = find_in(any_host_, target_path, fields);
  if (!found) return fail(unknown(name, target_path));
  const RouteEntry& target = entries_[*found];
  if (target.retired) {
    return fail(Error(ErrorKind::kGone, "service " + target.service.text(),
                      "was retired and serves no requests any more", ErrorSide::kDownstream));
  }
  return *found;
}

std::string RouteTable::known() const {
  std::string text;
  std::size_t listed = 0;
  for (const auto& [revision, number] : in_service_) {
    if (++listed > kMaxListedRoutes) break;
    if (!text.empty()) text += ", ";
    text += to_string(entries_[number].route);
  }
  if (in_service_.size() > kMaxListedRoutes) {
    text += " and " + std::to_string(in_service_.size() - kMaxListedRoutes) + " more";
  }
  return text.empty() ? "none" : text;
}

Error RouteTable::unknown(std::string_view host, std::string_view path) const {
  std::string culprit = host.empty() ? "no host" : "host " + shortened(host);
  const bool has_prefixes =
      !any_host_.by_prefix.empty() || !by_suffix_.empty() || by_host_.find(host) != by_host_.end();
  if (has_prefixes) culprit += ", path " + shortened(path);
  return Error(ErrorKind::kNotFound, std::move(culprit), "no service takes it; known: " + known(),
               ErrorSide::kDownstream);
}

}  // namespace bellows::activator
