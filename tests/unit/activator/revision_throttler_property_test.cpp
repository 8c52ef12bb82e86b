// Whatever callers, replicas and time do, in whatever order: first come first served, no slot too
// many, no slot idle while somebody waits, none lost.
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "activator/core/revision_throttler.hpp"

namespace bellows::activator {
namespace {

constexpr std::int32_t kSlots = 3;
constexpr std::int64_t kQueueDepth = 12;

class Caller final : public HeldRequest {
 public:
  Caller(int number, std::vector<int>& granted) : number_(number), granted_(granted) {}
  int number() const { return number_; }

 protected:
  void on_settled() override {
    if (state() == HoldState::kGranted) granted_.push_back(number_);
  }

 private:
  int number_;
  std::vector<int>& granted_;
};

/// The throttler among random events, with what must hold after each of them.
class World {
 public:
  World() {
    view_.settings.container_concurrency = kSlots;
    view_.settings.queue_depth = kQueueDepth;
    view_.settings.queue_age = std::chrono::seconds(2);
    throttler_.update(view_, now_);
  }

  void step(int what, int choice) {
    switch (what) {
      case 0:
      case 1:
      case 2:
        arrive();
        break;
      case 3:
        hang_up(choice);
        break;
      case 4:
      case 5:
        end(choice, PodOutcome::kAnswered);
        break;
      case 6:
        end(choice, choice % 3 == 0 ? PodOutcome::kFailed : PodOutcome::kUnknown);
        break;
      case 7:
        set_replicas(choice % 4);
        break;
      case 8:
        tell(choice);
        break;
      default:
        now_ += std::chrono::milliseconds(50 * choice);
        throttler_.tick(now_);
        for (const ProbeOrder& order : throttler_.due_probes(now_)) {
          throttler_.probe_ended(order.replica, choice % 2 == 0, now_);
        }
    }
    check();
  }

  void drain() {
    for (const auto& caller : callers_) {
      throttler_.leave(*caller, now_);
    }
    RC_ASSERT(throttler_.is_idle());
    for (const auto& pod : throttler_.pods()) RC_ASSERT(pod->in_flight() == 0);
  }

 private:
  void arrive() {
    callers_.push_back(std::make_unique<Caller>(next_++, granted_));
    const bool is_full = throttler_.waiting() >= kQueueDepth;
    const HoldState state = throttler_.enter(*callers_.back(), 1, now_);
    if (is_full) RC_ASSERT(state != HoldState::kGranted);
  }
  Caller* pick(HoldState state, int choice) {
    std::vector<Caller*> fitting;
    for (const auto& caller : callers_) {
      if (caller->state() == state) fitting.push_back(caller.get());
    }
    return fitting.empty() ? nullptr : fitting[static_cast<std::size_t>(choice) % fitting.size()];
  }
  void hang_up(int choice) {
    Caller* caller = pick(choice % 2 == 0 ? HoldState::kWaiting : HoldState::kGranted, choice);
    if (caller != nullptr) throttler_.leave(*caller, now_);
  }
  void end(int choice, PodOutcome outcome) {
    Caller* caller = pick(HoldState::kGranted, choice);
    if (caller != nullptr) throttler_.release(*caller, outcome, now_);
  }
  void tell(int choice) {
    Caller* caller = pick(HoldState::kGranted, choice);
    if (caller != nullptr) throttler_.answered(*caller, {.in_flight = choice % (2 * kSlots)}, now_);
  }
  void set_replicas(int count) {
    view_.ready.clear();
    for (int i = 0; i < count; ++i) {
      view_.ready.push_back({.name = PodName("web-" + std::to_string(i)), .address = {}});
    }
    throttler_.update(view_, now_);
  }

  void check() {
    RC_ASSERT(std::is_sorted(granted_.begin(), granted_.end()));
    std::int64_t waiting = 0;
    std::int64_t running = 0;
    for (const auto& caller : callers_) {
      waiting += caller->state() == HoldState::kWaiting ? 1 : 0;
      running += caller->state() == HoldState::kGranted ? 1 : 0;
    }
    RC_ASSERT(throttler_.waiting() == waiting);
    RC_ASSERT(throttler_.in_flight() == running);
    RC_ASSERT(waiting <= kQueueDepth);
    std::int64_t in_pods = 0;
    for (const auto& pod : throttler_.pods()) {
      in_pods += pod->in_flight();
      RC_ASSERT(pod->in_flight() <= kSlots);
      RC_ASSERT(waiting == 0 || !pod->can_take(now_));
    }
    RC_ASSERT(in_pods == running);
    std::erase_if(callers_, [](const auto& caller) {
      return caller->state() == HoldState::kOutside || caller->state() == HoldState::kRefused;
    });
  }

  TimePoint now_{std::chrono::hours(24)};
  RevisionView view_;
  SeededRandom random_{1};
  RevisionThrottler throttler_{RevisionId("web"), random_};
  std::vector<int> granted_;  // in the order they stopped waiting
  std::vector<std::unique_ptr<Caller>> callers_;
  int next_ = 0;
};

RC_GTEST_PROP(ThrottlerProperty, HoldsUnderEveryInterleaving, ()) {
  World world;
  const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 10), rc::gen::inRange(0, 20)));
  for (const auto& [what, choice] : steps) world.step(what, choice);
  world.drain();
}

}  // namespace
}  // namespace bellows::activator
