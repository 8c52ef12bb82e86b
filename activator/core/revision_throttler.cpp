#include "activator/core/revision_throttler.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "base/duration_text.hpp"
#include "base/quantity_text.hpp"

namespace bellows::activator {
namespace {

proxy::LineLimits line_limits(const config::RevisionSettings& settings) {
  return {.count = settings.queue_depth, .bytes = settings.queue_bytes, .age = settings.queue_age};
}

/// For those who were let in before.
proxy::LineLimits age_limit(const config::RevisionSettings& settings) {
  return {.count = std::numeric_limits<std::int64_t>::max(),
          .bytes = {std::numeric_limits<std::int64_t>::max()},
          .age = settings.queue_age};
}

}  // namespace

RevisionThrottler::RevisionThrottler(RevisionId revision, std::unique_ptr<PickPolicy> policy)
    : revision_(std::move(revision)),
      policy_(std::move(policy)),
      again_(age_limit(settings_)),
      line_(line_limits(settings_)) {}

HoldState RevisionThrottler::enter(HeldRequest& request, std::size_t bytes, TimePoint now) {
  CHECK(request.state_ == HoldState::kOutside, "a request enters once at a time");
  request.entered_ = now;
  if (refused_or_granted(request, now)) return request.state_;
  return wait(request, line_, bytes, now);
}

HoldState RevisionThrottler::enter_again(HeldRequest& request, std::size_t bytes, TimePoint now) {
  CHECK(request.state_ == HoldState::kOutside, "its slot was given back before");
  if (refused_or_granted(request, now)) return request.state_;
  return wait(request, again_, bytes, now);
}

bool RevisionThrottler::refused_or_granted(HeldRequest& request, TimePoint now) {
  if (std::optional<Error> reason = reason_to_refuse()) {
    request.refuse(std::move(*reason));
    return true;
  }
  if (waiting() > 0) return false;
  PodTracker* pod = policy_->pick(pods_, now);
  if (pod != nullptr) grant(request, *pod, now);
  return pod != nullptr;
}

HoldState RevisionThrottler::wait(HeldRequest& request, proxy::WaitingLine& line, std::size_t bytes,
                                  TimePoint now) {
  // The age counts from its first coming.
  if (const auto bound = line.join(request, bytes, request.entered_)) {
    request.refuse(full(*bound));
    return request.state_;
  }
  request.throttler_ = this;
  request.waits_in_ = &line;
  request.state_ = HoldState::kWaiting;
  if (ready_ == 0 && !held_since_) held_since_ = now;
  return request.state_;
}

void RevisionThrottler::leave(HeldRequest& request, TimePoint now) {
  if (request.state_ == HoldState::kGranted) release(request, PodOutcome::kUnknown, now);
  if (request.state_ != HoldState::kWaiting) return;
  request.waits_in_->leave(request);
  request.state_ = HoldState::kOutside;
  forget_waking_if_nobody_waits();
}

void RevisionThrottler::grant(HeldRequest& request, PodTracker& pod, TimePoint now) {
  const bool on_trial = pod.take(now);
  ++in_flight_;
  request.grant_ = {
      .pod = &pod, .on_trial = on_trial, .held_since = std::exchange(held_since_, {})};
  request.state_ = HoldState::kGranted;
}

void RevisionThrottler::dispatch(TimePoint now) {
  while (waiting() > 0) {
    PodTracker* pod = policy_->pick(pods_, now);
    if (pod == nullptr) return;
    proxy::WaitingLine& line = next_line();
    grant(static_cast<HeldRequest&>(*line.first()), *pod, now);
    line.grant_first();
  }
}

void RevisionThrottler::answered(const HeldRequest& request) {
  CHECK(request.state_ == HoldState::kGranted, "only a granted request is answered");
  request.grant_.pod->answered(request.grant_.on_trial);
}

bool RevisionThrottler::release(HeldRequest& request, PodOutcome outcome, TimePoint now) {
  CHECK(request.state_ == HoldState::kGranted, "only a granted request has a slot");
  PodTracker& pod = *request.grant_.pod;
  const bool was_set_aside = pod.give_back(outcome, request.grant_.on_trial, now);
  --in_flight_;
  request.state_ = HoldState::kOutside;
  drain_rate_.freed(now);
  if (!pod.is_listed() && pod.in_flight() == 0) forget_unlisted();
  dispatch(now);
  return was_set_aside;
}

void RevisionThrottler::update(const RevisionView& view, TimePoint now) {
  settings_ = view.settings;
  line_.set_limits(line_limits(settings_));
  again_.set_limits(age_limit(settings_));
  for (const auto& pod : pods_) {
    const bool is_listed = std::binary_search(
        view.ready.begin(), view.ready.end(), pod->view(),
        [](const ReplicaView& a, const ReplicaView& b) { return a.name < b.name; });
    if (!is_listed) pod->unlist();
  }
  const std::int32_t slots = settings_.container_concurrency;
  for (const ReplicaView& replica : view.ready) {
    const auto place =
        std::lower_bound(pods_.begin(), pods_.end(), replica.name,
                         [](const auto& pod, const PodName& name) { return pod->name() < name; });
    if (place != pods_.end() && (*place)->name() == replica.name) {
      (*place)->update(replica, slots);
    } else {
      pods_.insert(place, std::make_unique<PodTracker>(replica, slots));
    }
  }
  ready_ = view.ready.size();
  trouble_ = view.trouble;
  forget_unlisted();
  if (const std::optional<Error> reason = reason_to_refuse()) refuse_all(*reason);
  dispatch(now);
}

void RevisionThrottler::forget_unlisted() {
  std::erase_if(pods_, [](const auto& pod) { return !pod->is_listed() && pod->in_flight() == 0; });
}

void RevisionThrottler::close(Error error) {
  for (const auto& pod : pods_) pod->unlist();
  ready_ = 0;
  forget_unlisted();
  closed_ = std::move(error);
  refuse_all(*closed_);
}

void RevisionThrottler::tick(TimePoint now) {
  again_.expire(now);
  line_.expire(now);
  forget_waking_if_nobody_waits();
  dispatch(now);
}

std::optional<TimePoint> RevisionThrottler::next_tick(TimePoint now) const {
  if (waiting() == 0) return std::nullopt;
  TimePoint next = TimePoint::max();
  for (const proxy::WaitingLine* line : {&again_, &line_}) {
    if (!line->empty()) next = std::min(next, line->expiry(line->first()->joined()));
  }
  if (const auto wake = activation_.next_wake()) next = std::min(next, *wake);
  for (const auto& pod : pods_) {
    const auto trial = pod->trial_at();
    if (trial && *trial > now) next = std::min(next, *trial);
  }
  return next;
}

bool RevisionThrottler::wake_now(TimePoint now) {
  return activation_.wake_now(static_cast<std::size_t>(waiting()), ready_ > 0, now);
}

int RevisionThrottler::retry_after_seconds(TimePoint now) const {
  return drain_rate_.retry_after_seconds(waiting(), now);
}

void RevisionThrottler::refuse_all(const Error& error) {
  while (waiting() > 0) {
    proxy::WaitingLine& line = next_line();
    auto& request = static_cast<HeldRequest&>(*line.first());
    line.leave(request);
    request.refuse(error);
  }
  forget_waking_if_nobody_waits();
}

void RevisionThrottler::forget_waking_if_nobody_waits() {
  if (waiting() == 0) held_since_.reset();
}

std::optional<Error> RevisionThrottler::reason_to_refuse() const {
  if (closed_) return closed_;
  if (trouble_.empty() || ready_ > 0) return std::nullopt;
  return Error(ErrorKind::kUnavailable, culprit(), trouble_);
}

Error RevisionThrottler::full(proxy::LineFull bound) const {
  const std::string waiting = std::to_string(line_.count()) + " requests wait";
  if (bound == proxy::LineFull::kCount) {
    return Error(ErrorKind::kOverloaded, culprit(),
                 "its queue is full: " + waiting + ", queue-depth is " +
                     std::to_string(settings_.queue_depth));
  }
  return Error(ErrorKind::kOverloaded, culprit(),
               "its queue is full: " + waiting + " and hold " +
                   to_string(Bytes{static_cast<std::int64_t>(line_.bytes())}) +
                   ", queue-bytes is " + to_string(settings_.queue_bytes));
}

Error RevisionThrottler::too_old() const {
  const std::string waited = duration_text(settings_.queue_age) + " (queue-age)";
  return Error(ErrorKind::kTimeout, culprit(),
               ready_ == 0 ? "no replica became ready within " + waited
                           : "no replica had room within " + waited);
}

}  // namespace bellows::activator
