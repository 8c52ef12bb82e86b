// Diaries of replicas whose app hangs: times are seconds since they were ordered.
#include <gtest/gtest.h>

#include "cluster/local/replica_machine.hpp"
#include "tests/support/start.hpp"

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;
using What = Action::What;
using Phase = ReplicaPhase;
using Actions = ReplicaMachine::Actions;

using test::kStart;

class ReplicaWhoseAppHangs : public testing::Test {
 protected:
  void get_ready() {
    machine_.order(kStart);
    machine_.started(Side::kQueueProxy, kStart + 2ms);
    machine_.started(Side::kApp, kStart + 3ms);
    machine_.listening({"127.0.0.1", 40001, ""});
    machine_.ready(kStart + 300ms);
  }

  Phase phase() const { return machine_.replica().phase; }
  const std::string& failure_message() const { return machine_.replica().failure_message; }

  ReplicaMachine machine_{{.name = PodName("web-1"),
                           .app_port = 24001,
                           .readiness_path = "",
                           .progress_deadline = 60s,
                           .drain_timeout = 30s,
                           .random = nullptr,
                           .stop_timeout = 5s},
                          kStart};
};

TEST_F(ReplicaWhoseAppHangs, IsKilledAndStartedAnewWhileItsQueueProxyStays) {
  get_ready();
  EXPECT_EQ(machine_.hung("no answer", 30s, kStart + 60s), (Actions{{What::kKill, Side::kApp}}));
  EXPECT_EQ(phase(), Phase::kFailed);
  EXPECT_EQ(failure_message(), "web-1: the app hangs: no answer");
  EXPECT_EQ(machine_.hung("no answer", 31s, kStart + 61s), Actions{}) << "it is being killed";
  machine_.ready(kStart + 60s);
  EXPECT_EQ(phase(), Phase::kFailed) << "a late word of the queue-proxy about the same process";
  EXPECT_EQ(machine_.ended(Side::kApp, "was killed by signal 9", kStart + 61s), Actions{});
  EXPECT_EQ(failure_message(), "web-1: the app hung and was killed: no answer");
  EXPECT_EQ(machine_.next_tick(), kStart + 61s + 100ms);
  EXPECT_EQ(machine_.tick(kStart + 61s + 100ms), (Actions{{What::kStart, Side::kApp}}));
  EXPECT_EQ(machine_.started(Side::kApp, kStart + 62s),
            (Actions{{What::kProbeAgain, Side::kQueueProxy}}));
  machine_.ready(kStart + 63s);
  EXPECT_EQ(phase(), Phase::kReady);
  EXPECT_EQ(machine_.replica().restarts, 1);
  EXPECT_EQ(machine_.replica().restarted_because, "the app hung and was killed: no answer");
  EXPECT_EQ(failure_message(), "");
}

TEST_F(ReplicaWhoseAppHangs, AgainAndAgainIsStartedAfterLongerAndLongerDelays) {
  get_ready();
  TimePoint now = kStart + 300ms;
  const auto delay_after_hang = [&](Duration lived) {
    now += lived + 30s;  // it takes as long to be found
    machine_.hung("no answer", 30s, now);
    machine_.ended(Side::kApp, "was killed by signal 9", now);
    const Duration delay = *machine_.next_tick() - now;
    now += delay;
    machine_.tick(now);
    machine_.started(Side::kApp, now);
    machine_.ready(now);
    return delay;
  };
  EXPECT_EQ(delay_after_hang(1s), 100ms);
  EXPECT_EQ(delay_after_hang(1s), 200ms);
  EXPECT_EQ(delay_after_hang(9s), 400ms);
  EXPECT_EQ(delay_after_hang(10s), 100ms) << "it lived long enough";
}

TEST_F(ReplicaWhoseAppHangs, WhileItsReplicaDrainsIsLeftToTheDrain) {
  get_ready();
  machine_.drain(kStart + 60s);
  EXPECT_EQ(machine_.hung("no answer", 30s, kStart + 61s), Actions{});
}

}  // namespace
}  // namespace bellows::cluster
