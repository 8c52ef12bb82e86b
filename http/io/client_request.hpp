// A request of our own clients as bytes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/endpoint.hpp"
#include "base/result.hpp"

namespace bellows::http {

/// One request with a whole body. A header that is given replaces the one that is sent by default.
struct ClientRequest {
  std::string method;
  std::string target;  ///< "/path?query"
  std::string body;    ///< JSON if not empty, unless a Content-Type is among the headers
  std::vector<std::pair<std::string, std::string>> headers;
  bool keeps_alive = false;  ///< otherwise it asks the server to close the connection
};

/// Head and body for `endpoint`. kInvalidSetting: a target or header that would split the request.
Result<std::string> to_bytes(const ClientRequest& request, const Endpoint& endpoint);

}  // namespace bellows::http
