#include "autoscaler/core/load/load_windows.hpp"

#include <algorithm>

namespace bellows::autoscaler {
namespace {

using config::RevisionSettings;
using metrics::Window;

WindowLoad load_of(const metrics::WindowView& view, bool as_knative) {
  return {.total = as_knative ? view.knative_mean : view.total,
          .per_pod = view.per_pod,
          .covered_seconds = view.covered_seconds,
          .queued = view.queued};
}

std::int32_t whole_seconds(Duration duration) {
  return static_cast<std::int32_t>(duration / std::chrono::seconds(1));
}

}  // namespace

LoadWindows::AveragingConfig LoadWindows::averaging_config(const RevisionSettings& settings) {
  const bool is_normalized = settings.aggregation == config::Aggregation::kWeightedExponential &&
                             settings.rules.weighted_mean == config::WeightedMean::kNormalized;
  return {
      .stable = settings.window,
      .panic = settings.panic_window(),
      .measure = {.metric = settings.metric,
                  .aggregation = settings.aggregation,
                  .weighted_mean = settings.rules.weighted_mean,
                  .rounding = settings.rules.average_rounding},
      .uses_collector = settings.rules.average_rounding == config::AverageRounding::kSixDecimals &&
                        !is_normalized,
      .uses_points = settings.profile == config::Profile::kSeed,
  };
}

LoadWindows::LoadWindows(const RevisionSettings& settings, Duration dead_after)
    : config_(averaging_config(settings)), sources_(config_.stable, config_.panic, dead_after) {
  sources_.measure_by(config_.measure);
  choose_arithmetic();
}

void LoadWindows::choose_arithmetic() {
  if (!config_.uses_collector) scraped_.reset();
  if (!config_.uses_points) points_.reset();
  if (config_.uses_collector && !scraped_) {
    const config::Aggregation aggregation = config_.measure.aggregation;
    scraped_.emplace(
        Scraped{metrics::knative::Collector(config_.stable, config_.panic, aggregation)});
  }
  if (config_.uses_points && !points_) points_.emplace(config_.stable, config_.panic);
}

void LoadWindows::follow(const RevisionSettings& settings, TimePoint now) {
  const AveragingConfig before = config_;
  config_ = averaging_config(settings);
  if (config_.stable != before.stable || config_.panic != before.panic) {
    sources_.resize(config_.stable, config_.panic);
    if (scraped_) {
      scrape(now);
      scraped_->collector.resize(config_.stable, config_.panic, now);
    }
    if (points_) points_->resize(config_.stable, config_.panic);
  }
  if (config_.measure != before.measure) {
    sources_.measure_by(config_.measure);
    if (scraped_) scraped_->collector.set_aggregation(config_.measure.aggregation);
  }
  choose_arithmetic();
}

metrics::RecordResult LoadWindows::record(const metrics::Stat& stat, TimePoint now) {
  const metrics::RecordResult booking = sources_.record(stat, now);
  if (booking != metrics::RecordResult::kRecorded || !(scraped_ || points_)) return booking;
  const bool is_peak = config_.measure.aggregation == config::Aggregation::kPeak;
  const Amounts amounts{
      .concurrency = is_peak ? std::max(stat.peak, stat.concurrency) : stat.concurrency,
      .requests = static_cast<double>(stat.requests)};
  if (scraped_) {
    scrape(now);
    scraped_->scrape.record(stat.pod, amounts, std::min(now, now - stat.age));
  }
  add_point(stat, amounts, now);
  return booking;
}

metrics::RecordResult LoadWindows::record(const metrics::Stat& stat, const Amounts& amounts,
                                          TimePoint now) {
  const metrics::RecordResult booking = sources_.record(stat, now);
  if (booking != metrics::RecordResult::kRecorded) return booking;
  if (scraped_) scraped_->collector.record(now, amounts.concurrency, amounts.requests);
  add_point(stat, amounts, now);
  return booking;
}

void LoadWindows::scrape(TimePoint now) {
  while (const auto sum = scraped_->scrape.take(now)) {
    scraped_->collector.record(sum->at, sum->amounts.concurrency, sum->amounts.requests);
  }
}

void LoadWindows::add_point(const metrics::Stat& stat, const Amounts& amounts, TimePoint now) {
  // In 2018 only replicas reported.
  if (!points_ || stat.source != metrics::StatSource::kReplica) return;
  const bool is_rps = config_.measure.metric == config::Metric::kRps;
  points_->record(std::min(now, now - stat.age), stat.pod,
                  is_rps ? amounts.requests : amounts.concurrency);
}

/// Rates, peaks and weighted means are those of the known seconds.
bool LoadWindows::is_as_knative() const {
  return config_.measure.metric == config::Metric::kConcurrency &&
         config_.measure.aggregation == config::Aggregation::kLinear;
}

Observation LoadWindows::view(TimePoint now) {
  if (scraped_) scrape(now);
  const metrics::WindowView stable = sources_.average(Window::kStable, now);
  const metrics::WindowView panic = sources_.average(Window::kPanic, now);
  Observation seen;
  seen.stable = load_of(stable, is_as_knative());
  seen.panic = load_of(panic, is_as_knative());
  seen.newest = sources_.newest_load(now);
  seen.stable_rate = stable.requests;
  seen.panic_rate = panic.requests;
  seen.observed = stable.pods;
  seen.in_window = stable.pods_in_window;
  const auto last_load = sources_.last_load();
  if (last_load) seen.idle_for = std::max(Duration::zero(), now - *last_load);
  if (scraped_) read_collector(seen, now);
  if (points_) read_points(seen, now);
  return seen;
}

void LoadWindows::read_collector(Observation& seen, TimePoint now) {
  const config::Metric metric = config_.measure.metric;
  const bool is_empty = scraped_->collector.is_empty(now);
  seen.stable.total = scraped_->collector.stable(metric, now);
  seen.panic.total = scraped_->collector.panic(metric, now);
  // IdleTimes are zeros, so all of a window is known as soon as there is anything in it.
  seen.stable.covered_seconds = is_empty ? 0 : whole_seconds(config_.stable);
  seen.panic.covered_seconds = is_empty ? 0 : whole_seconds(config_.panic);
}

void LoadWindows::read_points(Observation& seen, TimePoint now) {
  const metrics::PodPoints::View stable = points_->view(Window::kStable, now);
  const metrics::PodPoints::View panic = points_->view(Window::kPanic, now);
  seen.in_window = stable.pods;
  seen.stable.per_pod = stable.mean;
  seen.panic.per_pod = panic.mean;
  seen.stable.covered_seconds = stable.is_empty ? 0 : whole_seconds(config_.stable);
  seen.panic.covered_seconds = panic.is_empty ? 0 : whole_seconds(config_.panic);
}

}  // namespace bellows::autoscaler
