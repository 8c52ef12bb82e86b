// Reads usage from a Prometheus: its history at the start, then new samples.
#pragma once

#include <optional>
#include <string>

#include "config/recommender_source_settings.hpp"
#include "recommender/service/prometheus_query.hpp"
#include "recommender/service/usage_source.hpp"

namespace bellows::recommender {

/// The first read() requests eight days in steps of an hour, as VPA does; each later one the
/// time since the last sample, at usage-interval, so that an outage of Prometheus or of the network
/// leaves no gap if Prometheus has recorded the samples. Every call has a deadline. Owner: the
/// service. Thread: the io thread.
class PrometheusSource final : public UsageSource {
 public:
  /// `interval` is rounded down to whole seconds, at least one.
  PrometheusSource(config::PrometheusSettings settings, Duration interval);

  std::string name() const override;
  http::Awaitable<Result<std::vector<Observation>>> read(WallTime now) override;

 private:
  http::Awaitable<Result<std::vector<Observation>>> query(Resource resource, QueryRange range,
                                                          Duration timeout);

  const config::PrometheusSettings settings_;
  const Duration interval_;
  std::optional<WallTime> read_to_;
};

}  // namespace bellows::recommender
