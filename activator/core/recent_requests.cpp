#include "activator/core/recent_requests.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "json/writer.hpp"

namespace bellows::activator {

void RecentRequests::add(const RequestEnd& end, TimePoint now) {
  if (!end.has_caller) return;
  const std::int64_t number = now.time_since_epoch() / kSlice;
  Slice& slice = slices_[static_cast<std::size_t>(number) % slices_.size()];
  if (slice.number != number) slice = {.number = number};
  ++slice.requests;
  if (end.status >= 500 || end.is_incomplete) ++slice.errors;
  if (!end.is_tunnel) ++slice.times[metrics::service_time_bucket(end.total)];
}

void RecentRequests::add_to(RecentSum& sum, TimePoint now) const {
  const std::int64_t present = now.time_since_epoch() / kSlice;
  const double elapsed = to_seconds(now.time_since_epoch() % kSlice) / to_seconds(kSlice);
  for (const Slice& slice : slices_) {
    const std::int64_t age = present - slice.number;
    if (slice.requests == 0 || age < 0 || age >= std::ssize(slices_)) continue;
    sum.requests += slice.requests;
    sum.errors += slice.errors;
    for (std::size_t i = 0; i < sum.times.size(); ++i) sum.times[i] += slice.times[i];
    // Of the slice before, the part that lies within the last ten seconds.
    if (age <= 1)
      sum.per_second += slice.requests * (age == 0 ? 1 : 1 - elapsed) / to_seconds(kSlice);
  }
}

std::optional<Duration> RecentSum::percentile(double share) const {
  const auto count = std::accumulate(times.begin(), times.end(), std::uint64_t{0});
  const auto rank = std::max(1.0, std::ceil(share * static_cast<double>(count)));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < times.size(); ++bucket) {
    seen += times[bucket];
    if (static_cast<double>(seen) >= rank)
      return from_seconds(metrics::service_time_seconds(bucket));
  }
  return std::nullopt;
}

std::string RecentSum::json() const {
  if (requests == 0) return {};
  json::Writer out;
  out.number("per_second", std::round(per_second * 10) / 10).integer("errors", errors);
  const auto add = [&](const char* name, double share) {
    if (const auto time = percentile(share))
      out.number(name, std::round(to_seconds(*time) * 1e4) / 10);
  };
  add("p50_ms", 0.5);
  add("p99_ms", 0.99);
  return out.end();
}

}  // namespace bellows::activator
