#include "queue-proxy/service/app_probe.hpp"

#include <utility>
#include <vector>

#include "http/io/client.hpp"

namespace bellows::queue_proxy {

http::Awaitable<Result<void>> AppProbe::run() const {
  if (path.empty()) co_return co_await http::probe_tcp(app, timeout);
  // A variable, because g++ 12 cannot compile an initializer list within co_await.
  std::vector<std::pair<std::string, std::string>> headers;
  headers.emplace_back("User-Agent", "kube-probe/bellows");
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

}  // namespace bellows::queue_proxy
