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

/// How to probe: all of `checks` succeed, one after the other. A check is a GET of an HTTP path,
/// which succeeds with a status of 200 to 399 as in Kubernetes, whatever its body is; or a call of
/// its health service by gRPC; or, with an empty path, a TCP connection.
struct AppCheck {
  Endpoint app;
  std::string path;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::optional<std::string> grpc_service = {};  ///< see check_grpc_health()
};

struct AppProbe {
  std::vector<AppCheck> checks;                ///< not empty
  Duration timeout = std::chrono::seconds(1);  ///< of each

  Endpoint requests = {};  ///< where the app takes requests
  config::AppProtocol protocol = config::AppProtocol::kHttp1;

  const Endpoint& app() const { return checks.front().app; }
  /// Errors: kRefused (no process listens), kTimeout, kUnavailable (another status), kMalformed (no
  /// HTTP).
  http::Awaitable<Result<void>> run() const;
  /// Which version of HTTP the app speaks: by `protocol`, or found out. Call it after run() has
  /// succeeded: a check of `requests` by HTTP has shown it then. Otherwise the app gets the preface
  /// of HTTP/2, which those of HTTP/1.1 may log. Errors: kTimeout (no answer), kReset (the app
  /// closes without an answer, and still listens), and those of a connection.
  http::Awaitable<Result<proxy::UpstreamVersion>> find_version() const;
};

}  // namespace bellows::queue_proxy
