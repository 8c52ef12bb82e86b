// The days of the registry's revisions, and those of a predecessor.
#include <algorithm>
#include <iterator>
#include <utility>

#include "autoscaler/service/revision_registry.hpp"

namespace bellows::autoscaler {
namespace {

using history::DayJournal;
using history::kDay;

constexpr std::size_t kMostEnds = 100;

}  // namespace

/// Goes on with the newest day that a predecessor has kept. A revision with a past does not sleep.
void RevisionRegistry::begin_day(ScaledRevision& revision) {
  if (day_limit_.value == 0) return;
  auto& days = saved_days_.days;
  const auto saved =
      std::ranges::find(days.rbegin(), days.rend(), revision.id(), &history::SavedDay::revision);
  if (saved == days.rend()) {
    revision.day = std::make_unique<DayJournal>(revision.id().text());
    return;
  }
  revision.day = std::move(saved->day);
  revision.is_new = false;
  days.erase(std::prev(saved.base()));
}

/// A revision that could not start is as broken as before, and does not sleep.
void RevisionRegistry::restore_failed_starts(ScaledRevision& revision) {
  auto& failed = saved_days_.failed;
  const auto saved = std::ranges::find(failed, revision.id(), &history::FailedStarts::revision);
  if (saved == failed.end()) return;
  revision.failed_starts.restore(saved->count, std::move(saved->last), saved->at);
  revision.is_new = false;
  failed.erase(saved);
}

void RevisionRegistry::restore_changes(const RevisionId& service, TimePoint at) {
  if (auto changes = saved_days_.changes.extract(service)) {
    pasts_.restore(service, std::move(changes.mapped()), at);
  }
}

/// Those of revisions that are not listed any more, if their service is.
void RevisionRegistry::keep_saved_days() {
  for (history::SavedDay& saved : saved_days_.days) {
    pasts_.take(saved.service, {.id = saved.revision, .day = std::move(saved.day), .restarts = {}},
                clock_.now(), day_limit());
  }
  saved_days_ = {};
}

void RevisionRegistry::restore_days(history::SavedDays saved) {
  ends_ = std::move(saved.ends);
  ends_.push_back(saved.end());
  const TimePoint now = clock_.now();
  const std::size_t unneeded = ends_.size() > kMostEnds ? ends_.size() - kMostEnds : 0;
  ends_.erase(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(unneeded));
  std::erase_if(ends_, [now](const journal::ProcessEnd& end) { return now - end.at > kDay; });
  saved_days_ = std::move(saved);
}

history::SavedDays RevisionRegistry::days(TimePoint since) const {
  history::SavedDays saved;
  saved.at = clock_.now();
  saved.ends = ends_;
  const auto add = [&](const RevisionId& service, const RevisionId& id, const DayJournal& day) {
    auto part = std::make_unique<DayJournal>(day.since(since));
    if (part->oldest()) saved.days.push_back({service, id, std::move(part)});
  };
  for (const auto& [service, past] : pasts_.all()) {
    if (!past.is_listed()) continue;
    saved.changes.emplace(service, past.changes());
    for (const history::PastRevision& removed : past.removed()) {
      add(service, removed.id, *removed.day);
    }
  }
  for (const auto& [id, revision] : revisions_) {
    if (revision->day) add(revision->observed.listed().service, id, *revision->day);
    const StartFailures& failed = revision->failed_starts;
    if (failed.count() == 0) continue;
    saved.failed.push_back({id, failed.count(), failed.last(), failed.last_at()});
  }
  return saved;
}

/// Returns the memory for the day of a revision, or for all days of the removed ones of a service:
/// an equal share, at most that of a whole day.
Bytes RevisionRegistry::day_limit() const {
  const auto count =
      static_cast<std::int64_t>(std::max<std::size_t>(1, revisions_.size() + pasts_.with_days()));
  return std::min(history::kDayLimit, Bytes{day_limit_.value / count});
}

}  // namespace bellows::autoscaler
