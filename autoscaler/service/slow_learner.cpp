#include "autoscaler/service/slow_learner.hpp"

#include <algorithm>
#include <utility>

#include "autoscaler/slow/sentence.hpp"
#include "autoscaler/slow/slow_json.hpp"
#include "json/seconds.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler {
namespace {

/// Returns "web-6b7c9d8f4b" of "web-6b7c9d8f4b-x2x2x", the name of a Deployment's pod; empty for
/// other names.
std::string_view template_of(std::string_view pod) {
  constexpr std::size_t kSuffix = 5;
  const std::size_t last = pod.rfind('-');
  if (last == std::string_view::npos || pod.size() - last - 1 != kSuffix) return {};
  const std::string_view front = pod.substr(0, last);
  const std::size_t hash = front.rfind('-');
  if (hash == std::string_view::npos) return {};
  const std::size_t size = front.size() - hash - 1;
  return size >= 8 && size <= 10 ? front : std::string_view{};
}

}  // namespace

RunningVersion running_version(const cluster::Revision& listed) {
  RunningVersion running;
  TimePoint newest = TimePoint::min();
  std::string_view other;
  for (const cluster::ReplicaPtr& replica : listed.replicas) {
    if (replica->phase == cluster::ReplicaPhase::kGone) continue;
    const std::string_view version = template_of(replica->name.text());
    if (version.empty()) return {};
    if (other.empty()) other = version;
    running.is_rollout = running.is_rollout || version != other;
    if (replica->start.ordered < newest) continue;
    newest = replica->start.ordered;
    running.version = version;
  }
  return running;
}

SlowLearner::SlowLearner(const config::RevisionSettings& settings, TimePoint now)
    : mode_(settings.slow_brain.mode), spec_(slow::slow_spec(settings)), due_(now) {
  (void)meter_.take(now, false);
}

void SlowLearner::resume(slow::SlowState state, TimePoint now) {
  constexpr Duration kAllReport = std::chrono::seconds(10);
  meter_.expect_old(now + kAllReport);
  state_ = std::move(state);
}

void SlowLearner::succeed(const slow::SlowState& earlier) {
  state_ = earlier;
  slow::start_version(state_, "");
}

void SlowLearner::follow(const config::RevisionSettings& settings) {
  mode_ = settings.slow_brain.mode;
  spec_ = slow::slow_spec(settings, spec_.share);
}

bool SlowLearner::follow_share(double share) {
  if (share == spec_.share) return false;
  spec_.share = share;
  if (advice_) advice_->kept_load = slow::kept_load(state_.jumps, share);
  return true;
}

bool SlowLearner::evaluate_if_due(const cluster::Revision& listed, TimePoint now) {
  if (now < due_ && !meter_.has_kill()) return false;
  const RunningVersion running = running_version(listed);
  if (!running.version.empty() && running.version != state_.version) {
    if (state_.version.empty()) {
      state_.version = running.version;
    } else {
      slow::start_version(state_, running.version);
      kept_.clear();
    }
  }
  if (kept_.empty()) opening_ = state_;
  kept_.push_back({spec_, meter_.take(now, running.is_rollout)});
  if (kept_.size() > kKept) {
    (void)slow::evaluate(kept_.front().spec, opening_, kept_.front().interval);
    kept_.pop_front();
  }
  advice_ = slow::evaluate(spec_, state_, kept_.back().interval);
  due_ = now + slow::evaluation_period(spec_, state_, now);
  return true;
}

config::RevisionSettings SlowLearner::applied_to(const config::RevisionSettings& settings) const {
  return learned_target() ? slow::with_target(settings, *advice_) : settings;
}

std::optional<double> SlowLearner::learned_target() const {
  const bool applies = mode_ == config::SlowBrain::kAuto && advice_;
  return applies ? std::optional(advice_->target) : std::nullopt;
}

std::string SlowLearner::page(const cluster::Revision& revision, double in_use, double load,
                              TimePoint now) const {
  json::Writer out;
  out.text("service", revision.service_id().text()).text("revision", revision.id.text());
  out.text("mode", config::to_string(mode_));
  out.number("in-use", in_use).number("load", load);
  slow::write_spec(out, "spec", spec_);
  if (advice_) {
    out.text("sentence", slow::sentence(spec_, state_, *advice_, mode_, in_use, load));
    out.open("advice").number("age", json::seconds_number(now - advice_->at));
    slow::write_advice(out, *advice_);
    out.close();
    slow::write_state(out, "state", state_, now);
  }
  return out.end_line();
}

std::string SlowLearner::journal() const {
  if (kept_.empty()) return "";
  const auto at = [](json::Writer& out, TimePoint when) {
    out.number("at", json::seconds_number(when.time_since_epoch()));
  };
  json::Writer out;
  const TimePoint begin = kept_.front().interval.begin;
  at(out, begin);
  slow::write_state(out, "state", opening_, begin);
  std::string lines = out.end_line();
  for (const Kept& kept : kept_) {
    at(out, kept.interval.end);
    slow::write_spec(out, "spec", kept.spec);
    slow::write_interval(out, "interval", kept.interval);
    lines += out.end_line();
  }
  return lines;
}

}  // namespace bellows::autoscaler
