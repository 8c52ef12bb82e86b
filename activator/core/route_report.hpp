// Explains which service gets a request: the output of `bellows route-test`. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "config/route.hpp"
#include "config/static_answers.hpp"

namespace bellows::activator {

struct RoutedRevision {
  RevisionId id;
  std::int32_t share = 0;  ///< percent of the service's requests
  std::vector<std::string> tags = {};
};

/// Local replies of Bellows for a service, by the settings of the revision with the largest share.
struct OwnAnswers {
  std::string probe_user_agents = {};  ///< separated by commas
  std::string probe_paths = {};
  std::vector<config::StaticAnswer> static_answers = {};
};

struct RoutedService {
  RevisionId name;
  config::Route route;
  std::vector<RoutedRevision> revisions;
  OwnAnswers own = {};
};

/// A request as a user specifies it.
struct TestRequest {
  std::string method = "GET";
  std::string host;  ///< with or without port
  std::string path = "/";
  std::vector<std::string> header_lines = {};  ///< "X-Version: 2"
};

struct RouteReport {
  bool is_taken = false;  ///< a service gets it, or Bellows answers by that service's settings
  std::vector<std::string> lines;
};

/// Queries a RouteTable of these services, and the code that makes local replies, so the result is
/// what the activator does. The head is parsed as a caller's head is; a malformed one is
/// kMalformed.
Result<RouteReport> route_report(const std::vector<RoutedService>& services,
                                 const TestRequest& request);

}  // namespace bellows::activator
