#include "activator/service/replica_prober.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/sys/log.hpp"
#include "http/io/client.hpp"

namespace bellows::activator {
namespace {

http::Awaitable<void> run_probe(Endpoint replica, std::function<void(bool)> ended) {
  std::vector<std::pair<std::string, std::string>> headers;
  headers.emplace_back("K-Network-Probe", "queue");
  headers.emplace_back("User-Agent", "Knative-Activator-Probe");
  const http::FetchOptions options{.timeout = kProbeTimeout, .max_body_bytes = 4096};
  const auto response =
      co_await http::fetch(replica, "GET", "/healthz", {}, std::move(headers), options);
  ended(response && response->status == 200 && response->body == "queue");
}

}  // namespace

void ReplicaProber::probe(Endpoint replica, std::function<void(bool)> ended) {
  probes_.spawn("probe " + to_string(replica),
                [replica, ended = std::move(ended)] { return run_probe(replica, ended); });
}

http::Awaitable<void> ReplicaProber::stop(TimePoint deadline) {
  probes_.stop();
  const auto joined = co_await probes_.join(deadline);
  if (!joined) sys::log::warning("probe still running", {{"error", to_string(joined.error())}});
}

}  // namespace bellows::activator
