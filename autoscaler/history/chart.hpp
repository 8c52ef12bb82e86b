// Decisions as the columns of a chart, and changes as points with a reason.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/journal/journal_lines.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler::history {

/// Takes the decisions of one revision, oldest first. Decisions within `step` of each other become
/// one column, which keeps the peaks of the load, of waiting requests and of starting replicas.
/// Pure.
class Chart {
 public:
  static constexpr std::size_t kMaxPoints = 500;

  Chart(Duration step, Duration wall_ahead) : step_(step), wall_ahead_(wall_ahead) {}

  /// Sets the decision before the first one; a point is a difference from it.
  void begin_after(const Decision& decision) { remember(decision); }
  void add(const Decision& decision);
  /// Adds the deploys, rollbacks and splits from `from` to `until` among all changes of shares,
  /// oldest first.
  void add_changes(const std::vector<journal::ShareChange>& changes, TimePoint from,
                   TimePoint until);

  /// Returns {"at":[...],"load":[...],...,"decisions":[{...}],"shares":[{...}]}, see
  /// docs/formats/status.md; instants in milliseconds of the calendar; the last kMaxPoints
  /// decisions.
  std::string json() const;

 private:
  struct Column {
    TimePoint at;
    double load = 0;
    double mean = 0;
    double capacity = 0;
    PodCount ready = 0;
    PodCount starting = 0;
    PodCount desired = 0;
    std::uint64_t waiting = 0;
    bool is_panic = false;
  };
  struct Last {
    PodCount replicas;
    Mode mode;
  };

  void remember(const Decision& decision) { last_ = {decision.replicas, decision.mode}; }
  std::int64_t unix_milliseconds(TimePoint at) const {
    return to_milliseconds(at.time_since_epoch() + wall_ahead_);
  }
  struct Point {
    Last before;
    Decision decision;
  };

  Duration step_;
  Duration wall_ahead_;
  std::vector<Column> columns_;
  std::deque<Point> points_;
  std::vector<std::pair<journal::ShareChange, journal::ShareChange>> changes_;  // before and after
  std::optional<Last> last_;
};

}  // namespace bellows::autoscaler::history
