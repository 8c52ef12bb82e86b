#include "cli/demo/load.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "http/io/client.hpp"

namespace bellows::cli {

namespace {

constexpr Duration kRequestTimeout = std::chrono::seconds(60);

}  // namespace

Duration LoadRecord::percentile(double fraction) const {
  if (latencies.empty()) return Duration::zero();
  std::vector<Duration> sorted = latencies;
  std::sort(sorted.begin(), sorted.end());
  const auto rank =
      static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

Load::Load(http::net::io_context& io, const sys::Clock& clock, Endpoint target)
    : clock_(clock), target_(std::move(target)), tasks_(io) {}

void Load::send_one() {
  tasks_.spawn("client", [this] { return send(); });
}

void Load::send_from(int clients, TimePoint until) {
  for (int i = 0; i < clients; ++i) {
    tasks_.spawn("client", [this, until] { return send_until(until); });
  }
}

http::Awaitable<void> Load::send_until(TimePoint until) {
  while (clock_.now() < until) co_await send();
}

http::Awaitable<void> Load::send() {
  const TimePoint start = clock_.now();
  ++in_flight_;
  const http::FetchOptions options{.timeout = kRequestTimeout};
  const auto response = co_await http::fetch(target_, "GET", "/", {}, {}, options);
  --in_flight_;
  if (response && response->status / 100 == 2) {
    ++record_.succeeded;
    record_.latencies.push_back(clock_.now() - start);
    co_return;
  }
  ++record_.failed;
  if (record_.first_failure.empty()) {
    record_.first_failure =
        response ? "status " + std::to_string(response->status) + ": " + response->body
                 : to_string(response.error());
  }
}

}  // namespace bellows::cli
