#include "queue-proxy/service/app_probe.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "http/core/head.hpp"
#include "http/io/client.hpp"
#include "queue-proxy/service/http2_check.hpp"

namespace bellows::queue_proxy {

namespace {

http::Awaitable<Result<void>> run_check(const AppCheck& check, Duration timeout) {
  const auto& [app, path, own_headers, grpc_service] = check;
  if (grpc_service) co_return co_await check_grpc_health(app, *grpc_service, timeout);
  if (path.empty()) co_return co_await http::probe_tcp(app, timeout);
  // A variable, because g++ 12 cannot compile an initializer list within co_await.
  std::vector<std::pair<std::string, std::string>> headers = own_headers;
  const bool has_agent = std::ranges::any_of(headers, [](const auto& header) {
    return http::equals_ignore_case(header.first, "User-Agent");
  });
  if (!has_agent) headers.emplace_back("User-Agent", "kube-probe/bellows");
  const http::FetchOptions options{
      .timeout = timeout, .max_body_bytes = 64 * 1024, .head_only = true};
  const auto response = co_await http::fetch(app, "GET", path, {}, std::move(headers), options);
  if (!response) co_return fail(response.error());
  if (response->status < 200 || response->status > 399) {
    co_return fail(ErrorKind::kUnavailable, "app " + to_string(app),
                   "answered " + std::to_string(response->status) + " to GET " + path +
                       "; want a status of 200 to 399",
                   ErrorSide::kUpstream);
  }
  co_return Result<void>();
}

/// Returns the version that a successful check of the request port has shown; nullopt if there was
/// none.
std::optional<proxy::UpstreamVersion> version_shown_by(const std::vector<AppCheck>& checks,
                                                       const Endpoint& requests) {
  std::optional<proxy::UpstreamVersion> shown;
  for (const AppCheck& check : checks) {
    if (check.app != requests) continue;
    if (check.grpc_service) return proxy::UpstreamVersion::kHttp2;
    if (!check.path.empty()) shown = proxy::UpstreamVersion::kHttp1;
  }
  return shown;
}

}  // namespace

http::Awaitable<Result<void>> AppProbe::run() const {
  for (const AppCheck& check : checks) {
    const auto succeeded = co_await run_check(check, timeout);
    if (!succeeded) co_return succeeded;
  }
  co_return Result<void>();
}

http::Awaitable<Result<proxy::UpstreamVersion>> AppProbe::find_version() const {
  switch (protocol) {
    case config::AppProtocol::kHttp1:
      co_return proxy::UpstreamVersion::kHttp1;
    case config::AppProtocol::kH2c:
      co_return proxy::UpstreamVersion::kHttp2;
    case config::AppProtocol::kAuto:
      break;
  }
  if (const auto shown = version_shown_by(checks, requests)) co_return *shown;
  Endpoint app = requests;
  const auto version = co_await ask_version(std::move(app), timeout);
  if (version || version.error().kind() != ErrorKind::kReset) co_return version;
  // A process that ends closes the connection too, but then the port is closed as well.
  const auto listens = co_await http::probe_tcp(requests, timeout);
  if (!listens) co_return fail(listens.error());
  co_return version;
}

}  // namespace bellows::queue_proxy
