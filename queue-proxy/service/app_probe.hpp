// Asks the app whether it takes requests.
#pragma once

#include <string>

#include "base/endpoint.hpp"
#include "http/io/net.hpp"

namespace bellows::queue_proxy {

/// How to ask: an HTTP path (a status of 200 to 399 is a yes, as for Kubernetes, whatever body
/// follows: a large page or a stream of events too), or empty: a TCP connection.
struct AppProbe {
  Endpoint app;
  std::string path;
  Duration timeout = std::chrono::seconds(1);

  /// Success, or why not: kRefused (nobody listens), kTimeout, kUnavailable (another status),
  /// kMalformed (no HTTP).
  http::Awaitable<Result<void>> ask() const;
};

}  // namespace bellows::queue_proxy
