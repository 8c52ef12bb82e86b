// Routing: which revision a request is for. Rebuilt when routes change, read for every request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
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
/// Of two revisions with the same route, one in service wins over a retired one, then the first.
///
/// A lookup costs one hash of the host, plus one per path segment if that host has prefixes; it
/// does not depend on the number of revisions and allocates only to report an error.
/// Immutable once built.
class RouteTable {
 public:
  RouteTable() = default;
  explicit RouteTable(const std::vector<RouteEntry>& entries);

  /// The position in `entries` of the revision that the request is for. `host` is the Host header
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

  /// The routes of one host (or of any host).
  struct PrefixRoutes {
    std::optional<std::size_t> without_prefix;
    std::unordered_map<std::string, std::size_t, ExactHash, std::equal_to<>> by_prefix;
    std::size_t longest_prefix = 0;

    std::optional<std::size_t> find(std::string_view path) const;
  };

  struct Target {
    RevisionId revision;
    bool retired = false;
  };

  void add(std::size_t position, const RouteEntry& entry);
  Error unknown(std::string_view host, std::string_view path) const;

  std::unordered_map<std::string, PrefixRoutes, FoldedHash, FoldedEqual> by_host_;
  PrefixRoutes any_host_;
  std::vector<Target> targets_;
  std::string known_ = "none";  // for error messages: the first routes, and how many more
};

}  // namespace bellows::activator
