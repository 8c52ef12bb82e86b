#include "recommender/service/prometheus_source.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "http/io/client.hpp"

namespace bellows::recommender {

namespace {

/// Eight days of a thousand containers with a sample an hour are about 10 MB.
constexpr std::size_t kMaxBody = std::size_t{512} * 1024 * 1024;
/// Prometheus returns at most 11,000 points per series.
constexpr std::int64_t kMaxPoints = 10'000;

tl::unexpected<Error> from(const std::string& source, Error cause) {
  return fail(Error(cause.kind(), source, "cannot be read").caused_by(std::move(cause)));
}

}  // namespace

PrometheusSource::PrometheusSource(config::PrometheusSettings settings, Duration interval)
    : settings_(std::move(settings)),
      interval_(
          std::max(std::chrono::floor<std::chrono::seconds>(interval), std::chrono::seconds(1))) {}

std::string PrometheusSource::name() const {
  return "prometheus " + to_string(settings_.endpoint);
}

http::Awaitable<Result<std::vector<Observation>>> PrometheusSource::read(WallTime now) {
  const bool is_history = !read_to_;
  QueryRange range{
      .from = now - settings_.history_length, .to = now, .step = settings_.history_resolution};
  if (!is_history) {
    range.step = interval_;
    range.from = std::max(*read_to_ + range.step, now - range.step * kMaxPoints);
  }
  if (range.from > range.to) co_return std::vector<Observation>();
  const Duration timeout = is_history ? settings_.history_timeout : settings_.timeout;
  std::vector<Observation> all;
  for (const Resource resource : {Resource::kCpu, Resource::kMemory}) {
    auto response = co_await query(resource, range, timeout);
    if (!response) co_return from(name(), std::move(response).error());
    all.insert(all.end(), response->begin(), response->end());
  }
  std::ranges::stable_sort(all, {}, &Observation::at);
  // Ends at the last point of the range, whether or not it had a sample.
  read_to_ = range.from + (range.to - range.from) / range.step * range.step;
  co_return all;
}

http::Awaitable<Result<std::vector<Observation>>> PrometheusSource::query(Resource resource,
                                                                          QueryRange range,
                                                                          Duration timeout) {
  const http::FetchOptions options{.timeout = timeout, .max_body_bytes = kMaxBody};
  std::vector<std::pair<std::string, std::string>> headers;
  const auto response =
      co_await http::fetch(settings_.endpoint, "GET", range_query(settings_, resource, range),
                           std::string(), std::move(headers), options);
  if (!response) co_return fail(response.error());
  // Prometheus' own errors are JSON; a proxy in between may respond with anything.
  if (response->status / 100 != 2 && !response->body.starts_with('{')) {
    co_return fail(ErrorKind::kUnavailable, "status " + std::to_string(response->status),
                   "want 200 from /api/v1/query_range");
  }
  co_return parse_range_response(settings_, resource, response->body);
}

}  // namespace bellows::recommender
