#include "cluster/local/replica_machine.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <map>
#include <set>

#include "tests/support/start.hpp"

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;
using What = Action::What;
using Phase = ReplicaPhase;
using Actions = ReplicaMachine::Actions;

using test::kStart;
const Endpoint kAddress{"127.0.0.1", 40001, ""};
const std::string kRefused = "app 127.0.0.1:24001: cannot connect (ECONNREFUSED)";

/// The diary of a replica: times are seconds since it was ordered.
class ReplicaLife : public testing::Test {
 protected:
  ReplicaLife() : machine_(plan(), kStart) {}

  static ReplicaPlan plan() {
    return {.name = PodName("web-1"),
            .app_port = 24001,
            .readiness_path = "",
            .progress_deadline = 60s,
            .drain_timeout = 30s,
            .random = nullptr,
            .stop_timeout = 5s};
  }

  void start_up() {
    machine_.order(kStart);
    machine_.started(Side::kQueueProxy, kStart + 2ms);
    machine_.started(Side::kApp, kStart + 3ms);
    machine_.listening(kAddress);
  }
  void get_ready(TimePoint at = kStart + 300ms) {
    start_up();
    machine_.ready(at);
  }

  Phase phase() const { return machine_.replica().phase; }
  const std::string& failure_message() const { return machine_.replica().failure_message; }

  ReplicaMachine machine_;
};

TEST_F(ReplicaLife, BothProcessesStartTogether) {
  EXPECT_EQ(machine_.order(kStart),
            (Actions{{What::kStart, Side::kApp}, {What::kStart, Side::kQueueProxy}}));
  EXPECT_EQ(phase(), Phase::kPending);
  EXPECT_EQ(machine_.started(Side::kApp, kStart + 2ms), Actions{});
  EXPECT_EQ(phase(), Phase::kStarting);
  machine_.started(Side::kQueueProxy, kStart + 3ms);
  machine_.listening(kAddress);
  EXPECT_EQ(phase(), Phase::kStarting);
  machine_.ready(kStart + 312ms);
  EXPECT_EQ(phase(), Phase::kReady);
  EXPECT_EQ(machine_.replica().address, kAddress);
  EXPECT_EQ(machine_.replica().start, (StartTimes{kStart, kStart + 2ms, kStart + 312ms}));
  EXPECT_EQ(machine_.next_tick(), std::nullopt);
}

TEST_F(ReplicaLife, ReadinessReportedBeforeTheStartOfTheAppCountsAfterIt) {
  machine_.order(kStart);
  machine_.listening(kAddress);
  machine_.ready(kStart + 5ms);
  EXPECT_EQ(phase(), Phase::kPending);
  EXPECT_EQ(machine_.started(Side::kApp, kStart + 6ms), Actions{});
  EXPECT_EQ(phase(), Phase::kReady);
  EXPECT_EQ(machine_.replica().start.ready, kStart + 6ms);
}

TEST_F(ReplicaLife, AppRestartedBesideAStartingQueueProxyBecomesReady) {
  machine_.order(kStart);
  machine_.ended(Side::kApp, "exited with code 1", kStart + 1ms);
  machine_.tick(kStart + 101ms);
  EXPECT_EQ(machine_.started(Side::kApp, kStart + 102ms), Actions{})
      << "no SIGHUP to a process that may not handle it yet";
  machine_.started(Side::kQueueProxy, kStart + 103ms);
  machine_.listening(kAddress);
  machine_.ready(kStart + 110ms);
  EXPECT_EQ(phase(), Phase::kReady);
}

TEST_F(ReplicaLife, CrashedAppRestartsAfterADelayAndTheQueueProxyProbesAgain) {
  get_ready();
  EXPECT_EQ(machine_.ended(Side::kApp, "exited with code 1: boom", kStart + 1s), Actions{});
  EXPECT_EQ(phase(), Phase::kFailed);
  EXPECT_EQ(failure_message(), "web-1: the app exited with code 1: boom");
  EXPECT_EQ(machine_.next_tick(), kStart + 1100ms);
  machine_.ready(kStart + 1050ms);  // reported before the crash
  EXPECT_EQ(phase(), Phase::kFailed);
  EXPECT_EQ(machine_.tick(kStart + 1100ms), (Actions{{What::kStart, Side::kApp}}));
  EXPECT_EQ(machine_.replica().restarts, 1);
  EXPECT_EQ(phase(), Phase::kStarting);
  EXPECT_EQ(machine_.started(Side::kApp, kStart + 1101ms),
            (Actions{{What::kProbeAgain, Side::kQueueProxy}}));
  EXPECT_EQ(phase(), Phase::kStarting) << "the old report does not count for the new app";
  machine_.ready(kStart + 1500ms);
  EXPECT_EQ(phase(), Phase::kReady);
  EXPECT_EQ(failure_message(), "");
  EXPECT_EQ(machine_.replica().start,
            (StartTimes{kStart + 1100ms, kStart + 1101ms, kStart + 1500ms}));
}

TEST_F(ReplicaLife, CrashLoopRestartsWithBackoffAndAFailureMessage) {
  machine_.order(kStart);
  TimePoint now = kStart;
  std::vector<Duration> waits;
  for (int i = 0; i < 9; ++i) {
    machine_.started(Side::kApp, now);
    machine_.ended(Side::kApp, "exited with code 3", now);
    EXPECT_EQ(failure_message(), "web-1: the app exited with code 3");
    waits.push_back(*machine_.next_tick() - now);
    now = *machine_.next_tick();
    machine_.tick(now);
    EXPECT_EQ(failure_message(), "web-1: the app exited with code 3") << "also while it restarts";
  }
  EXPECT_EQ(waits,
            (std::vector<Duration>{100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 6400ms, 10s, 10s}));
  EXPECT_EQ(machine_.replica().restarts, 9);
}

TEST_F(ReplicaLife, IsStuckAfterThreeCrashesInARowButNotAfterOne) {
  get_ready(kStart + 1s);
  for (int crash = 1; crash <= 3; ++crash) {
    EXPECT_FALSE(machine_.is_stuck()) << crash;
    machine_.ended(Side::kApp, "exited with code 1", kStart + crash * 10s);
    machine_.tick(kStart + crash * 10s + 9s);
    machine_.started(Side::kApp, kStart + crash * 10s + 9s);
  }
  EXPECT_TRUE(machine_.is_stuck());
  machine_.ready(kStart + 40s);
  EXPECT_FALSE(machine_.is_stuck());
}

TEST_F(ReplicaLife, CrashAfterTenSecondsOfReadinessHasTheFirstDelay) {
  get_ready(kStart);
  machine_.ended(Side::kApp, "exited with code 1", kStart + 1s);
  machine_.tick(kStart + 1100ms);
  machine_.started(Side::kApp, kStart + 1100ms);
  machine_.ready(kStart + 2s);
  machine_.ended(Side::kApp, "exited with code 1", kStart + 11999ms);
  EXPECT_EQ(machine_.next_tick(), kStart + 11999ms + 200ms) << "9.999 s are not enough";
  machine_.tick(kStart + 13s);
  machine_.started(Side::kApp, kStart + 13s);
  machine_.ready(kStart + 13s);
  machine_.ended(Side::kApp, "exited with code 1", kStart + 23s);
  EXPECT_EQ(machine_.next_tick(), kStart + 23s + 100ms);
}

TEST_F(ReplicaLife, CrashedQueueProxyRestartsAtOnceAndTheAppStays) {
  get_ready();
  EXPECT_EQ(machine_.ended(Side::kQueueProxy, "was killed by SIGKILL", kStart + 1s),
            (Actions{{What::kStart, Side::kQueueProxy}}));
  EXPECT_EQ(phase(), Phase::kStarting);
  EXPECT_TRUE(machine_.replica().address.empty());
  EXPECT_EQ(failure_message(), "web-1: its queue-proxy was killed by SIGKILL");
  EXPECT_EQ(machine_.replica().restarts, 0);
  machine_.started(Side::kQueueProxy, kStart + 1001ms);
  machine_.listening({"127.0.0.1", 40007, ""});
  machine_.ready(kStart + 1010ms);
  EXPECT_EQ(phase(), Phase::kReady);
  EXPECT_EQ(machine_.replica().address.port, 40007);
  EXPECT_EQ(machine_.ended(Side::kQueueProxy, "was killed by SIGKILL", kStart + 2s), Actions{})
      << "the second restart in a row is delayed";
  EXPECT_EQ(machine_.next_tick(), kStart + 2100ms);
}

TEST_F(ReplicaLife, AppThatCannotBeStartedCountsAsACrash) {
  machine_.order(kStart);
  machine_.ended(Side::kApp, "cannot be started: EACCES", kStart + 1ms);
  EXPECT_EQ(phase(), Phase::kFailed);
  EXPECT_EQ(failure_message(), "web-1: the app cannot be started: EACCES");
}

TEST_F(ReplicaLife, AppThatNeverListensIsReportedAtTheDeadlineAndKept) {
  start_up();
  machine_.unready(kRefused, kStart + 1s);
  EXPECT_EQ(failure_message(), "") << "starting is no failure";
  machine_.tick(kStart + 59s);
  EXPECT_EQ(failure_message(), "") << "it may only be slow";
  EXPECT_EQ(machine_.next_tick(), kStart + 60s);
  EXPECT_EQ(machine_.tick(kStart + 60s), Actions{});
  EXPECT_EQ(phase(), Phase::kFailed);
  EXPECT_EQ(failure_message(),
            "web-1: nothing listens on 127.0.0.1:24001 after 1m; $PORT has the port of the app");
  EXPECT_EQ(machine_.next_tick(), std::nullopt);
  machine_.ready(kStart + 90s);
  EXPECT_EQ(phase(), Phase::kReady) << "also after the deadline";
  EXPECT_EQ(failure_message(), "");
}

TEST_F(ReplicaLife, IsStuckAfterTheProgressDeadline) {
  start_up();
  machine_.tick(kStart + 59s);
  EXPECT_FALSE(machine_.is_stuck());
  machine_.tick(kStart + 61s);
  EXPECT_TRUE(machine_.is_stuck());
}

TEST_F(ReplicaLife, AppWithoutAResponseToItsReadinessPathIsReportedWithThePath) {
  ReplicaPlan with_path = plan();
  with_path.readiness_path = "/healthz";
  machine_ = ReplicaMachine(with_path, kStart);
  start_up();
  machine_.tick(kStart + 60s);
  EXPECT_EQ(failure_message(),
            "web-1: no good answer from /healthz on 127.0.0.1:24001 after 1m; $PORT has the port "
            "of the app");
}

TEST_F(ReplicaLife, AppThatListensElsewhereIsReportedWithBothAddresses) {
  start_up();
  machine_.tick(kStart + 50s);
  EXPECT_FALSE(machine_.tick_needs_listeners(kStart + 59s));
  EXPECT_TRUE(machine_.tick_needs_listeners(kStart + 60s));
  machine_.tick(kStart + 60s, "[::1]:24001");
  EXPECT_EQ(failure_message(),
            "web-1: nothing listens on 127.0.0.1:24001 after 1m (it listens on [::1]:24001); $PORT "
            "has the port of the app");
  EXPECT_FALSE(machine_.tick_needs_listeners(kStart + 61s)) << "it is told once";
}

TEST_F(ReplicaLife, AppWithABadReadinessStatusIsReportedWithTheStatus) {
  ReplicaPlan with_path = plan();
  with_path.readiness_path = "/healthz";
  machine_ = ReplicaMachine(with_path, kStart);
  start_up();
  machine_.unready("app 127.0.0.1:24001: answered 500 to GET /healthz; want a status of 200 to 399",
                   kStart + 2s);
  EXPECT_EQ(phase(), Phase::kStarting);
  machine_.tick(kStart + 60s);
  EXPECT_EQ(failure_message(),
            "web-1: not ready after 1m: app 127.0.0.1:24001: answered 500 to GET /healthz; want a "
            "status of 200 to 399");
}

TEST_F(ReplicaLife, QueueProxyThatNeverListensIsNotBlamedOnTheApp) {
  machine_.order(kStart);
  machine_.started(Side::kApp, kStart);
  machine_.tick(kStart + 60s);
  EXPECT_EQ(failure_message(), "web-1: its queue-proxy does not listen after 1m");
}

TEST_F(ReplicaLife, QueueProxyInACrashLoopDoesNotPostponeTheDeadline) {
  start_up();
  machine_.tick(kStart + 49s);
  machine_.ended(Side::kQueueProxy, "exited with code 2", kStart + 50s);
  EXPECT_EQ(machine_.next_tick(), kStart + 60s);
}

TEST_F(ReplicaLife, AppThatBecomesUnreadyIsStartingWithANewDeadline) {
  get_ready();
  machine_.unready("no answer from /healthz", kStart + 100s);
  EXPECT_EQ(phase(), Phase::kStarting);
  EXPECT_EQ(failure_message(), "web-1: no answer from /healthz");
  EXPECT_EQ(machine_.next_tick(), kStart + 160s);
}

TEST_F(ReplicaLife, DrainingEndsTheQueueProxyFirstAndThenTheApp) {
  get_ready();
  EXPECT_EQ(machine_.drain(kStart + 10s), (Actions{{What::kTerminate, Side::kQueueProxy}}));
  EXPECT_EQ(phase(), Phase::kDraining);
  EXPECT_EQ(machine_.drain(kStart + 11s), Actions{}) << "SIGTERM is sent once";
  machine_.ready(kStart + 12s);
  EXPECT_EQ(phase(), Phase::kDraining);
  EXPECT_EQ(machine_.ended(Side::kQueueProxy, "exited with code 0", kStart + 15s),
            (Actions{{What::kTerminate, Side::kApp}}));
  EXPECT_EQ(machine_.next_tick(), kStart + 20s);
  EXPECT_EQ(machine_.ended(Side::kApp, "was killed by SIGTERM", kStart + 16s), Actions{});
  EXPECT_EQ(phase(), Phase::kGone);
  EXPECT_EQ(machine_.next_tick(), std::nullopt);
}

TEST_F(ReplicaLife, AppThatIgnoresSigtermIsKilledFiveSecondsLater) {
  get_ready();
  machine_.drain(kStart + 10s);
  machine_.ended(Side::kQueueProxy, "exited with code 0", kStart + 10s);
  EXPECT_EQ(machine_.tick(kStart + 14999ms), Actions{});
  EXPECT_EQ(machine_.tick(kStart + 15s), (Actions{{What::kKill, Side::kApp}}));
  EXPECT_EQ(phase(), Phase::kDraining) << "until it has gone";
  machine_.ended(Side::kApp, "was killed by SIGKILL", kStart + 15s);
  EXPECT_EQ(phase(), Phase::kGone);
}

TEST_F(ReplicaLife, AHangingQueueProxyIsKilledAfterDrainTimeout) {
  get_ready();
  machine_.drain(kStart + 10s);
  EXPECT_EQ(machine_.next_tick(), kStart + 45s);
  EXPECT_EQ(machine_.tick(kStart + 45s), (Actions{{What::kKill, Side::kQueueProxy}}));
}

TEST_F(ReplicaLife, AppThatCrashesWhileDrainingDoesNotRestart) {
  get_ready();
  machine_.drain(kStart + 10s);
  EXPECT_EQ(machine_.ended(Side::kApp, "exited with code 1", kStart + 11s), Actions{});
  EXPECT_EQ(phase(), Phase::kDraining);
  EXPECT_EQ(machine_.ended(Side::kQueueProxy, "exited with code 0", kStart + 12s), Actions{});
  EXPECT_EQ(phase(), Phase::kGone);
}

TEST_F(ReplicaLife, DrainOfACrashedAppEndsWithTheQueueProxy) {
  get_ready();
  machine_.ended(Side::kApp, "exited with code 1", kStart + 1s);
  EXPECT_EQ(machine_.drain(kStart + 1050ms), (Actions{{What::kTerminate, Side::kQueueProxy}}));
  EXPECT_EQ(machine_.tick(kStart + 5s), Actions{}) << "the planned start is cancelled";
  machine_.ended(Side::kQueueProxy, "exited with code 0", kStart + 6s);
  EXPECT_EQ(phase(), Phase::kGone);
}

TEST_F(ReplicaLife, DrainedBeforeItsStartIsGoneAtOnce) {
  EXPECT_EQ(phase(), Phase::kPending);
  EXPECT_EQ(machine_.replica().start.ordered, kStart);
  EXPECT_EQ(machine_.drain(kStart + 1ms), Actions{});
  EXPECT_EQ(phase(), Phase::kGone);
}

TEST_F(ReplicaLife, QueuedStartCountsFromTheOrder) {
  machine_.order(kStart + 80ms);
  EXPECT_EQ(machine_.replica().start.ordered, kStart);
  machine_.tick(kStart + 59s);
  EXPECT_EQ(machine_.next_tick(), kStart + 80ms + 60s)
      << "the app's deadline counts from its own start";
}

TEST_F(ReplicaLife, AForeignlySignalledQueueProxyDrainsASecondLater) {
  get_ready();
  EXPECT_EQ(machine_.proxy_signalled(kStart + 10s), Actions{});
  EXPECT_EQ(phase(), Phase::kReady) << "Bellows may be about to end, too";
  EXPECT_EQ(machine_.next_tick(), kStart + 11s);
  EXPECT_EQ(machine_.tick(kStart + 10900ms), Actions{});
  EXPECT_EQ(machine_.tick(kStart + 11s), (Actions{{What::kTerminate, Side::kQueueProxy}}));
  EXPECT_EQ(phase(), Phase::kDraining);
  EXPECT_TRUE(machine_.has_left()) << "its revision needs another replica";
  EXPECT_EQ(machine_.ended(Side::kQueueProxy, "exited with code 0", kStart + 12s),
            (Actions{{What::kTerminate, Side::kApp}}));
}

TEST_F(ReplicaLife, AForeignlySignalledQueueProxyStaysWhileBellowsEnds) {
  get_ready();
  machine_.proxy_signalled(kStart + 10s);
  machine_.stay();
  EXPECT_EQ(machine_.next_tick(), std::nullopt);
  EXPECT_EQ(machine_.tick(kStart + 60s), Actions{});
  machine_.proxy_signalled(kStart + 61s);
  EXPECT_EQ(machine_.tick(kStart + 70s), Actions{});
  EXPECT_EQ(phase(), Phase::kReady);
  EXPECT_EQ(machine_.drain(kStart + 80s), (Actions{{What::kTerminate, Side::kQueueProxy}}));
  EXPECT_FALSE(machine_.has_left());
}

TEST_F(ReplicaLife, AQueueProxyThatDrainsItselfDrainsItsReplica) {
  get_ready();
  EXPECT_EQ(machine_.proxy_drains(kStart + 10s), Actions{});
  EXPECT_EQ(phase(), Phase::kDraining);
  EXPECT_TRUE(machine_.has_left());
  EXPECT_EQ(machine_.drain(kStart + 11s), Actions{}) << "a second SIGTERM would be one too many";
  EXPECT_EQ(machine_.ended(Side::kQueueProxy, "exited with code 0", kStart + 12s),
            (Actions{{What::kTerminate, Side::kApp}}));
  machine_.ended(Side::kApp, "killed by SIGTERM", kStart + 13s);
  EXPECT_EQ(phase(), Phase::kGone);
}

TEST_F(ReplicaLife, DrainThatTheQueueProxyReportsAfterItsOrderIsNoNews) {
  get_ready();
  machine_.drain(kStart + 10s);
  EXPECT_EQ(machine_.proxy_drains(kStart + 10s), Actions{});
  EXPECT_FALSE(machine_.has_left());
}

TEST_F(ReplicaLife, AppIsToldToEndWhenOnlyTunnelsAreLeft) {
  get_ready();
  EXPECT_EQ(machine_.tunnels_left(), Actions{}) << "it does not drain";
  machine_.drain(kStart + 10s);
  EXPECT_EQ(machine_.tunnels_left(), (Actions{{What::kTerminate, Side::kApp}}));
  EXPECT_EQ(machine_.ended(Side::kApp, "exited with code 0", kStart + 11s), Actions{});
  EXPECT_EQ(phase(), Phase::kDraining);
  machine_.ended(Side::kQueueProxy, "exited with code 0", kStart + 11s);
  EXPECT_EQ(phase(), Phase::kGone);
}

TEST_F(ReplicaLife, KillEndsBothAtOnce) {
  get_ready();
  EXPECT_EQ(machine_.kill(),
            (Actions{{What::kKill, Side::kQueueProxy}, {What::kKill, Side::kApp}}));
  machine_.ended(Side::kApp, "was killed by SIGKILL", kStart + 1s);
  machine_.ended(Side::kQueueProxy, "was killed by SIGKILL", kStart + 1s);
  EXPECT_EQ(phase(), Phase::kGone);
}

/// The transitions that cluster/api.hpp lists.
bool may_follow(Phase from, Phase to) {
  static const std::map<Phase, std::set<Phase>> kNext = {
      {Phase::kPending,
       {Phase::kStarting, Phase::kReady, Phase::kFailed, Phase::kDraining, Phase::kGone}},
      {Phase::kStarting, {Phase::kReady, Phase::kFailed, Phase::kDraining, Phase::kGone}},
      {Phase::kReady, {Phase::kStarting, Phase::kFailed, Phase::kDraining}},
      {Phase::kFailed, {Phase::kStarting, Phase::kReady, Phase::kDraining, Phase::kGone}},
      {Phase::kDraining, {Phase::kGone}},
      {Phase::kGone, {}}};
  return from == to || kNext.at(from).contains(to);
}

/// Two processes that obey their signals, or do anything else that processes can do.
struct World {
  explicit World(ReplicaMachine& its_machine) : machine(its_machine) {}

  enum class State { kNone, kStarting, kRunning };

  void carry_out(const Actions& actions) {
    for (const Action& action : actions) {
      State& state = states[action.side];
      if (action.what == What::kStart) {
        RC_ASSERT(state == State::kNone);
        state = State::kStarting;
      } else {
        RC_ASSERT(state != State::kNone);
      }
    }
  }

  void step(int choice) {
    const Side side = choice % 2 == 0 ? Side::kApp : Side::kQueueProxy;
    State& state = states[side];
    switch (choice / 2) {
      case 0:
        if (state != State::kStarting) return;
        state = State::kRunning;
        return carry_out(machine.started(side, now));
      case 1:
        if (state == State::kNone) return;
        state = State::kNone;
        return carry_out(machine.ended(side, "ended", now));
      case 2:
        if (states[Side::kQueueProxy] != State::kRunning) return;
        machine.listening(kAddress);
        return carry_out(machine.ready(now));
      case 3:
        if (states[Side::kQueueProxy] != State::kRunning) return;
        return carry_out(machine.unready("why not", now));
      case 4:
        now += 70ms;
        return carry_out(machine.tick(now));
      default:
        now = std::max(now, machine.next_tick().value_or(now));
        return carry_out(machine.tick(now));
    }
  }

  ReplicaMachine& machine;
  std::map<Side, State> states;
  TimePoint now = kStart;
};

RC_GTEST_PROP(ReplicaLifeProperty, HasOnlyListedTransitionsAndAlwaysEnds, ()) {
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 12));
  const auto drain_after = *rc::gen::inRange<std::size_t>(0, 40);
  ReplicaMachine machine({.name = PodName("web-1"), .app_port = 24001, .readiness_path = ""},
                         kStart);
  World world(machine);
  Phase before = machine.replica().phase;
  const auto check = [&] {
    RC_ASSERT(may_follow(before, machine.replica().phase));
    before = machine.replica().phase;
  };
  world.carry_out(machine.order(world.now));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i == drain_after) world.carry_out(machine.drain(world.now));
    check();
    world.step(steps[i]);
    check();
  }
  world.carry_out(machine.drain(world.now));
  check();
  for (int i = 0; i < 8 && before != Phase::kGone; ++i) {
    world.step(2);  // the app ends if it runs
    world.step(3);  // the queue-proxy ends too
    check();
  }
  RC_ASSERT(before == Phase::kGone);
  RC_ASSERT(machine.next_tick() == std::nullopt);
}

}  // namespace
}  // namespace bellows::cluster
