// What is kept under one name: the decisions of a revision, or of a service over its revisions.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "autoscaler/service/revision_registry.hpp"

namespace bellows::autoscaler {

/// The time in which one revision got most of the requests of a service, and its decisions.
struct Stretch {
  RevisionId revision;
  TimePoint from;                                     ///< the stretch begins with this instant
  TimePoint until;                                    ///< and ends before this one
  std::vector<const history::DayJournal*> days = {};  ///< oldest first
  /// Has its last decisions. nullptr: it is asleep or no longer listed.
  const ScaledRevision* listed = nullptr;
  bool is_first = true;  ///< of its service

  /// Returns the instant of the deploy with which it began; nullopt: with the service.
  std::optional<TimePoint> since() const { return is_first ? std::nullopt : std::optional(from); }
};

/// A view of the registry, valid until its next change or its next find(). Its decisions are in the
/// order of time: at each time those of the revision that got most requests then.
class RevisionHistory {
 public:
  /// Returns the history of a service, or of a revision: of one that is no longer listed as long as
  /// days of it are kept. nullopt: there is none.
  static std::optional<RevisionHistory> of(const RevisionRegistry& registry,
                                           const RevisionId& name);

  const RevisionId& name() const { return name_; }
  /// Returns the service whose history it is, or is a part of.
  const RevisionId& service() const { return service_; }
  /// Returns false for a revision that is no longer listed.
  bool is_listed() const { return stretches_.back().listed != nullptr; }
  /// Returns the revision that gets most requests now. Requires is_listed().
  const ScaledRevision& leading() const { return *stretches_.back().listed; }
  /// Returns the listed revisions of the service besides that one.
  std::vector<RevisionId> others() const;
  /// Returns the instant of the deploy since which it does; nullopt: since the service is listed.
  std::optional<TimePoint> leads_since() const { return stretches_.back().since(); }
  /// Returns true if the decisions of a day are kept, rather than the last ones only.
  bool has_days() const { return !is_listed() || leading().day != nullptr; }

  /// Calls `visit` for each decision from `from` to `until`, both included, oldest first, until it
  /// returns false.
  using Visit = std::function<bool(const Stretch&, const history::DayEntry&)>;
  void visit(TimePoint from, TimePoint until, const Visit& visit) const;

  /// Returns the time of the oldest decision; nullopt before the first.
  std::optional<TimePoint> oldest() const;
  /// Returns the time of the newest decision until then; TimePoint::min(): there is none.
  TimePoint last_decision_before(TimePoint until) const;
  /// Returns the time from which visit() visits some of the last decisions made until `until`: at
  /// least `count`, or as many as the revision has that got most requests then.
  TimePoint start_of_last(std::size_t count, TimePoint until) const;

  /// Returns the restarts of apps from `since` on, oldest first.
  std::vector<journal::AppRestart> restarts(TimePoint since) const;
  /// Returns the changes of shares from `since` on, likewise.
  std::vector<journal::ShareChange> changes(TimePoint since) const;
  /// Returns the ends of earlier processes, likewise.
  std::vector<journal::ProcessEnd> ends(TimePoint since) const;

 private:
  RevisionHistory(const RevisionRegistry& registry, RevisionId name)
      : registry_(registry), name_(std::move(name)), service_(name_) {}

  void add_stretches();
  void add_removed(const RevisionId& revision);

  const RevisionRegistry& registry_;
  RevisionId name_;
  RevisionId service_;
  const history::ServicePast* past_ = nullptr;  // nullptr: of a revision that is alone
  std::vector<Stretch> stretches_;              // at least one; the last one is now
};

}  // namespace bellows::autoscaler
