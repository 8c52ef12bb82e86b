// One small HTTP/1.1 request with a whole answer: probes, scrapes, control calls. A connection per
// call.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/endpoint.hpp"
#include "http/io/net.hpp"
#include "http/io/service_server.hpp"

namespace bellows::http {

struct FetchOptions {
  Duration timeout = std::chrono::seconds(5);  ///< for everything together
  std::size_t max_body_bytes = 16 * 1024 * 1024;
};

/// Sends `method target` with `body` (JSON if not empty) and `headers` to the endpoint. Any status
/// is a Response. kRefused, kTimeout, kReset, kMalformed name the endpoint.
Task<Result<Response>> fetch(Endpoint endpoint, std::string method, std::string target,
                             std::string body = {},
                             std::vector<std::pair<std::string, std::string>> headers = {},
                             FetchOptions options = {});

/// Opens and closes a TCP connection: "does anybody listen".
Task<Result<void>> probe_tcp(Endpoint endpoint, Duration timeout);

}  // namespace bellows::http
