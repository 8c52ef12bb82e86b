// Selects the requests of a service by host, path and header fields. docs/routes.md is the page for
// users. Pure.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bellows::config {

/// A condition on a header field of a request.
struct HeaderMatch {
  std::string name;                       ///< lower case
  std::optional<std::string> value = {};  ///< of one whole line of that name; nullopt: any

  auto operator<=>(const HeaderMatch&) const = default;
};

/// A condition on requests. All parts have to match; an empty part matches everything.
struct RouteRule {
  /// Lower case, without port; "*.example.org" matches each name below example.org, of any depth,
  /// but not example.org itself.
  std::string host;
  std::string path_prefix;                ///< "/api" matches "/api/x" but not "/apix"
  std::vector<HeaderMatch> headers = {};  ///< sorted, none twice

  auto operator<=>(const RouteRule&) const = default;
};

/// The maximum of conditions, because each one costs a scan of the fields of a request.
inline constexpr std::size_t kMaxHeaderMatches = 16;
/// The maximum of rules; each combination of a host and a prefix counts.
inline constexpr std::size_t kMaxRouteRules = 256;

/// The requests that belong to a service. The first rule has its own members, because nearly all
/// services have no other. Empty: all requests.
struct Route {
  std::string host;                       ///< of the first rule
  std::string path_prefix;                ///< of the first rule
  std::vector<HeaderMatch> headers = {};  ///< of the first rule
  std::vector<RouteRule> more = {};       ///< the other rules
  /// The names of a revision that give it its own hosts (tag_rules()).
  std::vector<std::string> tags = {};

  bool operator==(const Route&) const = default;
};

/// Returns the rules of the service, in the order in which they were written.
std::vector<RouteRule> rules_of(const Route& route);
Route route_of(const std::vector<RouteRule>& rules);

/// Returns the rules of a revision by its tags: TAG.HOST for each host of the service that is no
/// wildcard, with the prefix and the conditions of that rule.
std::vector<RouteRule> tag_rules(const Route& route);
/// Returns true if the route has a host that a tag can precede.
bool may_have_tags(const Route& route);

/// Sorts the conditions and removes duplicates, as a rule requires.
void put_in_order(std::vector<HeaderMatch>& headers);

/// Reads "X-Debug" (present) or "X-Version: 2"; kInvalidSetting names the valid forms.
Result<HeaderMatch> read_header_match(std::string_view text);
std::string to_string(const HeaderMatch& match);

/// Returns "shop.example/api (x-version: 2)", "any host".
std::string to_string(const RouteRule& rule);
/// Returns its rules with commas between them.
std::string to_string(const Route& route);
/// Returns "host shop.example and path-prefix /api", for errors.
std::string described(const RouteRule& rule);

}  // namespace bellows::config
