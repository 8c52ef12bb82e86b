// Which service gets a request and why, in words: what `bellows route-test` prints. Pure.
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

/// What Bellows answers itself for a service, as the settings of the revision with the largest
/// share have it.
struct OwnAnswers {
  std::string probe_user_agents = {};  ///< commas between them
  std::string probe_paths = {};
  std::vector<config::StaticAnswer> static_answers = {};
};

struct RoutedService {
  RevisionId name;
  config::Route route;
  std::vector<RoutedRevision> revisions;
  OwnAnswers own = {};
};

/// A request as a caller writes it.
struct TestRequest {
  std::string method = "GET";
  std::string host;  ///< with or without port
  std::string path = "/";
  std::vector<std::string> header_lines = {};  ///< "X-Version: 2"
};

struct RouteReport {
  bool is_taken = false;  ///< a service gets it, or Bellows answers as that service's settings say
  std::vector<std::string> lines;
};

/// Asks a RouteTable of these services, and the code that makes local replies, so it says what the
/// activator does. The head is read as a caller's is: kMalformed for one that is none.
Result<RouteReport> route_report(const std::vector<RoutedService>& services,
                                 const TestRequest& request);

}  // namespace bellows::activator
