#include "metrics/revision_windows.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.hpp"

namespace bellows::metrics {

namespace {

constexpr Duration kMostAhead = std::chrono::seconds(1);

// Sequence numbers remembered beyond the window: sender and receiver do not cut it alike.
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

bool has_load(const Stat& stat) {
  return stat.concurrency > 0 || stat.peak > 0 || stat.requests > 0;
}

}  // namespace

RevisionWindows::RevisionWindows(Duration stable, Duration panic, Duration dead_after)
    : dead_after_(dead_after), seconds_(lengths_of(stable, panic)) {
  CHECK(dead_after > Duration::zero(), "a source lives between two reports");
}

Booking RevisionWindows::record(const Stat& stat, TimePoint now) {
  const Booking booking = book(stat, now);
  ++counts_[static_cast<std::size_t>(booking)];
  return booking;
}

Booking RevisionWindows::book(const Stat& stat, TimePoint now) {
  advance(now);
  if (stat.age < -kMostAhead) return Booking::kFromFuture;
  if (stat.age > std::chrono::seconds(seconds_.lengths().stable)) return Booking::kTooOld;
  const TimePoint end = std::min(now_ - stat.age, now_);
  const Second second = second_of(end);
  if (!seconds_.holds(second)) return Booking::kTooOld;

  Source* source = source_of(stat);
  if (source == nullptr) return Booking::kNoRoom;
  switch (source->seen.mark(stat.boot, stat.sequence)) {
    case SeenSequences::Answer::kSeen:
      return Booking::kDuplicate;
    case SeenSequences::Answer::kTooFarBack:
      return Booking::kTooOld;
    case SeenSequences::Answer::kNew:
      break;
  }
  source->window.advance(seconds_.head());
  cover(source->window.book(second, to_load_units(stat.concurrency)), second);
  take_newest(*source, stat, end);
  return Booking::kBooked;
}

RevisionWindows::Source* RevisionWindows::source_of(const Stat& stat) {
  const auto known = index_.find(stat.pod);
  if (known != index_.end()) return &sources_[known->second];
  if (sources_.size() >= kMaxSources) forget_gone_sources();
  if (sources_.size() >= kMaxSources) return nullptr;

  const WindowLengths& lengths = seconds_.lengths();
  index_.emplace(stat.pod, static_cast<std::uint32_t>(sources_.size()));
  return &sources_.emplace_back(Source{PodReading{.pod = stat.pod, .end = TimePoint::min()}, 0, 0,
                                       SeenSequences(sequence_span(lengths)),
                                       PodWindow(lengths, whole_seconds(dead_after_))});
}

/// The order among reports of one instant does not depend on which came first.
void RevisionWindows::take_newest(Source& source, const Stat& stat, TimePoint end) {
  if (has_load(stat)) last_load_ = std::max(last_load_.value_or(end), end);
  newest_end_ = std::max(newest_end_.value_or(end), end);
  PodReading& newest = source.newest;
  if (std::tie(newest.end, source.newest_sequence, source.newest_boot) >
      std::tie(end, stat.sequence, stat.boot)) {
    return;
  }
  newest.source = stat.source;
  newest.concurrency = stat.concurrency;
  newest.peak = stat.peak;
  newest.requests = stat.requests;
  newest.end = end;
  source.newest_boot = stat.boot;
  source.newest_sequence = stat.sequence;
}

void RevisionWindows::cover(SecondRange lived, Second reported) {
  for (Second second = lived.first; second <= lived.last; ++second) {
    if (seconds_.at(second).covered == 0) seconds_.add(second, {0, 1});
  }
  if (seconds_.at(reported).known == 0) seconds_.add(reported, {1, 0});
}

WindowView RevisionWindows::average(Window window, TimePoint now) {
  advance(now);
  forget_gone_sources();
  WindowView view;
  double integral = 0;  // of the load over the span, in request-seconds
  PodSeconds replicas;
  Second tail_begin = seconds_.head();
  for (const Source& source : sources_) {
    const bool alive = is_alive(source, now_);
    integral += load_seconds(source, window, alive);
    if (alive) tail_begin = std::min(tail_begin, source.window.newest());
    if (source.newest.source != StatSource::kReplica) continue;
    replicas += source.window.sum(window);
    if (alive) ++view.pods;
  }
  view.known_seconds = seconds_.sum(window).known;
  view.covered_seconds = seconds_.sum(window).covered + uncovered_after(tail_begin, window);
  if (view.covered_seconds > 0) view.total = integral / view.covered_seconds;
  if (replicas.reports > 0) {
    view.per_pod = static_cast<double>(replicas.load) / kLoadUnitsPerRequest / replicas.reports;
  }
  if (newest_end_) view.newest_age = now_ - *newest_end_;
  return view;
}

/// mean * life of one source within the window (rules 3 and 5).
double RevisionWindows::load_seconds(const Source& source, Window window, bool alive) const {
  const PodSeconds& sum = source.window.sum(window);
  const Second since_report = seconds_.head() - source.window.newest();
  const Second tail = alive ? std::min(since_report, seconds_.lengths().of(window)) : 0;
  const double mean = sum.reports > 0
                          ? static_cast<double>(sum.load) / kLoadUnitsPerRequest / sum.reports
                          : source.newest.concurrency;
  return mean * static_cast<double>(sum.lived + tail);
}

/// Seconds of the window behind `second` that only the sources alive now cover, by rule 3.
std::int32_t RevisionWindows::uncovered_after(Second second, Window window) const {
  std::int32_t uncovered = 0;
  const Second oldest = seconds_.head() - seconds_.lengths().of(window) + 1;
  for (Second s = std::max(second + 1, oldest); s <= seconds_.head(); ++s) {
    if (seconds_.at(s).covered == 0) ++uncovered;
  }
  return uncovered;
}

std::optional<PodReading> RevisionWindows::latest(const PodName& pod) const {
  const auto known = index_.find(pod);
  if (known == index_.end()) return std::nullopt;
  return sources_[known->second].newest;
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
  seconds_.advance(second_of(now_));
}

bool RevisionWindows::is_alive(const Source& source, TimePoint now) const {
  return now - source.newest.end <= dead_after_;
}

}  // namespace bellows::metrics
