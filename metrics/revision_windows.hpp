// What all sources of one revision said, as load over the stable and the panic window.
//
// The rules.
//  1. Seconds. A stat is booked at its end, now - age, into the whole second of our time line that
//     holds it. The window at `now` is the second of `now` and the n - 1 before it.
//  2. A missing second is unknown, not zero: a source's mean is over the seconds it reported.
//  3. Life. A source lived in every second it reported; in the seconds between two of its reports
//     that are not further apart than dead_after; and, while its last report is not older than
//     dead_after, up to now. A longer silence is no life: as far as we know it carried nothing. A
//     restart (another boot) within dead_after goes on with the same life.
//  4. Span. The seconds of the window in which at least one source lived. A second in which nobody
//     lived is unknown, not idle, and left out.
//  5. total = sum over sources (mean * life) / span.
//     A source that is alive but has no report inside a short window counts with its last report.
//  6. An activator is a source like any other for the load, but never counted as a pod.
//  7. A source is an observed pod while its last report is not older than dead_after. Its past load
//     stays in the seconds it lived in and leaves the window with them.
//
// Example: window 10 s, dead_after 3 s, now in second 9.
//   Pod a reported 8 in each second 0 to 9, but the report of second 4 was lost.
//   Pod b reported 6 in the seconds 2, 3, 4 and was killed.
//   Activator c reported 20, 10, 0 in the seconds 1, 2, 3; nothing waits there any more.
//     a: mean 8, life 10.   b: mean 6, life 3.   c: mean 10, life 3.   span 10.
//     total = (80 + 18 + 30) / 10 = 12.8, observed pods 1 (a),
//     per_pod = (9 * 8 + 3 * 6) / 12 = 7.5, known 10 s, covered 10 s.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "metrics/pod_window.hpp"
#include "metrics/second_ring.hpp"
#include "metrics/seen_sequences.hpp"
#include "metrics/stat.hpp"

namespace bellows::metrics {

/// What became of one stat.
enum class Booking : std::uint8_t {
  kBooked,
  kDuplicate,   ///< this (pod, boot, sequence) was booked before
  kTooOld,      ///< ended before the stable window began
  kFromFuture,  ///< ends more than a second after now
  kNoRoom,      ///< kMaxSources names are known already
};
inline constexpr std::size_t kBookings = 5;

/// The load over one window. Numbers are over the seconds that are known (see the rules).
struct WindowView {
  Concurrency total = 0;           ///< requests in flight in the whole revision
  Concurrency per_pod = 0;         ///< mean over all seconds that replicas reported; no activators
  PodCount pods = 0;               ///< replicas observed now
  std::int32_t known_seconds = 0;  ///< in which at least one source reported
  std::int32_t covered_seconds = 0;       ///< in which at least one source lived: the span
  Duration newest_age = Duration::max();  ///< of the newest report; max: there is none
};

/// The newest report of one source.
struct PodReading {
  PodName pod;
  StatSource source = StatSource::kReplica;
  Concurrency concurrency = 0;
  Concurrency peak = 0;
  std::uint64_t requests = 0;
  TimePoint end;  ///< of its second
};

/// Owner: one decider. Pure. `now` never goes back; an earlier one counts as the latest one seen.
/// Costs: record O(1), average O(sources); 1.7 KB per source at 60 s. Allocates only for a source
/// it did not know.
class RevisionWindows {
 public:
  static constexpr std::size_t kMaxSources = 20'000;

  /// Spans are rounded up to whole seconds; 1 s <= panic <= stable.
  RevisionWindows(Duration stable, Duration panic, Duration dead_after = std::chrono::seconds(3));

  /// Books one stat of this revision (its name is not looked at). Replays and duplicates are
  /// welcome. An end up to one second in the future is booked at now.
  Booking record(const Stat& stat, TimePoint now);

  WindowView average(Window window, TimePoint now);

  /// The newest report of this source, however old, as long as the stable window holds any of it.
  std::optional<PodReading> latest(const PodName& pod) const;

  /// The replicas observed now, in no order.
  std::vector<PodReading> pods(TimePoint now) const;

  /// End of the newest second in which any source had load (a request in flight or arriving), even
  /// if it left the windows; nothing if there never was one.
  std::optional<TimePoint> last_load() const { return last_load_; }

  /// How many stats ended up how.
  std::uint64_t count(Booking booking) const { return counts_[static_cast<std::size_t>(booking)]; }

  /// Other window lengths from now on; what both can hold is kept.
  void resize(Duration stable, Duration panic);

 private:
  struct Source {
    PodReading newest;
    std::uint64_t newest_boot = 0;
    std::uint64_t newest_sequence = 0;
    SeenSequences seen;
    PodWindow window;
  };
  struct SeenSeconds {  // of the revision: 1 if any source did, and the sums over a window
    std::int32_t known = 0;
    std::int32_t covered = 0;
    SeenSeconds& operator+=(const SeenSeconds& other) {
      known += other.known;
      covered += other.covered;
      return *this;
    }
    SeenSeconds& operator-=(const SeenSeconds& other) {
      known -= other.known;
      covered -= other.covered;
      return *this;
    }
  };

  Booking book(const Stat& stat, TimePoint now);
  Source* source_of(const Stat& stat);
  void take_newest(Source& source, const Stat& stat, TimePoint end);
  void cover(SecondRange lived, Second reported);
  void forget_gone_sources();
  void advance(TimePoint now);
  bool is_alive(const Source& source, TimePoint now) const;
  double load_seconds(const Source& source, Window window, bool alive) const;
  std::int32_t uncovered_after(Second second, Window window) const;

  Duration dead_after_;
  TimePoint now_{Duration::min()};
  SecondRing<SeenSeconds> seconds_;
  std::vector<Source> sources_;
  std::unordered_map<PodName, std::uint32_t> index_;  // into sources_
  std::optional<TimePoint> newest_end_;
  std::optional<TimePoint> last_load_;
  std::array<std::uint64_t, kBookings> counts_{};
};

}  // namespace bellows::metrics
