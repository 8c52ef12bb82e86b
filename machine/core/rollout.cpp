#include "machine/core/rollout.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "base/duration_text.hpp"

namespace bellows::machine {
namespace {

constexpr double kPercent = 100;

RevisionSeen seen_of(const Seen& seen, Number number) {
  const auto found = seen.find(number);
  return found == seen.end() ? RevisionSeen() : found->second;
}

}  // namespace

PodCount replicas_for(const Takeover& takeover) {
  if (takeover.share == 0) return 0;
  if (takeover.serving == 0) return takeover.is_proven ? 0 : 1;
  const double whole =
      std::min<double>(takeover.serving, takeover.demand.value_or(takeover.serving));
  const auto part =
      std::max(static_cast<PodCount>(std::ceil(whole * takeover.share / kPercent)), 1);
  return takeover.max_scale > 0 ? std::min(part, takeover.max_scale) : part;
}

config::RevisionSettings settings_in_force(config::RevisionSettings settings, std::int32_t share,
                                           PodCount floor) {
  if (share == 0) settings.min_scale = 0;
  settings.raise_min_scale(floor, config::MinScaleFrom::kDeploy);
  settings.initial_scale = std::max(settings.initial_scale, floor);
  return settings;
}

std::string_view to_string(Stage stage) {
  switch (stage) {
    case Stage::kStarting:
      return "starting";
    case Stage::kReady:
      return "ready";
    case Stage::kProving:
      return "proving";
    case Stage::kDone:
      return "done";
    case Stage::kFailed:
      return "failed";
  }
  return "unknown";
}

Rollout::Rollout(RolloutPlan plan, TimePoint now)
    : plan_(std::move(plan)), began_(now), message_(progress({})) {}

Stage Rollout::look(const Seen& seen, TimePoint now) {
  if (stage_ != Stage::kStarting && stage_ != Stage::kProving) return stage_;
  bool is_ready = true;
  for (const auto& [number, needed] : plan_.needed) {
    const RevisionSeen revision = seen_of(seen, number);
    if (revision.ready >= needed || !is_waited_for(number)) continue;
    is_ready = false;
    if (revision.ready > 0 || revision.failure.empty()) continue;
    fail(revision_id(plan_.service, number).text() + " does not become ready: " + revision.failure,
         now);
    return stage_;
  }
  message_ = progress(seen);
  if (is_ready && stage_ == Stage::kProving) {
    stage_ = Stage::kDone;
    ended_ = now;
  } else if (is_ready) {
    stage_ = Stage::kReady;
  } else if (now >= deadline()) {
    fail(message_ + " within the progress-deadline of " + duration_text(plan_.progress_deadline),
         now);
  }
  return stage_;
}

void Rollout::done(TimePoint now) {
  CHECK(stage_ == Stage::kReady, "shares change when what they need is ready");
  stage_ = plan_.in_place ? Stage::kProving : Stage::kDone;
  ended_ = now;
}

/// Before the shares change all are but the one in place, then that one is.
bool Rollout::is_waited_for(Number number) const {
  return (plan_.in_place == number) == (stage_ == Stage::kProving);
}

void Rollout::fail(std::string why, TimePoint now) {
  CHECK(!is_over(), "a rollout ends once");
  stage_ = Stage::kFailed;
  ended_ = now;
  message_ = std::move(why);
}

std::string Rollout::progress(const Seen& seen) const {
  std::string text;
  for (const auto& [number, needed] : plan_.needed) {
    if (needed == 0) continue;
    const RevisionSeen revision = seen_of(seen, number);
    const PodCount ready = std::min(revision.ready, needed);
    text += (text.empty() ? "" : ", ") + revision_id(plan_.service, number).text() + ": " +
            std::to_string(ready) + " of " + std::to_string(needed) +
            (needed == 1 ? " replica ready" : " replicas ready");
    if (ready == 0 && !revision.not_ready.empty()) text += " (" + revision.not_ready + ")";
  }
  return text.empty() ? "nothing has to start" : text;
}

}  // namespace bellows::machine
