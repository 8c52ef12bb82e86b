#include "metrics/revision_windows.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "base/check.hpp"
#include "metrics/stat_codec.hpp"

namespace bellows::metrics {

namespace {

constexpr Duration kMaxAhead = std::chrono::seconds(1);

// Smaller weights belong to seconds too old to make a difference.
constexpr double kMinWeight = 1e-200;

// An older report tells nothing about the newest second: the source may have ended, and other
// sources report what it carried.
constexpr Duration kNewest = std::chrono::milliseconds(1500);

// Number of sequence numbers remembered beyond the window, because sender and receiver do not bound
// it at the same second.
constexpr Second kSequenceMargin = 64;

Second whole_seconds(Duration span) {
  return std::chrono::ceil<std::chrono::seconds>(span).count();
}

WindowLengths lengths_of(Duration stable, Duration panic) {
  return {whole_seconds(stable), whole_seconds(panic)};
}

std::size_t sequence_span(const WindowLengths& lengths) {
  return static_cast<std::size_t>(lengths.stable + kSequenceMargin);
}

/// Applies rule 9: for an activator the waiting requests count as the requests of the second.
PodAmounts pod_amounts(const Stat& stat) {
  constexpr auto kMaxRequests = static_cast<std::uint64_t>(kMaxConcurrency);
  const LoadUnits load = to_load_units(stat.concurrency);
  const auto requests = static_cast<LoadUnits>(std::min(stat.requests, kMaxRequests));
  return {
      .load = load,
      .peak = stat.peak > stat.concurrency ? to_load_units(stat.peak) : load,
      .rate = stat.source == StatSource::kActivator ? load : requests * kLoadUnitsPerRequest,
  };
}

bool is_weighted(Measure measure) {
  return measure.aggregation == Aggregation::kWeightedExponential;
}

LoadUnits pod_amount(const PodAmounts& amounts, Measure measure) {
  if (measure.metric == Metric::kRps) return amounts.rate;
  return measure.aggregation == Aggregation::kPeak ? amounts.peak : amounts.load;
}

double newest_amount(const PodReading& reading, Measure measure) {
  if (measure.metric == Metric::kRps && reading.source == StatSource::kReplica) {
    return static_cast<double>(reading.requests);
  }
  const bool is_peak =
      measure.metric == Metric::kConcurrency && measure.aggregation == Aggregation::kPeak;
  return is_peak ? reading.peak : reading.concurrency;
}

double weighted_amount(const WeightedPodSeconds& seconds, Measure measure) {
  return measure.metric == Metric::kRps ? seconds.rate : seconds.load;
}

bool has_load(const Stat& stat) {
  return stat.concurrency > 0 || stat.peak > 0 || stat.requests > 0;
}

}  // namespace

RevisionWindows::RevisionWindows(Duration stable, Duration panic, Duration dead_after)
    : dead_after_(dead_after), seconds_(lengths_of(stable, panic)) {
  CHECK(dead_after > Duration::zero(), "a source lives between two reports");
}

RecordResult RevisionWindows::record(const Stat& stat, TimePoint now) {
  const RecordResult booking = book(stat, now);
  ++counts_[static_cast<std::size_t>(booking)];
  return booking;
}

RecordResult RevisionWindows::book(const Stat& stat, TimePoint now) {
  advance(now);
  if (stat.age < -kMaxAhead) return RecordResult::kFromFuture;
  if (stat.age > std::chrono::seconds(seconds_.lengths().stable)) return RecordResult::kTooOld;
  const TimePoint end = std::min(now_ - stat.age, now_);
  const Second second = second_of(end);
  if (!seconds_.holds(second)) return RecordResult::kTooOld;

  Source* source = source_of(stat);
  if (source == nullptr) return RecordResult::kTooManySources;
  switch (source->seen.mark(stat.boot, stat.sequence)) {
    case SeenSequences::Outcome::kSeen:
      return RecordResult::kDuplicate;
    case SeenSequences::Outcome::kTooFarBack:
      return RecordResult::kTooOld;
    case SeenSequences::Outcome::kNew:
      break;
  }
  source->window.advance(seconds_.head());
  const PodAmounts amounts = pod_amounts(stat);
  cover(source->window.record(second, amounts), second);
  add_late(*source, second, amounts.load);
  take_newest(*source, stat, end);
  return RecordResult::kRecorded;
}

RevisionWindows::Source* RevisionWindows::source_of(const Stat& stat) {
  if (expected_ >= sources_.size()) expected_ = 0;
  if (!sources_.empty() && sources_[expected_].newest.pod == stat.pod) {
    return &sources_[expected_++];
  }
  const auto known = index_.find(stat.pod);
  if (known != index_.end()) {
    expected_ = known->second;
    return &sources_[expected_++];
  }
  if (sources_.size() >= max_sources()) forget_gone_sources();
  if (sources_.size() >= max_sources()) return nullptr;

  const WindowLengths& lengths = seconds_.lengths();
  index_.emplace(stat.pod, static_cast<std::uint32_t>(sources_.size()));
  Source& added = sources_.emplace_back(Source{PodReading{.pod = stat.pod, .end = TimePoint::min()},
                                               0, 0, SeenSequences(sequence_span(lengths)),
                                               PodWindow(lengths, whole_seconds(dead_after_))});
  added.window.weigh(seconds_.weighs());
  return &added;
}

/// Returns how many sources fit into kMaxBytes with full windows.
std::size_t RevisionWindows::max_sources() const {
  const WindowLengths& lengths = seconds_.lengths();
  const std::size_t window =
      std::bit_ceil(static_cast<std::size_t>(lengths.stable)) * sizeof(PodSeconds);
  const std::size_t sequences = std::bit_ceil(sequence_span(lengths)) / 8 * SeenSequences::kBoots;
  return std::min(kMaxSources, kMaxBytes / (sizeof(Source) + window + sequences));
}

/// Orders reports of one instant independently of their arrival.
void RevisionWindows::take_newest(Source& source, const Stat& stat, TimePoint end) {
  if (has_load(stat) && !(last_load_ && *last_load_ >= end)) last_load_ = end;
  if (!(newest_end_ && *newest_end_ >= end)) newest_end_ = end;
  PodReading& newest = source.newest;
  const bool is_newer =
      end > newest.end ||
      (end == newest.end &&
       std::tie(stat.sequence, stat.boot) >= std::tie(source.newest_sequence, source.newest_boot));
  if (!is_newer) return;
  newest.source = stat.source;
  newest.concurrency = stat.concurrency;
  newest.peak = stat.peak;
  newest.requests = stat.requests;
  newest.end = end;
  source.newest_boot = stat.boot;
  source.newest_sequence = stat.sequence;
}

/// Applies rule 10, before anything is recorded in a later second.
void RevisionWindows::finish(Second second) {
  const TimePoint end(std::chrono::seconds(second + 1));
  LoadUnits load = 0;
  bool is_reported = false;
  for (Source& source : sources_) {
    if (end - source.newest.end > kNewest) continue;
    is_reported = true;
    source.counted_to = second;
    load += to_load_units(source.newest.concurrency);
  }
  if (is_reported && seconds_.holds(second)) add_load(second, load);
}

/// Adds a report after the end of its second, if that was finished without the source.
void RevisionWindows::add_late(Source& source, Second second, LoadUnits load) {
  if (second >= seconds_.head() || second <= source.counted_to) return;
  source.counted_to = second;
  add_load(second, load);
}

void RevisionWindows::add_load(Second second, LoadUnits load) {
  seconds_.add(second, {0, 0, load});
  for (const Window window : {Window::kStable, Window::kPanic}) {
    auto& [first, last] = added_[static_cast<std::size_t>(window)];
    const bool is_first = last < first || second - last >= seconds_.lengths().of(window);
    first = is_first ? second : std::min(first, second);
    last = is_first ? second : std::max(last, second);
  }
}

void RevisionWindows::cover(SecondRange lived, Second reported) {
  for (Second second = lived.first; second <= lived.last; ++second) {
    if (second != reported && seconds_.at(second).covered == 0) seconds_.add(second, {0, 1});
  }
  const SeenSeconds& before = seconds_.at(reported);
  if (before.known == 0) seconds_.add(reported, {1, before.covered == 0 ? 1 : 0});
}

WindowView RevisionWindows::average(Window window, TimePoint now) {
  return view_by(measure_, window, now);
}

WindowView RevisionWindows::concurrency(Window window, TimePoint now) {
  return view_by({}, window, now);
}

void RevisionWindows::measure_by(Measure measure) {
  measure_ = measure;
  seconds_.weigh(is_weighted(measure));
  for (Source& source : sources_) source.window.weigh(is_weighted(measure));
}

WindowView RevisionWindows::view_by(Measure measure, Window window, TimePoint now) {
  advance(now);
  forget_gone_sources();
  if (is_weighted(measure) && seconds_.weighted(window) < kMinWeight) {
    measure.aggregation = Aggregation::kLinear;
  }
  WindowView view;
  double integral = 0;  // load over the span, in requests times seconds or their weights
  double queued = 0;    // the part of the activators
  PodSeconds replicas;
  Second alive_since = seconds_.head();
  for (const Source& source : sources_) {
    const bool alive = is_alive(source, now_);
    const double load = mean_of(source, measure, window) * life_of(source, measure, window, alive);
    integral += load;
    if (source.newest.source == StatSource::kActivator) queued += load;
    if (alive) alive_since = std::min(alive_since, source.window.newest());
    if (source.newest.source != StatSource::kReplica) continue;
    replicas += source.window.sum(window);
    if (source.window.sum(window).reports > 0) ++view.pods_in_window;
    if (alive) ++view.pods;
  }
  view.known_seconds = seconds_.sum(window).known;
  if (view.known_seconds > 0) {
    const double requests = static_cast<double>(replicas.amounts.rate) / kLoadUnitsPerRequest;
    view.requests = requests / view.known_seconds;
  }
  const double covered = span_of({}, window, alive_since);
  const double span = is_weighted(measure) ? span_of(measure, window, alive_since) : covered;
  view.covered_seconds = static_cast<std::int32_t>(covered);
  if (span > 0) {
    view.total = finished(integral / span, span, measure, window);
    view.queued = finished(queued / span, span, measure, window);
  }
  const bool is_plain =
      measure.metric == Metric::kConcurrency && measure.aggregation == Aggregation::kLinear;
  view.knative_mean = is_plain ? rounded(knative_mean(window), measure.rounding) : view.total;
  if (replicas.reports > 0) {
    const LoadUnits amount = pod_amount(replicas.amounts, measure);
    view.per_pod = static_cast<double>(amount) / kLoadUnitsPerRequest / replicas.reports;
  }
  if (newest_end_) view.newest_age = now_ - *newest_end_;
  return view;
}

/// Finishes a mean. Raw weights are divided by those of the whole window, whatever part of it is
/// known (rule 8).
double RevisionWindows::finished(double mean, double span, Measure measure, Window window) const {
  if (!is_weighted(measure)) return rounded(mean, measure.rounding);
  if (measure.weighted_mean == WeightedMean::kNormalized) return mean;
  return mean * span * newest_weight(seconds_.lengths().of(window));
}

/// Returns the mean of one source over the seconds of the window that it reported (rules 2, 5 and
/// 8).
double RevisionWindows::mean_of(const Source& source, Measure measure, Window window) const {
  const PodSeconds& sum = source.window.sum(window);
  if (sum.reports == 0) return newest_amount(source.newest, measure);
  const LoadUnits amount = pod_amount(sum.amounts, measure);
  if (amount == 0) return 0;
  if (is_weighted(measure)) {
    const WeightedPodSeconds& weighted = source.window.weighted(window);
    if (weighted.reports > kMinWeight) {
      return weighted_amount(weighted, measure) / kLoadUnitsPerRequest / weighted.reports;
    }
  }
  return static_cast<double>(amount) / kLoadUnitsPerRequest / sum.reports;
}

/// Returns the seconds of the window in which one source lived (rule 3), or their weights.
double RevisionWindows::life_of(const Source& source, Measure measure, Window window,
                                bool alive) const {
  const Second since_report = seconds_.head() - source.window.newest();
  const Second tail = alive ? std::min(since_report, seconds_.lengths().of(window)) : 0;
  const std::int32_t lived = source.window.sum(window).lived;
  if (!is_weighted(measure)) return static_cast<double>(lived + tail);
  const double tail_weights =
      (1 - seconds_.weight(window, tail)) / (1 - seconds_.weight(window, 1));
  return (lived > 0 ? source.window.weighted(window).lived : 0) + tail_weights;
}

/// Returns the seconds of the window in which any source lived (rule 4), or their weights. The
/// sources alive now have lived since `alive_since`.
double RevisionWindows::span_of(Measure measure, Window window, Second alive_since) const {
  const bool weighted = is_weighted(measure);
  double span = weighted ? seconds_.weighted(window) : seconds_.sum(window).covered;
  const Second oldest = seconds_.head() - seconds_.lengths().of(window) + 1;
  for (Second s = std::max(alive_since + 1, oldest); s <= seconds_.head(); ++s) {
    if (seconds_.at(s).covered != 0) continue;
    span += weighted ? seconds_.weight(window, seconds_.head() - s) : 1;
  }
  return span;
}

/// Applies rule 10. The second of `now` is not over, so a window of one second is the one before.
double RevisionWindows::knative_mean(Window window) const {
  const auto& [first, last] = added_[static_cast<std::size_t>(window)];
  const Second over = seconds_.head() - 1;
  const Second length = seconds_.lengths().of(window);
  const Second oldest = std::min(over, over - length + 2);
  const Second count = std::min(last, over) - std::max(first, oldest) + 1;
  if (count <= 0) return 0;
  const LoadUnits load = length == 1 ? seconds_.at(over).load : seconds_.sum(window).load;
  return static_cast<double>(load) / kLoadUnitsPerRequest / static_cast<double>(count);
}

Concurrency RevisionWindows::newest_load(TimePoint now) const {
  Concurrency load = 0;
  for (const Source& source : sources_) {
    if (now - source.newest.end <= kNewest) load += newest_amount(source.newest, measure_);
  }
  return load;
}

std::optional<PodReading> RevisionWindows::latest(const PodName& pod) const {
  const auto known = index_.find(pod);
  if (known == index_.end()) return std::nullopt;
  return sources_[known->second].newest;
}

bool RevisionWindows::reports(const PodName& pod, TimePoint now) const {
  const auto known = index_.find(pod);
  if (known == index_.end()) return false;
  const Source& source = sources_[known->second];
  return source.newest.source == StatSource::kReplica && is_alive(source, now);
}

std::vector<PodReading> RevisionWindows::pods(TimePoint now) const {
  std::vector<PodReading> alive;
  for (const Source& source : sources_) {
    if (source.newest.source == StatSource::kReplica && is_alive(source, now)) {
      alive.push_back(source.newest);
    }
  }
  return alive;
}

void RevisionWindows::resize(Duration stable, Duration panic) {
  const WindowLengths lengths = lengths_of(stable, panic);
  if (lengths == seconds_.lengths()) return;
  // The mean of rule 10 begins with what is kept, in both windows. A silence of the previous panic
  // window begins none in the new one.
  const Second kept = std::min(lengths.stable, seconds_.lengths().stable);
  const Second first = std::max(added_.front().first, seconds_.head() - kept + 1);
  for (SecondRange& added : added_) added.first = first;
  seconds_.resize(lengths);
  for (Source& source : sources_) {
    source.window.resize(lengths);
    source.seen.resize(sequence_span(lengths));
  }
}

void RevisionWindows::forget_gone_sources() {
  for (std::size_t i = 0; i < sources_.size();) {
    sources_[i].window.advance(seconds_.head());
    if (!sources_[i].window.is_empty()) {
      ++i;
      continue;
    }
    index_.erase(sources_[i].newest.pod);
    if (i + 1 < sources_.size()) {
      sources_[i] = std::move(sources_.back());
      index_[sources_[i].newest.pod] = static_cast<std::uint32_t>(i);
    }
    sources_.pop_back();
  }
}

void RevisionWindows::advance(TimePoint now) {
  now_ = std::max(now_, now);
  const Second head = second_of(now_);
  const Second before = seconds_.head();
  if (head <= before) return;
  seconds_.advance(head);
  if (sources_.empty()) return;
  // Several seconds may be over since the last call. All known reports ended in `before` or
  // earlier, so none of them counts in a later second than these.
  for (Second over = before; over < std::min(head, before + whole_seconds(kNewest)); ++over) {
    finish(over);
  }
}

bool RevisionWindows::is_alive(const Source& source, TimePoint now) const {
  return now - source.newest.end <= dead_after_;
}

}  // namespace bellows::metrics
