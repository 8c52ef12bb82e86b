// The route of a service in a bellows.yaml: host, path-prefix, headers and routes. Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/document.hpp"
#include "config/route.hpp"

namespace bellows::config {

/// Takes a problem: its line, the key, and a message with the valid values.
using ReportProblem = std::function<void(int line, const std::string& key, std::string message)>;

struct ReadRoute {
  Route route;
  std::vector<int> lines;  ///< of its rules, in the order of rules_of()
  bool is_valid = true;    ///< false: a problem of it has been reported
};

/// Returns true for the members of a service that read_route() reads.
bool is_route_key(std::string_view key);

/// Reads the members of a service that select its requests:
///   host, path-prefix: a text or a list; each host is combined with each prefix
///   headers: a list of "X-Debug" and "X-Version: 2", or a map
///   routes: a list of maps with these three keys, instead of them
ReadRoute read_route(const DocumentNode& service, const ReportProblem& problem);

}  // namespace bellows::config
