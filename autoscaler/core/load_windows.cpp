#include "autoscaler/core/load_windows.hpp"

#include <algorithm>

namespace bellows::autoscaler {
namespace {

using config::RevisionSettings;
using metrics::Window;

WindowLoad load_of(const metrics::WindowView& view) {
  return {.total = view.total, .per_pod = view.per_pod, .covered_seconds = view.covered_seconds};
}

std::int32_t whole_seconds(Duration duration) {
  return static_cast<std::int32_t>(duration / std::chrono::seconds(1));
}

}  // namespace

LoadWindows::Way LoadWindows::way_of(const RevisionSettings& settings) {
  return {
      .stable = settings.window,
      .panic = settings.panic_window(),
      .measure = {.metric = settings.metric,
                  .aggregation = settings.aggregation,
                  .weighted_mean = settings.rules.weighted_mean,
                  .rounding = settings.rules.average_rounding},
      .wants_collector = settings.rules.missing_seconds == config::MissingSeconds::kZero,
      .wants_points = settings.rules.observed_load == config::ObservedLoad::kMeanPerPod,
  };
}

LoadWindows::LoadWindows(const RevisionSettings& settings, Duration dead_after)
    : way_(way_of(settings)), sources_(way_.stable, way_.panic, dead_after) {
  sources_.measure_by(way_.measure);
  choose_arithmetic();
}

void LoadWindows::choose_arithmetic() {
  if (!way_.wants_collector) collector_.reset();
  if (!way_.wants_points) points_.reset();
  if (way_.wants_collector && !collector_) {
    collector_.emplace(way_.stable, way_.panic, way_.measure.aggregation);
    collector_->finish_as(way_.measure.weighted_mean, way_.measure.rounding);
  }
  if (way_.wants_points && !points_) points_.emplace(way_.stable, way_.panic);
}

void LoadWindows::follow(const RevisionSettings& settings) {
  const Way before = way_;
  way_ = way_of(settings);
  if (way_.stable != before.stable || way_.panic != before.panic) {
    sources_.resize(way_.stable, way_.panic);
    if (collector_) collector_->resize(way_.stable, way_.panic);
    if (points_) points_->resize(way_.stable, way_.panic);
  }
  if (way_.measure != before.measure) {
    sources_.measure_by(way_.measure);
    if (collector_) collector_->aggregate_as(way_.measure.aggregation);
    if (collector_) collector_->finish_as(way_.measure.weighted_mean, way_.measure.rounding);
  }
  choose_arithmetic();
}

metrics::Booking LoadWindows::record(const metrics::Stat& stat, TimePoint now) {
  const metrics::Booking booking = sources_.record(stat, now);
  if (booking != metrics::Booking::kBooked || !(collector_ || points_)) return booking;
  const bool is_peak = way_.measure.aggregation == config::Aggregation::kPeak;
  const Amounts amounts{
      .concurrency = is_peak ? std::max(stat.peak, stat.concurrency) : stat.concurrency,
      .requests = static_cast<double>(stat.requests)};
  if (collector_) {
    scrape(now);
    scrape_.hear(stat.pod, amounts, std::min(now, now - stat.age));
  }
  add_point(stat, amounts, now);
  return booking;
}

metrics::Booking LoadWindows::record(const metrics::Stat& stat, const Amounts& amounts,
                                     TimePoint now) {
  const metrics::Booking booking = sources_.record(stat, now);
  if (booking != metrics::Booking::kBooked) return booking;
  if (collector_) collector_->record(now, amounts.concurrency, amounts.requests);
  add_point(stat, amounts, now);
  return booking;
}

void LoadWindows::scrape(TimePoint now) {
  const auto sum = scrape_.take(now);
  if (sum) collector_->record(sum->at, sum->amounts.concurrency, sum->amounts.requests);
}

void LoadWindows::add_point(const metrics::Stat& stat, const Amounts& amounts, TimePoint now) {
  // In 2018 only replicas reported.
  if (!points_ || stat.source != metrics::StatSource::kReplica) return;
  const bool is_rps = way_.measure.metric == config::Metric::kRps;
  points_->record(std::min(now, now - stat.age), stat.pod,
                  is_rps ? amounts.requests : amounts.concurrency);
}

LoadView LoadWindows::view(TimePoint now) {
  if (collector_) scrape(now);
  const metrics::WindowView stable = sources_.average(Window::kStable, now);
  const metrics::WindowView panic = sources_.average(Window::kPanic, now);
  LoadView view{.stable = load_of(stable),
                .panic = load_of(panic),
                .newest = sources_.newest_load(now),
                .stable_rate = stable.requests,
                .panic_rate = panic.requests,
                .pods = stable.pods,
                .pods_in_window = stable.pods_in_window,
                .last_load = sources_.last_load()};
  if (collector_) read_collector(view, now);
  if (points_) read_points(view, now);
  return view;
}

void LoadWindows::read_collector(LoadView& view, TimePoint now) {
  const config::Metric metric = way_.measure.metric;
  const bool is_empty = collector_->is_empty(now);
  view.stable.total = collector_->stable(metric, now);
  view.panic.total = collector_->panic(metric, now);
  // Gaps are zeros, so all of a window is known as soon as there is anything in it.
  view.stable.covered_seconds = is_empty ? 0 : whole_seconds(way_.stable);
  view.panic.covered_seconds = is_empty ? 0 : whole_seconds(way_.panic);
}

void LoadWindows::read_points(LoadView& view, TimePoint now) {
  const metrics::PodPoints::View stable = points_->view(Window::kStable, now);
  const metrics::PodPoints::View panic = points_->view(Window::kPanic, now);
  view.pods_in_window = stable.pods;
  view.stable.per_pod = stable.mean;
  view.panic.per_pod = panic.mean;
  view.stable.covered_seconds = stable.is_empty ? 0 : whole_seconds(way_.stable);
  view.panic.covered_seconds = panic.is_empty ? 0 : whole_seconds(way_.panic);
}

}  // namespace bellows::autoscaler
