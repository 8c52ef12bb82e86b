// Decides when the status of which Revision is written.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace bellows::cluster {

/// The urgency of a change of a status.
enum class StatusChange : std::uint8_t {
  kMinor,    ///< only the state for a successor, the words of a decision, or moving numbers
  kMoving,   ///< users see it, while replicas start or end: more will follow soon
  kSettled,  ///< users see it, and no more will follow
};

/// Each Revision is written at most once in 2 s, and all together 20 times a second. While a
/// Revision is moving, up to 5 s of changes become one write. Minor changes wait 5 minutes, and all
/// together are 10 a minute, the longest waiting first, so a cluster at rest writes next to
/// nothing.
class StatusSchedule {
 public:
  static constexpr Duration kPerRevision = std::chrono::seconds(2);
  static constexpr Duration kBetween = std::chrono::milliseconds(50);
  static constexpr Duration kMoving = std::chrono::seconds(5);
  static constexpr Duration kMinor = std::chrono::minutes(5);
  static constexpr Duration kBetweenMinor = std::chrono::seconds(6);

  /// Records that the status of `id` has changed.
  void changed(const RevisionId& id, StatusChange change, TimePoint now);
  /// Forgets `id`: the Revision is deleted, or its status is as written again.
  void drop(const RevisionId& id);
  void forget(const RevisionId& id);

  /// Returns the next Revision to write now, or nullopt. It counts as written.
  std::optional<RevisionId> take(TimePoint now);
  /// Returns when take() has one, if nothing changes until then.
  std::optional<TimePoint> next() const;
  std::size_t waiting() const { return soon_.size() + minor_.size(); }

 private:
  struct Entry {
    std::optional<StatusChange> waits;  ///< nullopt: it is in no queue
    TimePoint first_changed{};
    TimePoint due{};
    std::optional<TimePoint> written;
  };
  using Queue = std::set<std::pair<TimePoint, RevisionId>>;

  Queue& queue_of(const Entry& entry);
  void leave_queue(const RevisionId& id, Entry& entry);
  TimePoint due(const Entry& entry, StatusChange change, TimePoint now) const;

  std::unordered_map<RevisionId, Entry> entries_;
  Queue soon_;
  Queue minor_;
  TimePoint next_soon_{};
  TimePoint next_minor_{};
};

}  // namespace bellows::cluster
