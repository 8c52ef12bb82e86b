#include "activator/core/revision_throttler.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "base/duration_text.hpp"
#include "base/quantity_text.hpp"

namespace bellows::activator {
namespace {

/// The time-out of the whole request ends before it may have waited for its full queue-age.
bool total_bounds_wait(const config::RevisionSettings& settings) {
  return settings.request_timeout > Duration::zero() &&
         settings.request_timeout <= settings.queue_age;
}

Duration longest_wait(const config::RevisionSettings& settings) {
  return total_bounds_wait(settings) ? settings.request_timeout : settings.queue_age;
}

proxy::LineLimits line_limits(const config::RevisionSettings& settings) {
  return {
      .count = settings.queue_depth, .bytes = settings.queue_bytes, .age = longest_wait(settings)};
}

/// For those who were let in before.
proxy::LineLimits only_age(Duration age) {
  return {.count = std::numeric_limits<std::int64_t>::max(),
          .bytes = {std::numeric_limits<std::int64_t>::max()},
          .age = age};
}

}  // namespace

RevisionThrottler::RevisionThrottler(RevisionId revision, Random& random)
    : revision_(std::move(revision)),
      random_(random),
      policy_(make_pick_policy(settings_.load_balancing, settings_.container_concurrency, random)),
      again_(only_age(settings_.request_timeout)),
      again_ages_(only_age(settings_.queue_age)),
      line_(line_limits(settings_)) {}

HoldState RevisionThrottler::enter(HeldRequest& request, std::size_t bytes, TimePoint now) {
  CHECK(request.state_ == HoldState::kOutside, "a request enters once at a time");
  request.entered_ = now;
  request.silent_at_ = PodName();
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
  PodTracker* pod = pick_for(request, now);
  if (pod != nullptr) grant(request, *pod, now);
  return pod != nullptr;
}

HoldState RevisionThrottler::wait(HeldRequest& request, proxy::WaitingLine& line, std::size_t bytes,
                                  TimePoint now) {
  drain_rate_.pass(waiting() > 0, now);
  if (const auto bound = line.join(request, bytes, request.entered_)) {
    request.refuse(full(*bound));
    return request.state_;
  }
  if (&line == &again_) again_ages_.join(request.again_, 0, now);
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
  again_ages_.leave(request.again_);
  request.state_ = HoldState::kOutside;
  forget_waking_if_nobody_waits();
}

/// Another replica than the one that was silent to it, if another one can take it now.
PodTracker* RevisionThrottler::pick_for(const HeldRequest& request, TimePoint now) {
  if (request.silent_at_.empty()) return policy_->pick(pods_, now);
  const auto pass_over = [&](bool is_passed_over) {
    for (const auto& pod : pods_) {
      if (pod->name() == request.silent_at_) pod->pass_over(is_passed_over);
    }
  };
  pass_over(true);
  PodTracker* other = policy_->pick(pods_, now);
  pass_over(false);
  return other != nullptr ? other : policy_->pick(pods_, now);
}

void RevisionThrottler::grant(HeldRequest& request, PodTracker& pod, TimePoint now) {
  const std::uint32_t taken = pod.take(now);
  ++in_flight_;
  request.grant_ = {.pod = &pod, .taken = taken, .held_since = std::exchange(held_since_, {})};
  request.state_ = HoldState::kGranted;
}

void RevisionThrottler::dispatch(TimePoint now) {
  while (waiting() > 0) {
    proxy::WaitingLine& line = next_line();
    auto& request = static_cast<HeldRequest&>(*line.first());
    PodTracker* pod = pick_for(request, now);
    if (pod == nullptr) return;
    grant(request, *pod, now);
    line.grant_first();
  }
}

void RevisionThrottler::answered(const HeldRequest& request, const ReplicaWord& word,
                                 TimePoint now) {
  CHECK(request.state_ == HoldState::kGranted, "only a granted request is answered");
  PodTracker& pod = *request.grant_.pod;
  if (word.is_of_app) pod.answered();
  if (!word.in_flight || !goes_by_told_load(settings_.load_balancing)) return;
  pod.told(*word.in_flight, now);
  dispatch(now);
}

bool RevisionThrottler::release(HeldRequest& request, PodOutcome outcome, TimePoint now) {
  CHECK(request.state_ == HoldState::kGranted, "only a granted request has a slot");
  PodTracker& pod = *request.grant_.pod;
  if (outcome == PodOutcome::kSilent) {
    if (request.silent_at_ == pod.name() || is_last_trusted(pod)) outcome = PodOutcome::kUnknown;
    request.silent_at_ = pod.name();
  }
  const bool was_set_aside = pod.give_back(outcome, request.grant_.taken, now);
  if (was_set_aside) count_set_aside();
  --in_flight_;
  request.state_ = HoldState::kOutside;
  drain_rate_.pass(waiting() > 0, now);
  if (waiting() > 0) drain_rate_.freed();
  if (!pod.is_listed() && pod.in_flight() == 0) forget_unlisted();
  dispatch(now);
  return was_set_aside;
}

void RevisionThrottler::update(const RevisionView& view, TimePoint now) {
  closed_.reset();
  take_settings(view);
  const std::int32_t slots = settings_.container_concurrency;
  ready_ = view.ready.size();
  if (view.shared_address && ready_ > 0) {
    const std::int64_t share =
        slots == 0 ? 0 : shared_address_slots(slots, ready_, view.share.activators);
    take_replicas({{.name = PodName("any"), .address = *view.shared_address}},
                  static_cast<std::int32_t>(share));
  } else {
    take_replicas(view.ready, slots);
    assign_slice(view.share);
  }
  trouble_ = view.trouble;
  forget_unlisted();
  count_set_aside();
  if (const std::optional<Error> reason = reason_to_refuse()) refuse_all(*reason);
  dispatch(now);
}

void RevisionThrottler::take_settings(const RevisionView& view) {
  const config::RevisionSettings before = std::exchange(settings_, view.settings);
  line_.set_limits(line_limits(settings_));
  again_.set_limits(only_age(settings_.request_timeout));
  again_ages_.set_limits(only_age(settings_.queue_age));
  if (before.load_balancing != settings_.load_balancing ||
      before.container_concurrency != settings_.container_concurrency) {
    policy_ = make_pick_policy(settings_.load_balancing, settings_.container_concurrency, random_);
  }
}

void RevisionThrottler::take_replicas(const std::vector<ReplicaView>& listed, std::int32_t slots) {
  for (const auto& pod : pods_) {
    const bool is_listed = std::binary_search(
        listed.begin(), listed.end(), pod->view(),
        [](const ReplicaView& a, const ReplicaView& b) { return a.name < b.name; });
    if (!is_listed) pod->unlist();
  }
  for (const ReplicaView& replica : listed) {
    const auto place =
        std::lower_bound(pods_.begin(), pods_.end(), replica.name,
                         [](const auto& pod, const PodName& name) { return pod->name() < name; });
    if (place != pods_.end() && (*place)->name() == replica.name) {
      (*place)->update(replica, slots);
    } else {
      pods_.insert(place, std::make_unique<PodTracker>(replica, slots));
    }
  }
}

void RevisionThrottler::assign_slice(ActivatorShare share) {
  // Who is told what others do there uses all replicas, its slice first.
  const bool keeps_to_slice =
      settings_.container_concurrency > 0 && !goes_by_told_load(settings_.load_balancing);
  const std::vector<bool> slice = slice_of(ready_, share);
  std::size_t at = 0;
  for (const auto& pod : pods_) {
    if (!pod->is_listed()) continue;
    const bool is_in_slice = slice[at++];
    pod->assign(is_in_slice || !keeps_to_slice);
    pod->prefer(is_in_slice);
  }
}

void RevisionThrottler::count_set_aside() {
  set_aside_ = 0;
  any_trusted_ = false;
  for (const auto& pod : pods_) {
    if (pod->is_set_aside()) ++set_aside_;
    any_trusted_ |= pod->is_usable() && !pod->is_set_aside();
  }
}

bool RevisionThrottler::is_last_trusted(const PodTracker& pod) const {
  return std::none_of(pods_.begin(), pods_.end(), [&](const auto& other) {
    return other.get() != &pod && other->is_usable() && !other->is_set_aside();
  });
}

std::vector<ProbeOrder> RevisionThrottler::due_probes(TimePoint now) {
  std::vector<ProbeOrder> due;
  const bool eagerly = all_set_aside() && waiting() > 0;
  for (const auto& pod : pods_) {
    const auto at = pod->probe_at(eagerly);
    if (!at || *at > now) continue;
    pod->probe_begins();
    due.push_back({pod->name(), pod->address()});
  }
  return due;
}

bool RevisionThrottler::probe_ended(const PodName& replica, bool has_answered, TimePoint now) {
  bool is_back = false;
  for (const auto& pod : pods_) {
    if (pod->name() == replica) is_back = pod->probe_ended(has_answered, now);
  }
  count_set_aside();
  dispatch(now);
  return is_back;
}

void RevisionThrottler::forget_unlisted() {
  std::erase_if(pods_, [](const auto& pod) { return !pod->is_listed() && pod->in_flight() == 0; });
}

void RevisionThrottler::close(Error error) {
  for (const auto& pod : pods_) pod->unlist();
  ready_ = 0;
  forget_unlisted();
  count_set_aside();
  closed_ = std::move(error);
  refuse_all(*closed_);
}

void RevisionThrottler::tick(TimePoint now) {
  again_.expire(now);
  again_ages_.expire(now);
  line_.expire(now);
  forget_waking_if_nobody_waits();
  dispatch(now);
}

std::optional<TimePoint> RevisionThrottler::next_tick(TimePoint now) const {
  if (is_quiet()) return std::nullopt;
  TimePoint next = TimePoint::max();
  for (const proxy::WaitingLine* line : {&again_, &again_ages_, &line_}) {
    if (!line->empty()) next = std::min(next, line->expiry(line->first()->joined()));
  }
  const bool somebody_waits = waiting() > 0;
  if (const auto wake = activation_.next_wake(); wake && somebody_waits) {
    next = std::min(next, *wake);
  }
  const bool eagerly = all_set_aside() && somebody_waits;
  for (const auto& pod : pods_) {
    if (const auto probe = pod->probe_at(eagerly)) next = std::min(next, *probe);
    if (!somebody_waits) continue;
    if (const auto fades = pod->word_fades_at(now)) next = std::min(next, *fades);
  }
  return next == TimePoint::max() ? std::nullopt : std::optional(next);
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
  const bool is_total = total_bounds_wait(settings_);
  const std::string waited =
      duration_text(longest_wait(settings_)) + (is_total ? " (revision-timeout)" : " (queue-age)");
  std::string why = ready_ == 0 ? "no replica became ready within " + waited
                                : "no replica had room within " + waited;
  if (all_set_aside()) {
    why = "all replicas failed (" + std::to_string(set_aside_) +
          ") and none of them answered a probe within " + waited;
  }
  // The request's own time-out is a 504 wherever it strikes; too long in line alone is a 503.
  return Error(ErrorKind::kTimeout, culprit(), std::move(why),
               is_total ? ErrorSide::kUpstream : ErrorSide::kInternal);
}

Error RevisionThrottler::too_old_again() const {
  return Error(ErrorKind::kTimeout, culprit(),
               "a replica failed and no other one took the request within " +
                   duration_text(settings_.queue_age) + " after that (queue-age)",
               ErrorSide::kInternal);
}

Error RevisionThrottler::too_late_again() const {
  return Error(ErrorKind::kTimeout, culprit(),
               "a replica failed and no other one took the request before its " +
                   duration_text(settings_.request_timeout) + " ended (revision-timeout)",
               ErrorSide::kUpstream);
}

}  // namespace bellows::activator
