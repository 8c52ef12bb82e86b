// Probes whether the app accepts requests.
#pragma once

#include <string>

#include "base/endpoint.hpp"
#include "http/io/net.hpp"

namespace bellows::queue_proxy {

/// How to probe: a GET of an HTTP path, which succeeds with a status of 200 to 399 as in
/// Kubernetes, whatever its body is; or, with an empty path, a TCP connection.
struct AppProbe {
  Endpoint app;
  std::string path;
  Duration timeout = std::chrono::seconds(1);

  /// Errors: kRefused (no process listens), kTimeout, kUnavailable (another status), kMalformed (no
  /// HTTP).
  http::Awaitable<Result<void>> run() const;
};

}  // namespace bellows::queue_proxy
