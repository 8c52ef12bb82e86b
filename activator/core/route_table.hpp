// Routing: finds the revision of a request. Routes change one by one; every request reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "config/route.hpp"
#include "http/core/head.hpp"

namespace bellows::activator {

struct RouteEntry {
  RevisionId revision;
  config::RouteRule route;
  bool retired = false;
  RevisionId service = {};  ///< the culprit of the error of a retired one

  bool operator==(const RouteEntry&) const = default;
};

/// Returns true if `a` is checked before `b` of two rules that both match a request: the more
/// specific one, in a total order. The exact host is first, then the longer wildcard, then any
/// host; for the same host the longer path prefix; then more conditions on headers, then more of
/// them on a value, then the alphabetical order of the conditions.
bool is_before(const config::RouteRule& a, const config::RouteRule& b);

/// Returns the reason: "an exact host is before a wildcard". It is empty if they are equal.
std::string_view why_before(const config::RouteRule& a, const config::RouteRule& b);

/// The most specific matching route wins, in the order of is_before(). Hosts are compared without
/// case, port and trailing dot; prefixes as written, whole segments only ("/api" matches "/api" and
/// "/api/x", not "/apix"); values of header fields as written. Of two revisions with the same
/// route, one in service wins over a retired one, then the first by name.
///
/// A lookup costs one hash of the host, plus one per path segment if that host has prefixes, one
/// per label of a host that has no exact route if there are wildcards, and one look through the
/// fields per condition of the routes at that host and prefix. It does not depend on the number of
/// revisions and allocates only to report an error. A change costs O(log revisions). Pure.
class RouteTable {
 public:
  RouteTable() = default;
  /// Adds all entries; their numbers are their positions.
  explicit RouteTable(const std::vector<RouteEntry>& entries);
  RouteTable(const RouteTable&) = delete;
  RouteTable& operator=(const RouteTable&) = delete;

  /// Returns the number that find() returns for it: that of a removed one, or the next one.
  std::size_t add(RouteEntry entry);
  void change(std::size_t number, RouteEntry entry);
  void remove(std::size_t number);

  /// Returns the number of the revision of the request. `host` is the Host header as received,
  /// `path` the request target in origin form (a query is ignored), `fields` the lines of its head
  /// or nullptr. Errors: kNotFound with the requested route and some known ones; kGone if the
  /// revision is retired. The side of both errors is the downstream.
  Result<std::size_t> find(std::string_view host, std::string_view path,
                           const http::Fields* fields = nullptr) const;

 private:
  // The hashes are not noexcept, so that libstdc++ stores the hash of each key. Otherwise it would
  // compute the hash of every key in a bucket again, which costs more as the table fills.
  struct FoldedHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const;  // NOLINT: see above
  };
  struct FoldedEqual {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const noexcept;
  };
  struct ExactHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {  // NOLINT: see above
      return std::hash<std::string_view>()(text);
    }
  };

  /// The routes at one host and prefix, in the order in which they are checked: nearly always one.
  struct Holders {
    std::optional<std::size_t> first;  // nullopt: none
    bool is_conditional = false;       // the first one has header conditions
    std::vector<std::size_t> others;
  };

  /// The routes of one host (or of any host).
  struct PrefixRoutes {
    Holders without_prefix;
    std::unordered_map<std::string, Holders, ExactHash, std::equal_to<>> by_prefix;
    std::map<std::size_t, std::size_t> lengths;  // lengths of the prefixes, with their counts

    bool empty() const { return !without_prefix.first && by_prefix.empty(); }
  };
  using ByName = std::unordered_map<std::string, PrefixRoutes, FoldedHash, FoldedEqual>;

  void insert(std::size_t number);
  void erase(std::size_t number);
  void add_holder(Holders& holders, std::size_t number) const;
  void remove_holder(Holders& holders, std::size_t number) const;
  std::optional<std::size_t> find_in(const PrefixRoutes& routes, std::string_view path,
                                     const http::Fields* fields) const;
  std::optional<std::size_t> find_wildcard(std::string_view host, std::string_view path,
                                           const http::Fields* fields) const;
  std::optional<std::size_t> first_match(const Holders& holders, const http::Fields* fields) const;
  bool is_before(std::size_t a, std::size_t b) const;
  std::string known() const;
  Error unknown(std::string_view host, std::string_view path) const;

  ByName by_host_;
  ByName by_suffix_;                                   // of wildcards: ".example.org"
  std::map<std::size_t, std::size_t> suffix_lengths_;  // lengths of the suffixes, with their counts
  PrefixRoutes any_host_;
  std::vector<RouteEntry> entries_;  // indexed by number
  std::vector<std::size_t> free_;    // numbers of removed ones
  // Revision and number of those in service, for error messages.
  std::set<std::pair<RevisionId, std::size_t>> in_service_;
};

}  // namespace bellows::activator
