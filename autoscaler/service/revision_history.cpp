#include "autoscaler/service/revision_history.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace bellows::autoscaler {
namespace {

using history::DayEntry;
using history::DayJournal;

constexpr Duration kInstant{1};  // the smallest difference between two

TimePoint last_of(const Stretch& stretch, TimePoint until) {
  return std::min(until, stretch.until - kInstant);
}

/// Visits the decisions of the days, or without one those of the journal.
void visit_stretch(const Stretch& stretch, TimePoint from, TimePoint until,
                   const DayJournal::Visit& visit) {
  for (const DayJournal* const day : stretch.days) day->visit(from, until, visit);
  if (!stretch.days.empty() || stretch.listed == nullptr) return;
  const Journal& journal = stretch.listed->journal;
  const DeciderState& before = journal.opening();  // of the first, the only one needed
  for (const JournalEntry& entry : journal.entries()) {
    const TimePoint at = entry.decision.at;
    if (at >= from && at <= until && !visit({entry.decision, before, entry.settings})) return;
  }
}

/// Returns the time of the first decision from `from` to `until`.
std::optional<TimePoint> first_in(const Stretch& stretch, TimePoint from, TimePoint until) {
  std::optional<TimePoint> first;
  visit_stretch(stretch, from, until, [&](const DayEntry& entry) {
    if (!first) first = entry.decision.at;
    return false;
  });
  return first;
}

}  // namespace

std::optional<RevisionHistory> RevisionHistory::of(const RevisionRegistry& registry,
                                                   const RevisionId& name) {
  RevisionHistory made(registry, name);
  made.past_ = registry.past_of(name);
  if (made.past_ != nullptr) {
    made.add_stretches();
  } else {
    made.stretches_.push_back(
        {.revision = name, .from = TimePoint::min(), .until = TimePoint::max()});
  }
  // The last one is looked up last: that of a sleeping revision ends with the next one.
  Stretch& now = made.stretches_.back();
  now.listed = registry.find(now.revision);
  if (now.listed == nullptr) {
    const auto service = registry.service_of_removed(name);
    if (!service) return std::nullopt;
    made.service_ = *service;
    made.add_removed(name);
    return made;
  }
  made.service_ = now.listed->observed.listed().service_id();
  if (now.listed->day && std::ranges::find(now.days, now.listed->day.get()) == now.days.end()) {
    now.days.push_back(now.listed->day.get());
  }
  return made;
}

void RevisionHistory::add_stretches() {
  for (const journal::ShareChange& change : past_->changes()) {
    if (change.shares.empty()) continue;
    const RevisionId& leading = change.leading();
    if (!stretches_.empty() && stretches_.back().revision == leading) continue;
    const bool is_first = stretches_.empty();
    if (!is_first) stretches_.back().until = change.at;
    stretches_.push_back({.revision = leading,
                          .from = is_first ? TimePoint::min() : change.at,
                          .until = TimePoint::max(),
                          .days = {},
                          .listed = registry_.find_awake(leading),
                          .is_first = is_first});
  }
  for (Stretch& stretch : stretches_) {
    for (const history::PastRevision& removed : past_->removed()) {
      if (removed.id == stretch.revision) stretch.days.push_back(removed.day.get());
    }
    if (stretch.listed != nullptr && stretch.listed->day) {
      stretch.days.push_back(stretch.listed->day.get());
    }
  }
}

void RevisionHistory::add_removed(const RevisionId& revision) {
  for (const history::PastRevision& removed : registry_.past_of(service_)->removed()) {
    if (removed.id == revision) stretches_.back().days.push_back(removed.day.get());
  }
}

std::vector<RevisionId> RevisionHistory::others() const {
  std::vector<RevisionId> others;
  if (past_ == nullptr) return others;
  for (const auto& [revision, share] : past_->changes().back().shares) {
    if (revision != leading().id()) others.push_back(revision);
  }
  return others;
}

void RevisionHistory::visit(TimePoint from, TimePoint until, const Visit& visit) const {
  bool goes_on = true;
  for (const Stretch& stretch : stretches_) {
    const TimePoint begin = std::max(from, stretch.from);
    const TimePoint end = last_of(stretch, until);
    if (begin > end) continue;
    visit_stretch(stretch, begin, end, [&](const DayEntry& entry) {
      goes_on = goes_on && visit(stretch, entry);
      return goes_on;
    });
    if (!goes_on) return;
  }
}

std::optional<TimePoint> RevisionHistory::oldest() const {
  for (const Stretch& stretch : stretches_) {
    const auto first = first_in(stretch, stretch.from, stretch.until - kInstant);
    if (first) return first;
  }
  return std::nullopt;
}

TimePoint RevisionHistory::last_decision_before(TimePoint until) const {
  TimePoint last = TimePoint::min();
  visit(start_of_last(1, until), until, [&](const Stretch& /*stretch*/, const DayEntry& entry) {
    last = entry.decision.at;
    return true;
  });
  return last;
}

TimePoint RevisionHistory::start_of_last(std::size_t count, TimePoint until) const {
  for (auto stretch = stretches_.rbegin(); stretch != stretches_.rend(); ++stretch) {
    const TimePoint end = last_of(*stretch, until);
    if (stretch->from > end) continue;
    TimePoint start = end;
    for (const DayJournal* const day : stretch->days) {
      start = std::min(start, day->start_of_last(count, end));
    }
    const auto first = first_in(*stretch, std::max(start, stretch->from), end);
    if (first) return *first;
  }
  return until;
}

std::vector<journal::AppRestart> RevisionHistory::restarts(TimePoint since) const {
  std::vector<journal::AppRestart> all;
  const auto add = [&](const std::vector<journal::AppRestart>& some) {
    for (const journal::AppRestart& restart : some) {
      const bool is_known = std::ranges::find(all, restart) != all.end();
      if (restart.at >= since && !is_known) all.push_back(restart);
    }
  };
  if (past_ != nullptr) {
    for (const history::PastRevision& removed : past_->removed()) add(removed.restarts);
  }
  for (const Stretch& stretch : stretches_) {
    if (stretch.listed != nullptr) add(stretch.listed->restarts.last());
  }
  std::ranges::stable_sort(all, {}, &journal::AppRestart::at);
  return all;
}

std::vector<journal::ShareChange> RevisionHistory::changes(TimePoint since) const {
  std::vector<journal::ShareChange> all;
  if (past_ == nullptr) return all;
  std::ranges::copy_if(past_->changes(), std::back_inserter(all),
                       [since](const journal::ShareChange& each) { return each.at >= since; });
  return all;
}

std::vector<journal::ProcessEnd> RevisionHistory::ends(TimePoint since) const {
  std::vector<journal::ProcessEnd> all;
  std::ranges::copy_if(registry_.ends(), std::back_inserter(all),
                       [since](const journal::ProcessEnd& each) { return each.at >= since; });
  return all;
}

}  // namespace bellows::autoscaler
