#include "autoscaler/service/state_log.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "autoscaler/service/revision_registry.hpp"
#include "autoscaler/service/state_changes.hpp"
#include "base/sys/log.hpp"

namespace bellows::autoscaler {
namespace {

namespace log = sys::log;

constexpr Duration kWritePeriod = std::chrono::milliseconds(250);
/// Period of writing the memory of policies: their usual period.
constexpr Duration kPolicyPeriod = std::chrono::seconds(10);
/// Whole states that a tick writes, in 10 ms.
constexpr std::size_t kStatesAtOnce = 1000;
/// The changes may be as large as the file itself, and at least this large.
constexpr std::size_t kLeastChanges = std::size_t{1} << 20;
constexpr std::string_view kFreshSuffix = ".new";

bool is_kept(const ScaledRevision& revision) {
  return revision.serving_state() != ServingState::kRetired;
}

}  // namespace

StateLog::StateLog(std::string path, const sys::Clock& clock)
    : path_(std::move(path)), clock_(clock), last_write_(clock.now() - kWritePeriod) {}

void StateLog::decided(ScaledRevision& revision, const Decision& decision, bool is_news) {
  if (path_.empty()) return;
  const Saved& saved = revision.saved;
  const bool is_new = saved.whole_in == 0 || saved.settings != revision.settings;
  has_news_ = has_news_ || is_news;
  if (is_news || is_new) return save_whole(revision, decision.at);
  const bool is_changed = std::ranges::any_of(revision.state.policies, [&](const PolicySlot& slot) {
    return slot.memory.changed == decision.at;
  });
  if (!is_changed) return;
  add_line(revision.id(), saved.whole_in, decision.at,
           policy_change(revision.id(), revision.state.policies, decision.at));
}

void StateLog::save_whole(ScaledRevision& revision, TimePoint at) {
  is_wanted_ = true;
  if (!is_kept(revision)) {
    if (std::exchange(revision.saved, {}).whole_in > 0) removed(revision.id());
    return;
  }
  const bool is_in_fresh = fresh_ && is_written_to(revision.id());
  const std::uint32_t number = is_in_fresh ? fresh_->number : current_ ? current_->number : 0;
  if (number == 0) return;  // the next file will have it
  add_line(revision.id(), number, at, state_change(revision.id(), revision.state, at));
  revision.saved = {.whole_in = number, .settings = revision.settings};
}

void StateLog::removed(const RevisionId& id) {
  if (path_.empty()) return;
  is_wanted_ = has_news_ = true;
  add_line(id, std::numeric_limits<std::uint32_t>::max(), clock_.now(), gone_change(id));
}

/// Returns true if the file under construction already has that name.
bool StateLog::is_written_to(const RevisionId& id) const {
  return fresh_->last && !(*fresh_->last < id);
}

/// Adds a line with `rest`, which needs a whole state in the file `whole_in` or before it.
void StateLog::add_line(const RevisionId& id, std::uint32_t whole_in, TimePoint at,
                        const std::string& rest) {
  is_wanted_ = true;
  if (current_ && whole_in >= current_->number) {
    current_->unwritten += after_text(at - current_->begin);
    current_->unwritten += rest;
  }
  if (fresh_ && whole_in >= fresh_->number && is_written_to(id)) {
    fresh_->changes += after_text(at - fresh_->begin.now);
    fresh_->changes += rest;
  }
}

void StateLog::tick(const Revisions& revisions) {
  const TimePoint now = clock_.now();
  if (path_.empty() || !is_wanted_) return;
  if (!fresh_ && now - last_write_ < kWritePeriod) return;
  note(step(revisions));
}

Result<void> StateLog::step(const Revisions& revisions) {
  if (current_ && clock_.now() - last_write_ >= kWritePeriod) BELLOWS_CHECKED(write_changes());
  const bool is_full =
      current_ && current_->changes.size() > std::max(current_->size, kLeastChanges);
  if (!fresh_ && (!current_ || is_full)) BELLOWS_CHECKED(begin_fresh());
  if (fresh_) BELLOWS_CHECKED(write_fresh(revisions, kStatesAtOnce));
  return {};
}

/// After an error the next write begins new files.
void StateLog::note(const Result<void>& written) {
  if (written) {
    is_broken_ = false;
    is_wanted_ = fresh_ || !current_->unwritten.empty();
    return;
  }
  last_write_ = clock_.now();
  if (!std::exchange(is_broken_, true)) {
    log::warning("the state cannot be saved", {{"error", to_string(written.error())}});
  }
  current_.reset();
  fresh_.reset();
  is_wanted_ = true;
}

Result<void> StateLog::write_changes() {
  const TimePoint now = clock_.now();
  last_write_ = now;
  if (!current_->unwritten.empty()) {
    BELLOWS_CHECKED(current_->changes.append(std::exchange(current_->unwritten, {})));
  }
  if (!has_news_ && now - last_sync_ < kPolicyPeriod) return {};
  has_news_ = false;
  last_sync_ = now;
  return current_->changes.sync();
}

Result<void> StateLog::begin_fresh() {
  BELLOWS_TRY(sys::GrowingFile file,
              sys::GrowingFile::create(path_ + std::string(kFreshSuffix), kStateFile));
  const ClockPair begin{clock_.now(), clock_.wall_now()};
  const std::uint32_t number = ++newest_;
  std::string series =
      std::to_string(to_milliseconds(begin.wall.time_since_epoch())) + "-" + std::to_string(number);
  BELLOWS_CHECKED(file.append(states_head(begin, series)));
  fresh_ = Fresh{.file = std::move(file),
                 .number = number,
                 .begin = begin,
                 .series = std::move(series),
                 .last = std::nullopt,
                 .changes = {},
                 .is_empty = true};
  return {};
}

Result<void> StateLog::write_fresh(const Revisions& revisions, std::size_t count) {
  auto next = fresh_->last ? revisions.upper_bound(*fresh_->last) : revisions.begin();
  std::string states = fresh_->is_empty ? "[" : "";  // as after the head
  const std::size_t begun = states.size();
  for (; count > 0 && next != revisions.end(); ++next, --count) {
    ScaledRevision& revision = *next->second;
    fresh_->last = next->first;
    if (!is_kept(revision)) continue;
    append_state(states, next->first, revision.state, fresh_->begin.now);
    revision.saved = {.whole_in = fresh_->number, .settings = revision.settings};
  }
  if (states.size() > begun) {
    BELLOWS_CHECKED(fresh_->file.append(std::string_view(states).substr(begun)));
    fresh_->is_empty = false;
  }
  if (next == revisions.end()) return finish_fresh();
  return fresh_->file.sync();
}

/// Replaces the files. A reader finds the old file with its changes, or the new one with its own.
/// Between the two renames it takes the changes for those of another file.
Result<void> StateLog::finish_fresh() {
  BELLOWS_CHECKED(fresh_->file.append(kStatesEnd));
  const std::string path = path_ + std::string(kChangesSuffix);
  BELLOWS_TRY(sys::GrowingFile changes,
              sys::GrowingFile::create(path + std::string(kFreshSuffix), kStateFile));
  BELLOWS_CHECKED(changes.append(changes_head(fresh_->series) + fresh_->changes));
  BELLOWS_CHECKED(fresh_->file.move_to(path_));
  BELLOWS_CHECKED(changes.move_to(path));
  current_ = Current{.changes = std::move(changes),
                     .number = fresh_->number,
                     .begin = fresh_->begin.now,
                     .size = fresh_->file.size()};
  fresh_.reset();
  has_news_ = false;
  last_write_ = last_sync_ = clock_.now();
  return {};
}

void StateLog::finish(const Revisions& revisions) {
  if (path_.empty()) return;
  fresh_.reset();
  Result<void> written = begin_fresh();
  if (written) written = write_fresh(revisions, std::numeric_limits<std::size_t>::max());
  note(written);
}

}  // namespace bellows::autoscaler
