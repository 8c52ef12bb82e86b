// For every sequence of events of callers, replicas, settings and time: strict FIFO, no slot is
// exceeded, no slot stays idle while a request waits, one waits at a replica while nothing else is
// there, no slot leaks, no request waits forever, and a response that is expected changes nothing.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "activator/core/revision_throttler.hpp"

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;

constexpr int kReplicas = 4;
constexpr int kKindsOfSteps = 17;
constexpr std::array kEnds = {PodOutcome::kFailed, PodOutcome::kUnknown, PodOutcome::kUnresponsive,
                              PodOutcome::kFull};

class PropertyCaller final : public HeldRequest {
 public:
  PropertyCaller(int place, std::function<void(const PropertyCaller&)> on_granted)
      : number(place), on_granted_(std::move(on_granted)) {}

  /// True if it must be granted before `other` if both are queued.
  bool is_before(const PropertyCaller& other) const {
    if (is_requeued != other.is_requeued) return is_requeued;
    return is_requeued ? first_enqueued() < other.first_enqueued() : number < other.number;
  }

  const int number;
  bool is_requeued = false;  // its replica failed
  TimePoint joined{};        // when it was enqueued or requeued

 protected:
  void on_settled() override {
    if (state() == HoldState::kGranted) on_granted_(*this);
  }

 private:
  std::function<void(const PropertyCaller&)> on_granted_;
};

/// The throttler with random events, and the invariants after each of them.
class World {
 public:
  World() {
    change_settings(0);
    set_replicas(2);
  }

  void step(int what, int choice) {
    switch (what) {
      case 0:
      case 1:
      case 2:
      case 3:
        arrive();
        break;
      case 4:
        hang_up(choice);
        break;
      case 5:
      case 6:
        end(choice, PodOutcome::kResponded);
        break;
      case 7:
        end(choice, kEnds[static_cast<std::size_t>(choice) % kEnds.size()]);
        break;
      case 8:
      case 9:
        fail_and_come_again(choice);
        break;
      case 10:
        set_replicas(choice % (kReplicas + 1));
        break;
      case 11:
        tell(choice);
        break;
      case 12:
        become_ready_anew(choice);
        break;
      case 13:
        change_settings(choice);
        throttler_.update(view_, now_);
        break;
      case 14:
        view_.failure_message = choice % 2 == 0 ? "replica web-0 crashed 5 times" : "";
        throttler_.update(view_, now_);
        break;
      case 15:
        if (choice % 4 == 0) throttler_.close(Error(ErrorKind::kGone, "service web", "retired"));
        break;
      default:
        pass(milliseconds(50 * choice), choice % 2 == 0);
    }
    constexpr int kTell = 11;
    if (what > 6 && what != kTell) last_news_ = now_;
    check();
  }

  void drain() {
    for (const auto& caller : callers_) throttler_.cancel(*caller, now_);
    RC_ASSERT(throttler_.is_idle());
    for (const auto& pod : throttler_.pods()) RC_ASSERT(pod->in_flight() == 0);
  }

 private:
  /// Called for each grant, at once or after a wait, before the next one.
  void note_granted(const PropertyCaller& granted) {
    for (const auto& caller : callers_) {
      const bool waits = caller->state() == HoldState::kQueued;
      is_fair_ &= !waits || !caller->is_before(granted);
    }
    const std::int32_t slots = view_.settings.container_concurrency;
    keeps_to_slots_ &= slots == 0 || granted.grant().pod->in_flight() <= slots;
  }

  void arrive() {
    now_ += milliseconds(1);  // so that the order of arrival is defined
    callers_.push_back(std::make_unique<PropertyCaller>(
        next_++, [this](const PropertyCaller& granted) { note_granted(granted); }));
    PropertyCaller& caller = *callers_.back();
    caller.joined = now_;
    if (next_ % 3 == 0) caller.prefer(PodName("web-" + std::to_string(next_ % 5)));  // a session
    const HoldState state = throttler_.enqueue(caller, 1, now_);
    if (state == HoldState::kGranted) note_granted(caller);
    if (state != HoldState::kQueued) return;
    const auto first_timers = std::count_if(callers_.begin(), callers_.end(), [](const auto& each) {
      return each->state() == HoldState::kQueued && !each->is_requeued;
    });
    RC_ASSERT(first_timers <= view_.settings.queue_depth);
  }

  void fail_and_come_again(int choice) {
    PropertyCaller* caller = pick(HoldState::kGranted, choice);
    if (caller == nullptr) return;
    constexpr std::array kFailures = {PodOutcome::kFailed, PodOutcome::kFull,
                                      PodOutcome::kUnresponsive};
    const PodOutcome failure = kFailures[static_cast<std::size_t>(choice) % kFailures.size()];
    throttler_.release(*caller, failure, now_);
    caller->is_requeued = true;
    caller->joined = now_;
    if (throttler_.requeue(*caller, 1, now_) == HoldState::kGranted) note_granted(*caller);
  }

  PropertyCaller* pick(HoldState state, int choice) {
    std::vector<PropertyCaller*> fitting;
    for (const auto& caller : callers_) {
      if (caller->state() == state) fitting.push_back(caller.get());
    }
    return fitting.empty() ? nullptr : fitting[static_cast<std::size_t>(choice) % fitting.size()];
  }

  void hang_up(int choice) {
    PropertyCaller* caller =
        pick(choice % 2 == 0 ? HoldState::kQueued : HoldState::kGranted, choice);
    if (caller != nullptr) throttler_.cancel(*caller, now_);
  }

  void end(int choice, PodOutcome outcome) {
    PropertyCaller* caller = pick(HoldState::kGranted, choice);
    if (caller != nullptr) throttler_.release(*caller, outcome, now_);
  }

  void tell(int choice) {
    PropertyCaller* caller = pick(HoldState::kGranted, choice);
    if (caller == nullptr) return;
    const LoadReport report{.in_flight = choice % 6};
    const bool is_expected =
        caller->grant().at > last_news_ && caller->grant().is_expected(report, now_);
    const std::optional<TimePoint> next_tick = throttler_.next_tick();
    const bool is_due = next_tick && *next_tick <= now_;  // any response grants what is due
    const std::vector<std::int32_t> before = known_of_replicas();
    throttler_.record_response(*caller, report, now_);
    if (is_expected && !is_due) RC_ASSERT(known_of_replicas() == before);
    if (!is_expected) last_news_ = now_;
  }

  /// What responses have told.
  std::vector<std::int32_t> known_of_replicas() {
    std::vector<std::int32_t> known;
    for (const auto& pod : throttler_.pods()) {
      known.push_back(pod->load(now_));
      known.push_back(pod->expected_report(false));
    }
    return known;
  }

  void set_replicas(int count) {
    view_.ready.clear();
    for (int i = 0; i < count; ++i) {
      view_.ready.push_back({.name = PodName("web-" + std::to_string(i)),
                             .address = {},
                             .ready = ready_since_[static_cast<std::size_t>(i)]});
    }
    throttler_.update(view_, now_);
  }

  void become_ready_anew(int choice) {
    ready_since_[static_cast<std::size_t>(choice) % kReplicas] = now_;
    set_replicas(static_cast<int>(view_.ready.size()));
  }

  void change_settings(int choice) {
    constexpr std::array kPolicies = {config::LoadBalancing::kLeastLoaded,
                                      config::LoadBalancing::kKnative};
    config::RevisionSettings& settings = view_.settings;
    settings.container_concurrency = (choice + 3) % 4;
    settings.queue_depth = 12 - choice % 10;
    settings.queue_age = milliseconds(2000 - 90 * choice);
    settings.request_timeout = milliseconds(choice % 3 == 0 ? 0 : 700 * (choice % 5 + 1));
    settings.load_balancing = kPolicies[static_cast<std::size_t>(choice) % kPolicies.size()];
    view_.share = {.activators = 2, .index = choice % 3 - 1};
  }

  void pass(Duration duration, bool do_probes_answer) {
    now_ += duration;
    throttler_.tick(now_);
    for (const auto& caller : callers_) {
      if (caller->state() != HoldState::kQueued) continue;
      const Duration total = view_.settings.request_timeout;
      RC_ASSERT(now_ - caller->joined < view_.settings.queue_age);
      RC_ASSERT(total == Duration::zero() || now_ - caller->first_enqueued() < total);
    }
    for (const DueProbe& due : throttler_.due_probes(now_)) {
      throttler_.end_probe(due.replica, do_probes_answer, now_);
    }
  }

  void check() {
    RC_ASSERT(is_fair_);
    RC_ASSERT(keeps_to_slots_);
    std::int64_t waiting = 0;
    std::int64_t running = 0;
    for (const auto& caller : callers_) {
      waiting += caller->state() == HoldState::kQueued ? 1 : 0;
      running += caller->state() == HoldState::kGranted ? 1 : 0;
    }
    RC_ASSERT(throttler_.waiting() == waiting);
    RC_ASSERT(throttler_.in_flight() == running);
    RC_ASSERT(waiting == 0 || !throttler_.rejection_reason());
    const std::optional<TimePoint> next_tick = throttler_.next_tick();
    RC_ASSERT(waiting == 0 || next_tick.has_value());
    const bool shares_slots = view_.settings.container_concurrency > 0 &&
                              view_.settings.load_balancing == config::LoadBalancing::kLeastLoaded;
    std::int64_t in_pods = 0;
    for (const auto& pod : throttler_.pods()) {
      in_pods += pod->in_flight();
      RC_ASSERT(waiting == 0 || !pod->can_take(now_) || *next_tick <= now_);
      const bool may_queue = shares_slots && running == 0 && pod->can_queue(now_);
      RC_ASSERT(waiting == 0 || !may_queue || *next_tick <= now_);
    }
    RC_ASSERT(in_pods == running);
    std::erase_if(callers_, [](const auto& caller) {
      return caller->state() == HoldState::kInactive || caller->state() == HoldState::kRejected;
    });
  }

  TimePoint now_{std::chrono::hours(24)};
  RevisionView view_;
  std::array<TimePoint, kReplicas> ready_since_{};
  SeededRandom random_{1};
  RevisionThrottler throttler_{RevisionId("web"), random_};
  TimePoint last_news_{};       // something else than arrivals and responses has happened
  bool is_fair_ = true;         // no request was overtaken
  bool keeps_to_slots_ = true;  // no slots were exceeded
  std::vector<std::unique_ptr<PropertyCaller>> callers_;
  int next_ = 0;
};

RC_GTEST_PROP(ThrottlerProperty, HoldsForEveryInterleaving, ()) {
  World world;
  const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, kKindsOfSteps), rc::gen::inRange(0, 20)));
  for (const auto& [what, choice] : steps) world.step(what, choice);
  world.drain();
}

}  // namespace
}  // namespace bellows::activator
