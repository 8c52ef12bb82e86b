// What is told of an app that starts wrongly, before its progress deadline.
#include <gtest/gtest.h>

#include "cluster/local/replica_machine.hpp"
#include "tests/support/start.hpp"

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;
using Phase = ReplicaPhase;
using Actions = ReplicaMachine::Actions;

using test::kStart;
const std::string kNotListening = "app 127.0.0.1:24001: cannot connect (ECONNREFUSED)";

class ReplicaStart : public testing::Test {
 protected:
  static ReplicaPlan plan() {
    return {.name = PodName("web-1"), .app_port = 24001, .readiness_path = ""};
  }

  void start_up() {
    machine_.order(kStart);
    machine_.started(Side::kQueueProxy, kStart + 2ms);
    machine_.started(Side::kApp, kStart + 3ms);
    machine_.listening({"127.0.0.1", 40001, ""});
  }

  Phase phase() const { return machine_.replica().phase; }
  const std::string& failure_message() const { return machine_.replica().failure_message; }

  ReplicaMachine machine_{plan(), kStart};
};

TEST_F(ReplicaStart, AWrongPortIsToldAfterThreeSecondsWithoutAFailure) {
  start_up();
  machine_.unready(kNotListening, kStart + 1s);
  EXPECT_EQ(machine_.next_tick(), kStart + 3s);
  EXPECT_FALSE(machine_.tick_needs_listeners(kStart + 2s));
  EXPECT_TRUE(machine_.tick_needs_listeners(kStart + 3s));
  EXPECT_EQ(machine_.tick(kStart + 3s, "0.0.0.0:8000"), Actions{});
  EXPECT_EQ(failure_message(),
            "web-1: not ready yet: nothing listens on 127.0.0.1:24001 (it listens on "
            "0.0.0.0:8000); $PORT has the port of the app");
  EXPECT_EQ(phase(), Phase::kStarting);
  EXPECT_FALSE(machine_.is_stuck()) << "callers wait: it may listen there later";
  EXPECT_EQ(machine_.next_tick(), kStart + 6s);
  machine_.ready(kStart + 5s);
  EXPECT_EQ(failure_message(), "");
  EXPECT_EQ(machine_.next_tick(), std::nullopt);
}

TEST_F(ReplicaStart, LooksAtASlowStartAreFewAndEndAtTheDeadline) {
  start_up();
  machine_.unready(kNotListening, kStart + 1s);
  std::vector<Duration> looks;
  while (machine_.next_tick() && *machine_.next_tick() < kStart + 60s) {
    const TimePoint at = *machine_.next_tick();
    looks.push_back(at - kStart);
    machine_.tick(at);
  }
  EXPECT_EQ(looks, (std::vector<Duration>{3s, 6s, 12s, 24s, 48s}));
}

TEST_F(ReplicaStart, ReasonsThatTimeMayMendAreNotToldEarly) {
  struct Case {
    std::string unready;
    std::string listens_on;
    std::string told;
  };
  const std::string begin = "web-1: not ready yet: ";
  const std::string not_found =
      "app 127.0.0.1:24001: answered 404 to GET /healthz; want 200 to 399";
  for (const auto& [unready, listens_on, told] : {
           Case{kNotListening, "", ""},
           Case{"", "0.0.0.0:8000", ""},
           Case{kNotListening, "127.0.0.1:24001", ""},
           Case{kNotListening, "0.0.0.0:24001, 127.0.0.1:9229", ""},
           Case{kNotListening, "[::]:24001", ""},
           Case{kNotListening, "[::1]:24001",
                begin + "nothing listens on 127.0.0.1:24001 (it listens on [::1]:24001); $PORT "
                        "has the port of the app"},
           Case{not_found, "127.0.0.1:24001", begin + not_found},
       }) {
    machine_ = ReplicaMachine(plan(), kStart);
    start_up();
    if (!unready.empty()) machine_.unready(unready, kStart + 1s);
    machine_.tick(kStart + 3s, listens_on);
    EXPECT_EQ(failure_message(), told) << unready << ", " << listens_on;
  }
}

/// Both processes run, and the queue-proxy listens.
void start_processes(ReplicaMachine& machine) {
  machine.order(kStart);
  machine.started(Side::kQueueProxy, kStart);
  machine.started(Side::kApp, kStart);
  machine.listening({"127.0.0.1", 40001, ""});
}

TEST(ReplicaStartAtAFixedPort, ItsReasonNamesTheSettingAndNotTheVariable) {
  ReplicaMachine machine(
      {.name = PodName("web-1"), .app_port = 3000, .is_port_fixed = true, .readiness_path = ""},
      kStart);
  start_processes(machine);
  machine.unready(kNotListening, kStart + 1s);
  machine.tick(kStart + 3s, "127.0.0.1:8000");
  EXPECT_EQ(machine.replica().failure_message,
            "web-1: not ready yet: nothing listens on 127.0.0.1:3000 (it listens on "
            "127.0.0.1:8000); `port` has to be the port at which the app listens");
}

TEST(ReplicaStartByACommand, OneThatHangsIsToldAsThat) {
  ReplicaMachine machine({.name = PodName("web-1"),
                          .app_port = 3000,
                          .is_port_fixed = true,
                          .is_starter = true,
                          .readiness_path = ""},
                         kStart);
  start_processes(machine);
  machine.unready(kNotListening, kStart + 1s);
  machine.tick(kStart + 60s, "");
  EXPECT_EQ(machine.replica().failure_message, "web-1: its start command still runs after 1m");
}

TEST(ReplicaStartByACommand, AnAppThatDoesNotListenAfterwardsIsToldAsAnyOther) {
  ReplicaMachine machine(
      {.name = PodName("web-1"), .app_port = 3000, .is_starter = true, .readiness_path = ""},
      kStart);
  start_processes(machine);
  machine.launched();
  machine.unready(kNotListening, kStart + 1s);
  machine.tick(kStart + 60s, "");
  EXPECT_EQ(machine.replica().failure_message.find("web-1: nothing listens on 127.0.0.1:3000"), 0U);
}

}  // namespace
}  // namespace bellows::cluster
