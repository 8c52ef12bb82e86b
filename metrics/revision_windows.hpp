// The reports of all sources of one revision, as load over the stable and the panic window.
//
// The rules.
//  1. Seconds. A stat is recorded at its end, now - age, in the whole second of the time line that
//     holds it. The window at `now` is the second of `now` and the n - 1 before it.
//  2. A missing second is unknown, not zero: a source's mean is over the seconds it reported. Only
//     knative_mean, which decides about requests in flight, takes it for zero (rule 10).
//  3. Life. A source lived in every second it reported; in the seconds between two of its reports
//     that are not further apart than dead_after; and, while its last report is not older than
//     dead_after, up to now. A longer time without reports is no life: the source is taken to carry
//     nothing. A restart (another boot) within dead_after continues the same life.
//  4. Span. The seconds of the window in which at least one source lived. A second in which none
//     lived is unknown, not idle, and left out.
//  5. total = sum over sources (mean * life) / span.
//     A source that is alive but has no report inside a short window counts with its last report.
//  6. An activator is a source like any other for the load, but never counted as a pod.
//  7. A source is an observed pod while its last report is not older than dead_after. Its past load
//     stays in the seconds it lived in and leaves the window with them.
//
//  8. What is averaged is a measure (measure_by), one at a time: requests in flight or requests a
//     second, as the mean of the seconds (linear), as a mean in which a newer second weighs more
//     (weighted-exponential), or as the mean of the seconds' maxima (peak). With weights, every
//     count of seconds above is the sum of their weights instead: the mean over the seconds that
//     were reported, the life and the span. So a steady load is that load from its first second on;
//     asked for raw weights, the sum is not divided by the weights of the span but by those of the
//     whole window, and is too low while the window fills.
//  9. A replica's requests a second are those that arrived. An activator's are those that wait in
//     its queue and should be served within the second: what has passed through is counted at the
//     replica. A maximum within a second is known of requests in flight only; for requests a second
//     peak is linear.
// 10. knative_mean is Knative's mean of the same reports, for requests in flight, linear: the sum
//     of the seconds that are over, by their number. As in scrape.hpp a second that is over has the
//     last report of each source, if that is at most one and a half seconds old at its end; one
//     that arrives after the end of its second is added to it, if the source does not count there
//     yet. So a lost report counts as zero, or as the one before it if that is new enough. The
//     seconds begin with the first that has a report (after a silence of the window: with the first
//     after it; after a resize: with the first that is kept) and end with the newest; one without a
//     report within is zero. 0 until the first second is over. A window of one second is the newest
//     that is over. How often it is read changes nothing.
//
// Example: window 10 s, dead_after 3 s, now in second 9.
//   Pod a reported 8 in each second 0 to 9, but the report of second 4 was lost.
//   Pod b reported 6 in the seconds 2, 3, 4 and was killed.
//   Activator c reported 20, 10, 0 in the seconds 1, 2, 3; nothing waits there any more.
//     a: mean 8, life 10.   b: mean 6, life 3.   c: mean 10, life 3.   span 10.
//     total = (80 + 18 + 30) / 10 = 12.8, observed pods 1 (a),
//     per_pod = (9 * 8 + 3 * 6) / 12 = 7.5, known 10 s, covered 10 s.
//   Weighted, the newest second weighs 1 and each older one 0.39811 of the next newer:
//     a: mean 8, life 1.6613.   b: mean 6, life 0.0156.   c: mean 4.59, life 0.0062.   span 1.6613.
//     total = (8 * 1.6613 + 6 * 0.0156 + 4.59 * 0.0062) / 1.6613 = 8.07: what was long ago hardly
//     counts.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "metrics/measure.hpp"
#include "metrics/pod_window.hpp"
#include "metrics/second_ring.hpp"
#include "metrics/seen_sequences.hpp"
#include "metrics/stat.hpp"

namespace bellows::metrics {

/// Result of recording one stat.
enum class RecordResult : std::uint8_t {
  kRecorded,
  kDuplicate,       ///< this (pod, boot, sequence) was recorded before
  kTooOld,          ///< ended before the stable window began
  kFromFuture,      ///< ends more than a second after now
  kTooManySources,  ///< the number of known sources has reached the limit of count or memory
};
inline constexpr std::size_t kRecordResults = 5;

/// The load over one window. Numbers are over the seconds that are known (see the rules).
struct WindowView {
  Concurrency total = 0;           ///< requests in flight, or per second, of the whole revision
  Concurrency knative_mean = 0;    ///< the same by Knative's average (rule 10)
  Concurrency queued = 0;          ///< the part of `total` that waits in activators
  Concurrency per_pod = 0;         ///< mean over all seconds that replicas reported; no activators
  PodCount pods = 0;               ///< replicas observed now
  PodCount pods_in_window = 0;     ///< replicas that reported within the window
  double requests = 0;             ///< requests that reached replicas, per known second
  std::int32_t known_seconds = 0;  ///< seconds in which at least one source reported
  std::int32_t covered_seconds = 0;       ///< seconds in which at least one source lived: the span
  Duration newest_age = Duration::max();  ///< age of the newest report; max: there is none
};

/// The newest report of one source.
struct PodReading {
  PodName pod;
  StatSource source = StatSource::kReplica;
  Concurrency concurrency = 0;
  Concurrency peak = 0;
  std::uint64_t requests = 0;
  TimePoint end;  ///< end of its second
};

/// `now` never decreases; an earlier one counts as the latest one seen. Costs: record O(1), average
/// O(sources), whatever the measure; 2.9 KB per source at 60 s. It allocates only for a source it
/// did not know, and when the history of one grows longer than a minute. Owner: one decider. Pure.
class RevisionWindows {
 public:
  static constexpr std::size_t kMaxSources = 20'000;
  /// Maximum for all sources of the revision, if each fills its window: 20,000 of them at 5
  /// minutes, 4,000 at an hour.
  static constexpr std::size_t kMaxBytes = std::size_t{512} << 20U;

  /// Spans are rounded up to whole seconds; 1 s <= panic <= stable, which is at least 2 s.
  RevisionWindows(Duration stable, Duration panic, Duration dead_after = std::chrono::seconds(3));

  /// Records one stat of this revision (its name is not checked). Replays and duplicates are
  /// accepted. An end up to one second in the future counts as now.
  RecordResult record(const Stat& stat, TimePoint now);

  /// Returns the load by the current measure, which is initially requests in flight, linear.
  WindowView average(Window window, TimePoint now);

  /// Returns requests in flight, linear, whatever the measure, because burst capacity is counted in
  /// them.
  WindowView concurrency(Window window, TimePoint now);

  /// Sets another measure for all stored reports.
  void measure_by(Measure measure);
  const Measure& measure() const { return measure_; }

  /// Returns the load of the newest second: each source's report of the last one and a half
  /// seconds.
  Concurrency newest_load(TimePoint now) const;

  /// Returns the newest report of this source, however old, as long as the stable window holds any
  /// of it.
  std::optional<PodReading> latest(const PodName& pod) const;

  /// Returns true if this source is a replica that is observed now.
  bool reports(const PodName& pod, TimePoint now) const;

  /// Returns the replicas observed now, in no order.
  std::vector<PodReading> pods(TimePoint now) const;

  /// Returns the end of the newest second in which any source had load (a request in flight or
  /// arriving), even if it left the windows; nullopt if there never was one.
  std::optional<TimePoint> last_load() const { return last_load_; }

  /// Returns how many stats had this result.
  std::uint64_t count(RecordResult booking) const {
    return counts_[static_cast<std::size_t>(booking)];
  }

  /// Sets other window lengths; keeps what both can hold.
  void resize(Duration stable, Duration panic);

 private:
  struct Source {
    PodReading newest;
    std::uint64_t newest_boot = 0;
    std::uint64_t newest_sequence = 0;
    SeenSequences seen;
    PodWindow window;
    // Newest second that includes it (rule 10).
    Second counted_to = std::numeric_limits<Second>::min();
  };
  struct SeenSeconds {  // seconds of the revision: 1 if any source did, and the sums over a window
    std::int32_t known = 0;
    std::int32_t covered = 0;
    LoadUnits load = 0;  // of all sources
    SeenSeconds& operator+=(const SeenSeconds& other) {
      known += other.known;
      covered += other.covered;
      load += other.load;
      return *this;
    }
    SeenSeconds& operator-=(const SeenSeconds& other) {
      known -= other.known;
      covered -= other.covered;
      load -= other.load;
      return *this;
    }
    /// With weights only the covered seconds are used.
    double operator*(double weight) const { return covered * weight; }
    bool operator==(const SeenSeconds&) const = default;
  };

  RecordResult book(const Stat& stat, TimePoint now);
  Source* source_of(const Stat& stat);
  std::size_t max_sources() const;
  void take_newest(Source& source, const Stat& stat, TimePoint end);
  void finish(Second second);
  void add_late(Source& source, Second second, LoadUnits load);
  void add_load(Second second, LoadUnits load);
  void cover(SecondRange lived, Second reported);
  void forget_gone_sources();
  void advance(TimePoint now);
  bool is_alive(const Source& source, TimePoint now) const;
  WindowView view_by(Measure measure, Window window, TimePoint now);
  double mean_of(const Source& source, Measure measure, Window window) const;
  double life_of(const Source& source, Measure measure, Window window, bool alive) const;
  double finished(double mean, double span, Measure measure, Window window) const;
  double span_of(Measure measure, Window window, Second alive_since) const;
  double knative_mean(Window window) const;

  Duration dead_after_;
  Measure measure_;
  TimePoint now_{Duration::min()};
  SecondRing<SeenSeconds> seconds_;
  std::vector<Source> sources_;
  std::unordered_map<PodName, std::uint32_t> index_;  // index in sources_
  // Index of the source that probably reports next, because sources report in nearly the same order
  // each second.
  std::size_t expected_ = 0;
  std::array<SecondRange, 2> added_;  // by window: since the last silence of its length
  std::optional<TimePoint> newest_end_;
  std::optional<TimePoint> last_load_;
  std::array<std::uint64_t, kRecordResults> counts_{};
};

}  // namespace bellows::metrics
