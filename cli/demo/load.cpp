#include "cli/demo/load.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "http/io/client.hpp"

namespace bellows::cli {

namespace {

constexpr Duration kPatience = std::chrono::seconds(60);

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
  tasks_.spawn("visitor", [this] { return visit(); });
}

void Load::crowd(int visitors, TimePoint until) {
  for (int i = 0; i < visitors; ++i) {
    tasks_.spawn("visitor", [this, until] { return visit_until(until); });
  }
}

http::Awaitable<void> Load::visit_until(TimePoint until) {
  while (clock_.now() < until) co_await visit();
}

http::Awaitable<void> Load::visit() {
  const TimePoint start = clock_.now();
  ++in_flight_;
  const http::FetchOptions options{.timeout = kPatience};
  const auto response = co_await http::fetch(target_, "GET", "/", {}, {}, options);
  --in_flight_;
  if (response && response->status / 100 == 2) {
    ++record_.answered;
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
