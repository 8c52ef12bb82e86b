// Probes whether the app accepts requests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/endpoint.hpp"
#include "http/io/net.hpp"

namespace bellows::queue_proxy {

/// How to probe: all of `checks` succeed, one after the other. A check is a GET of an HTTP path,
/// which succeeds with a status of 200 to 399 as in Kubernetes, whatever its body is; or, with an
/// empty path, a TCP connection.
struct AppCheck {
  Endpoint app;
  std::string path;
  std::vector<std::pair<std::string, std::string>> headers = {};
};

struct AppProbe {
  std::vector<AppCheck> checks;                ///< not empty
  Duration timeout = std::chrono::seconds(1);  ///< of each

  const Endpoint& app() const { return checks.front().app; }
  /// Errors: kRefused (no process listens), kTimeout, kUnavailable (another status), kMalformed (no
  /// HTTP).
  http::Awaitable<Result<void>> run() const;
};

}  // namespace bellows::queue_proxy
