// Serializes a request of our own clients.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/endpoint.hpp"
#include "base/result.hpp"

namespace bellows::http {

/// One request with a whole body. A given header replaces the default one.
struct ClientRequest {
  std::string method;
  std::string target;  ///< "/path?query"
  std::string body;    ///< JSON if not empty, unless a Content-Type is among the headers
  std::vector<std::pair<std::string, std::string>> headers;
  bool keeps_alive = false;  ///< false: it asks the server to close the connection
};

/// Returns head and body for `endpoint`. A target or header that would split the request is
/// kInvalidSetting.
Result<std::string> to_bytes(const ClientRequest& request, const Endpoint& endpoint);

}  // namespace bellows::http
