// How several activators share slots: Knative's arithmetic, with the numbers of its own tests
// (knative.md 7.5, cases 81 to 84), and two activators in front of the same replicas.
#include "activator/core/slot_share.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "tests/unit/activator/throttler_diary.hpp"

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;

TEST(SharedAddress, HasThisActivatorsPartOfAllSlotsAndAtLeastOne) {  // case 81
  struct Case {
    std::size_t backends;
    std::int32_t activators;
    std::int64_t slots;
  };
  for (const Case& each : {Case{1, 1, 10}, Case{10, 1, 100}, Case{100, 1, 1000}, Case{10, 5, 20},
                           Case{10, 200, 1}, Case{0, 200, 0}, Case{0, 0, 0}, Case{3, 0, 30}}) {
    EXPECT_EQ(shared_address_slots(10, each.backends, each.activators), each.slots)
        << each.backends << " backends, " << each.activators << " activators";
  }
}

/// "101": the first and the third are ours.
std::string slice(std::size_t pods, std::int32_t activators, std::int32_t index) {
  std::string text;
  for (const bool is_ours : slice_of(pods, {activators, index})) text += is_ours ? '1' : '0';
  return text;
}

TEST(Slice, IsConsecutiveAndTheLeftOverOnesGoOneByOne) {  // cases 83 and 84
  EXPECT_EQ(slice(2, 1, 0), "11");
  EXPECT_EQ(slice(2, 2, 0), "10");
  EXPECT_EQ(slice(2, 2, 1), "01");
  EXPECT_EQ(slice(3, 2, 0), "101");
  EXPECT_EQ(slice(3, 2, 1), "010");
  EXPECT_EQ(slice(5, 2, 0), "11001");
  EXPECT_EQ(slice(5, 2, 1), "00110");
  EXPECT_EQ(slice(8, 3, 1), "00110001");
}

TEST(Slice, IsOnePodTogetherWithOthersWhenThereAreMoreActivators) {
  EXPECT_EQ(slice(2, 5, 0), "10");
  EXPECT_EQ(slice(2, 5, 3), "01");
  EXPECT_EQ(slice(2, 5, 4), "10");
}

TEST(Slice, IsEverythingForOneThatIsNotAmongTheActivators) {
  EXPECT_EQ(slice(3, 4, -1), "111");
}

TEST(Slice, OfNothingIsNothing) {
  EXPECT_EQ(slice(0, 3, 1), "");
}

/// A request in front of both activators.
struct Arrival {
  milliseconds at{};
  int activator = 0;
  milliseconds service_time{};
};

/// Two activators with a half of the replicas each for a slice, and the queue-proxies of the
/// replicas: a request runs at once, waits there, or is refused once it may not wait any longer.
/// Time passes in steps of a millisecond.
class TwoActivators {
 public:
  explicit TwoActivators(std::int32_t slots, const std::vector<std::string>& replicas = kFour)
      : slots_(slots) {
    for (std::int32_t index = 0; index < 2; ++index) {
      Diary& activator = activators_[static_cast<std::size_t>(index)];
      activator.view().settings.container_concurrency = slots;
      activator.view().share = {2, index};
      activator.replicas(replicas);
    }
  }

  /// How a request has waited: in all, and at most at a stretch while a slot was free somewhere.
  struct Wait {
    milliseconds total{};
    milliseconds with_free_slot{};
  };

  /// Until all of them have run. `arrivals` are in their order.
  std::vector<Wait> run(const std::vector<Arrival>& arrivals) {
    std::size_t come = 0;
    while (come < arrivals.size() || ended_ < arrivals.size()) {
      pass([&] {
        for (; come < arrivals.size() && arrivals[come].at == now_; ++come) arrive(arrivals[come]);
      });
    }
    std::vector<Wait> waits;
    for (const Request& request : requests_) waits.push_back(request.wait);
    return waits;
  }

  /// Requests of 20 ms of `callers` callers for kServed. Each sends the next one when it has the
  /// response, with the probability `moves` to the other activator. Returns how many each got
  /// answered.
  std::vector<int> serve(std::size_t callers, double moves, std::uint64_t seed) {
    SeededRandom random(seed);
    std::vector<int> answered(callers, 0);
    struct Turn {
      int activator = 0;
      Request* request = nullptr;
    };
    std::vector<Turn> turns;
    for (std::size_t i = 0; i < callers; ++i)
      turns.push_back({.activator = static_cast<int>(i % 2)});
    while (now_ < kServed) {
      pass([&] {
        for (std::size_t i = 0; i < callers; ++i) {
          Turn& turn = turns[i];
          const bool is_first = turn.request == nullptr;
          if (!is_first && turn.request->state != Request::State::kEnded) continue;
          if (!is_first) ++answered[i];
          if (!is_first && random.fraction() < moves) turn.activator = 1 - turn.activator;
          arrive({now_, turn.activator, milliseconds(20)});
          turn.request = &requests_.back();
        }
      });
    }
    return answered;
  }

  int refused() const { return refused_; }

  static constexpr milliseconds kServed{10'000};

 private:
  inline static const std::vector<std::string> kFour = {"web-0", "web-1", "web-2", "web-3"};

  struct Request {
    Diary* activator;
    Caller* caller;
    milliseconds service_time;
    milliseconds end{};  // of its run, or of its wait at a replica
    enum class State : std::uint8_t { kAtActivator, kAtReplica, kRunning, kEnded } state{};
    milliseconds stretch{};
    Wait wait{};
  };
  template <class Come>
  void pass(Come come) {
    for (Diary& activator : activators_) activator.at(now_);
    end_requests();
    refuse_overdue();
    come();
    while (send_granted()) {
    }
    note_waits();
    ++now_;
  }

  struct Replica {
    std::vector<Request*> running;
    std::deque<Request*> waiting;
  };

  void arrive(const Arrival& arrival) {
    Diary& activator = activators_[static_cast<std::size_t>(arrival.activator)];
    requests_.push_back({&activator, &activator.arrives("x"), arrival.service_time});
  }

  Replica& replica_of(const Request& request) {
    return replicas_[static_cast<std::size_t>(Diary::pod_of(*request.caller).back() - '0')];
  }

  void begin(Replica& replica, Request& request) {
    request.state = Request::State::kRunning;
    request.end = now_ + request.service_time;
    replica.running.push_back(&request);
  }

  bool has_room(const Replica& replica) const {
    return replica.running.size() < static_cast<std::size_t>(slots_);
  }

  bool send_granted() {
    bool was_sent = false;
    for (Request& request : requests_) {
      if (request.state != Request::State::kAtActivator ||
          request.caller->state() != HoldState::kGranted) {
        continue;
      }
      was_sent = true;
      Replica& replica = replica_of(request);
      if (has_room(replica)) {
        begin(replica, request);
      } else if (request.caller->grant().wait == proxy::SlotWait::kBrief) {
        request.state = Request::State::kAtReplica;
        request.end = now_ + duration_cast<milliseconds>(proxy::kBriefWait);
        replica.waiting.push_back(&request);
      } else {
        refuse(request);
      }
    }
    return was_sent;
  }

  void refuse(Request& request) {
    ++refused_;
    request.state = Request::State::kAtActivator;
    request.activator->ends(*request.caller, PodOutcome::kFull);
    request.activator->throttler().requeue(*request.caller, 1000, request.activator->now());
  }

  void refuse_overdue() {
    for (Request& request : requests_) {
      if (request.state != Request::State::kAtReplica || request.end != now_) continue;
      std::erase(replica_of(request).waiting, &request);
      refuse(request);
    }
  }

  void end_requests() {
    for (Request& request : requests_) {
      if (request.state != Request::State::kRunning || request.end != now_) continue;
      Replica& replica = replica_of(request);
      const std::size_t load = replica.running.size() + replica.waiting.size();
      std::erase(replica.running, &request);
      if (!replica.waiting.empty()) {
        begin(replica, *replica.waiting.front());
        replica.waiting.pop_front();
      }
      request.state = Request::State::kEnded;
      ++ended_;
      request.activator->throttler().record_response(*request.caller,
                                                     {.in_flight = static_cast<std::int32_t>(load)},
                                                     request.activator->now());
      request.activator->ends(*request.caller);
    }
  }

  void note_waits() {
    const bool is_free = std::ranges::any_of(
        replicas_, [this](const Replica& replica) { return has_room(replica); });
    for (Request& request : requests_) {
      if (request.state != Request::State::kAtActivator &&
          request.state != Request::State::kAtReplica) {
        continue;
      }
      ++request.wait.total;
      request.stretch = is_free ? request.stretch + milliseconds(1) : milliseconds(0);
      request.wait.with_free_slot = std::max(request.wait.with_free_slot, request.stretch);
    }
  }

  const std::int32_t slots_;
  milliseconds now_{};
  std::array<Diary, 2> activators_;
  std::array<Replica, 4> replicas_;
  std::deque<Request> requests_;
  std::size_t ended_ = 0;
  int refused_ = 0;
};

constexpr int kServedSeconds = static_cast<int>(TwoActivators::kServed / std::chrono::seconds(1));
constexpr milliseconds kLong{3000};
constexpr milliseconds kShort{20};

/// How long a short request waits that comes half a second after the long ones: what was reported
/// of those is forgotten by then.
TwoActivators::Wait wait_beside(const std::vector<int>& activators_of_long_ones, int activator,
                                std::int32_t slots, milliseconds service_time = kLong) {
  TwoActivators world(slots);
  std::vector<Arrival> arrivals;
  for (const int each : activators_of_long_ones) {
    arrivals.push_back({milliseconds(0), each, service_time});
  }
  arrivals.push_back({milliseconds(500), activator, kShort});
  return world.run(arrivals).back();
}

TEST(TwoActivatorsOfTheSameReplicas, LeaveNoShortRequestBehindALongOneWhileASlotIsFree) {
  struct Case {
    std::string situation;
    std::int32_t slots;
    std::vector<int> activators_of_long_ones;
    int activator_of_short_one;
  };
  for (const Case& each :
       {Case{"the other one's slice is full", 1, {1, 1}, 0},
        Case{"the other one has a replica of its slice", 1, {1, 1, 1}, 0},
        Case{"its slice is full", 1, {0, 0}, 0},
        Case{"its slice is full, and a part of the other's", 1, {0, 0, 1}, 0},
        Case{"it has all replicas but one", 1, {0, 0, 0}, 0},
        Case{"the other one has all replicas but one", 1, {0, 0, 0}, 1},
        Case{"its slice is full, of two slots each", 2, {0, 0, 0, 0}, 0},
        Case{"seven of eight slots are taken by both", 2, {1, 1, 1, 1, 0, 1, 0}, 0},
        Case{"seven of eight slots are taken by the other one", 2, {1, 1, 1, 1, 1, 1, 1}, 0}}) {
    const auto wait =
        wait_beside(each.activators_of_long_ones, each.activator_of_short_one, each.slots);
    EXPECT_EQ(wait.total, milliseconds(0)) << each.situation;
  }
}

TEST(TwoActivatorsOfTheSameReplicas, FindASlotThatTheOtherOneFreesBeforeABriefWaitEnds) {
  for (const int service_time : {510, 600, 750, 900, 1400, 3000}) {
    const auto wait = wait_beside({1, 1, 1, 1}, 0, 1, milliseconds(service_time));
    EXPECT_GE(wait.total, milliseconds(service_time - 500)) << "all slots are taken";
    EXPECT_LE(wait.with_free_slot, proxy::kBriefWait + kFullTime) << service_time;
  }
}

TEST(TwoActivatorsOfTheSameReplicas, ServeBothIfOneFillsEverySlotAtOnce) {
  TwoActivators world(1);
  std::vector<Arrival> arrivals(100, Arrival{milliseconds(0), 1, milliseconds(300)});
  arrivals.push_back({milliseconds(50), 0, kShort});
  const auto wait = world.run(arrivals).back();
  EXPECT_GT(world.refused(), 0);
  EXPECT_LE(wait.total, milliseconds(2 * 300)) << "it waits at a replica, before what comes later";
}

TEST(TwoActivatorsOfTheSameReplicas, ServeAMixOfLongAndShortOnes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SeededRandom random(seed);
    std::vector<Arrival> arrivals;
    for (int ms = 0; ms < 20'000; ms += 100) {
      const bool is_long = random.next() % 20 == 0;
      const milliseconds service_time(is_long ? 2000 + random.next() % 3000 : 20);
      arrivals.push_back({milliseconds(ms), static_cast<int>(random.next() % 2), service_time});
    }
    const auto waits = TwoActivators(1).run(arrivals);
    milliseconds longest{};
    for (const auto& wait : waits) longest = std::max(longest, wait.with_free_slot);
    EXPECT_LE(longest, kReportHalfLife + kFullTime) << "seed " << seed;
  }
}

/// 50 a second is all that the slot can do.
TEST(TwoActivatorsOfTheSameReplicas, LeaveOneSlotIdleForNoCallerAndStarveNone) {
  for (const std::size_t callers : {1, 2, 3, 8}) {
    for (const double moves : {0.0, 0.1, 0.5, 1.0}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto answered = TwoActivators(1, {"web-0"}).serve(callers, moves, seed);
        const int all = std::accumulate(answered.begin(), answered.end(), 0);
        const std::string what = std::to_string(callers) + " callers that move with " +
                                 std::to_string(moves) + ", seed " + std::to_string(seed);
        EXPECT_GE(all, 45 * kServedSeconds) << what;
        EXPECT_GE(*std::ranges::min_element(answered), all / static_cast<int>(callers) / 2) << what;
      }
    }
  }
}

TEST(SharedSlots, AreThoseOfSeveralActivatorsThatUseReportsAndALimit) {
  constexpr auto kLeastLoaded = config::LoadBalancing::kLeastLoaded;
  struct Case {
    ActivatorShare share;
    std::int32_t container_concurrency;
    config::LoadBalancing policy;
    bool is_refused;  // by a full replica
  };
  for (const Case& each :
       {Case{{2, 0}, 1, kLeastLoaded, true}, Case{{2, 1}, 5, kLeastLoaded, true},
        Case{{1, 0}, 1, kLeastLoaded, false}, Case{{1, -1}, 1, kLeastLoaded, false},
        Case{{2, 0}, 0, kLeastLoaded, false},
        Case{{2, 0}, 1, config::LoadBalancing::kKnative, false}}) {
    Diary diary;
    diary.view().share = each.share;
    diary.view().settings.container_concurrency = each.container_concurrency;
    diary.view().settings.load_balancing = each.policy;
    diary.replicas({"web-1", "web-2"});
    const proxy::SlotWait wait = diary.arrives("a").grant().wait;
    EXPECT_EQ(wait != proxy::SlotWait::kUnbounded, each.is_refused)
        << each.share.activators << " activators, container-concurrency "
        << each.container_concurrency;
  }
}

}  // namespace
}  // namespace bellows::activator
