#include "activator/service/replica_prober.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/sys/log.hpp"
#include "http/io/client.hpp"

namespace bellows::activator {
namespace {

/// Interprets a response. A queue-proxy responds 200 "queue", or 503 with its reason; anything else
/// is from something in between.
ProbeResult result_of(const Result<http::Response>& response) {
  if (!response) return ProbeResult::kUnreachable;
  if (response->status == 200 && response->body == "queue") return ProbeResult::kReady;
  const bool is_queue_proxy = std::ranges::any_of(
      response->headers, [](const auto& header) { return header.first == "X-Bellows-Reason"; });
  return is_queue_proxy ? ProbeResult::kNotReady : ProbeResult::kUnreachable;
}

http::Awaitable<void> run_probe(Endpoint replica, Duration timeout,
                                std::function<void(ProbeResult)> ended) {
  std::vector<std::pair<std::string, std::string>> headers;
  headers.emplace_back("K-Network-Probe", "queue");
  headers.emplace_back("User-Agent", "Knative-Activator-Probe");
  const http::FetchOptions options{.timeout = timeout, .max_body_bytes = 4096};
  const auto response =
      co_await http::fetch(replica, "GET", "/healthz", {}, std::move(headers), options);
  ended(result_of(response));
}

}  // namespace

void ReplicaProber::probe(Endpoint replica, Duration timeout,
                          std::function<void(ProbeResult)> ended) {
  probes_.spawn("probe " + to_string(replica), [replica, timeout, ended = std::move(ended)] {
    return run_probe(replica, timeout, ended);
  });
}

http::Awaitable<void> ReplicaProber::stop(TimePoint deadline) {
  probes_.stop();
  const auto joined = co_await probes_.join(deadline);
  if (!joined) sys::log::warning("probe still running", {{"error", to_string(joined.error())}});
}

}  // namespace bellows::activator
