// Routing: which revision a request is for. Changed route by route, read for every request.
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
#include "config/service.hpp"

namespace bellows::activator {

struct RouteEntry {
  RevisionId revision;
  config::Route route;
  bool retired = false;

  bool operator==(const RouteEntry&) const = default;
};

/// The most specific route wins: one with the request's host before one that takes any host, then
/// the longest path prefix. Hosts are compared without case, port and trailing dot; prefixes as
/// written, whole segments only ("/api" matches "/api" and "/api/x", not "/apix").
/// Of two revisions with the same route, one in service wins over a retired one, then the first by
/// name.
///
/// A lookup costs one hash of the host, plus one per path segment if that host has prefixes; it
/// does not depend on the number of revisions and allocates only to report an error. A change costs
/// O(log revisions). Pure.
class RouteTable {
 public:
  RouteTable() = default;
  /// Adds all; their numbers are their positions.
  explicit RouteTable(const std::vector<RouteEntry>& entries);
  RouteTable(const RouteTable&) = delete;
  RouteTable& operator=(const RouteTable&) = delete;

  /// Returns the number that find() returns for it: one that was removed, or the next one.
  std::size_t add(RouteEntry entry);
  void change(std::size_t number, RouteEntry entry);
  void remove(std::size_t number);

  /// The number of the revision that the request is for. `host` is the Host header
  /// as received, `path` the request target in origin form (a query is ignored). kNotFound with the
  /// requested route and some known ones; kGone if the revision is retired. The side of both errors
  /// is the downstream.
  Result<std::size_t> find(std::string_view host, std::string_view path) const;

 private:
  // The hashes are not noexcept, so that libstdc++ stores the hash of each key. Otherwise it would
  // compute the hash of every key in a bucket again, which costs more the fuller the table is.
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

  /// The revisions with one route: nearly always one.
  struct Holders {
    std::optional<std::size_t> first;  // nullopt: none
    std::vector<std::size_t> others;   // in the order in which they would be first
  };

  /// The routes of one host (or of any host).
  struct PrefixRoutes {
    Holders without_prefix;
    std::unordered_map<std::string, Holders, ExactHash, std::equal_to<>> by_prefix;
    std::map<std::size_t, std::size_t> lengths;  // of the prefixes: how many have each

    bool empty() const { return !without_prefix.first && by_prefix.empty(); }
    std::optional<std::size_t> find(std::string_view path) const;
  };

  void insert(std::size_t number);
  void erase(std::size_t number);
  void add_holder(Holders& holders, std::size_t number) const;
  static void remove_holder(Holders& holders, std::size_t number);
  bool is_before(std::size_t a, std::size_t b) const;
  std::string known() const;
  Error unknown(std::string_view host, std::string_view path) const;

  std::unordered_map<std::string, PrefixRoutes, FoldedHash, FoldedEqual> by_host_;
  PrefixRoutes any_host_;
  std::vector<RouteEntry> entries_;  // by number
  std::vector<std::size_t> free_;    // numbers of removed ones
  // For error messages: revision and number of those in service.
  std::set<std::pair<RevisionId, std::size_t>> in_service_;
};

}  // namespace bellows::activator
