// Probes whether the app accepts requests.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/endpoint.hpp"
#include "config/request_policies.hpp"
#include "http/io/net.hpp"
#include "proxy/io/upstream_pool.hpp"

namespace bellows::queue_proxy {

/// One check of a probe; a probe succeeds if all its checks succeed, one after the other. A check
/// is a GET of an HTTP path, which succeeds with a status of 200 to 399 and any body, as in
/// Kubernetes; a gRPC call of the app's health service; or, with an empty path, a TCP connection.
struct AppCheck {
  Endpoint app;
  std::string path;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::optional<std::string> grpc_service = {};  ///< see check_grpc_health()
};

struct AppProbe {
  std::vector<AppCheck> checks;                ///< not empty
  Duration timeout = std::chrono::seconds(1);  ///< for each check

  Endpoint requests = {};  ///< address where the app accepts requests
  config::AppProtocol protocol = config::AppProtocol::kHttp1;

  const Endpoint& app() const { return checks.front().app; }
  /// Runs the checks. Errors: kRefused (no process listens), kTimeout, kUnavailable (another
  /// status), kMalformed (no HTTP).
  http::Awaitable<Result<void>> run() const;
  /// Returns the version of HTTP that the app speaks: that of `protocol`, or the detected one. Call
  /// it after run() has succeeded: an HTTP check of `requests` has already detected it. Otherwise
  /// the app gets the preface of HTTP/2, which an HTTP/1.1 app may log. Errors: kTimeout (no
  /// answer), kReset (the app closes without an answer, and still listens), and those of a
  /// connection.
  http::Awaitable<Result<proxy::UpstreamVersion>> find_version() const;
};

}  // namespace bellows::queue_proxy
