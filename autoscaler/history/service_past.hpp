// The past of one service: its deploys, and the days of its revisions that are gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "autoscaler/history/day_journal.hpp"
#include "autoscaler/journal/journal_lines.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler::history {

/// A revision that is no longer listed.
struct PastRevision {
  RevisionId id;
  std::unique_ptr<DayJournal> day;
  std::vector<journal::AppRestart> restarts;
};

/// A revision that comes back after its removal has a past, too. Owner: the registry. Pure.
class ServicePast {
 public:
  /// Maximum of kept changes of shares.
  static constexpr std::size_t kMaxChanges = 500;

  /// Records the share of a revision; nullopt: it is no longer listed. Shares that change at one
  /// instant, or until they are 100 percent again, are one change.
  void set_share(const RevisionId& revision, std::optional<std::int32_t> share, TimePoint at);
  /// Takes the changes that a predecessor has seen. Its revisions are no longer listed from `at`
  /// on, unless set_share() lists them at once. Call it before everything else.
  void restore(std::vector<journal::ShareChange> changes, TimePoint at);
  /// Takes a removed revision.
  void keep(PastRevision revision);
  /// Drops what is older than a day, and the oldest days until the others take at most `limit`.
  void drop_old(TimePoint now, Bytes limit);

  /// Returns false if no revision of the service is listed.
  bool is_listed() const { return !changes_.empty() && !changes_.back().shares.empty(); }
  /// Returns the changes, oldest first; the last one has the present shares.
  const std::vector<journal::ShareChange>& changes() const { return changes_; }
  /// Returns the removed revisions in the order of their removal.
  const std::deque<PastRevision>& removed() const { return removed_; }

 private:
  std::vector<journal::ShareChange> changes_;
  std::deque<PastRevision> removed_;
};

/// The pasts of all services; that of a service ends with its last revision. Owner: the registry.
/// Pure.
class ServicePasts {
 public:
  /// Records the share of a revision, see ServicePast. An empty service: the revision is alone.
  void set_share(const RevisionId& service, const RevisionId& revision,
                 std::optional<std::int32_t> share, TimePoint at);
  /// Takes the changes of a predecessor, see ServicePast.
  void restore(const RevisionId& service, std::vector<journal::ShareChange> changes, TimePoint at) {
    pasts_[service].restore(std::move(changes), at);
  }
  /// Takes a revision that is removed, after its share was. `limit`: the memory of a day.
  void take(const RevisionId& service, PastRevision revision, TimePoint now, Bytes limit);
  /// Drops what is old, once in ten minutes.
  void drop_old(TimePoint now, Bytes limit);

  /// Returns nullptr if no revision of that service is listed.
  const ServicePast* find(const RevisionId& service) const;
  /// Returns the service that has days of that removed revision; nullopt: none has.
  std::optional<RevisionId> service_of_removed(const RevisionId& revision) const;
  const std::map<RevisionId, ServicePast>& all() const { return pasts_; }
  /// Returns the number of services that have days of removed revisions.
  std::size_t with_days() const { return with_days_; }

 private:
  std::map<RevisionId, ServicePast> pasts_;  // by service
  std::size_t with_days_ = 0;
  TimePoint dropped_at_;
};

}  // namespace bellows::autoscaler::history
