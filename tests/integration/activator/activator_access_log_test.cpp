// The access log as the activator writes it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <utility>

#include "tests/integration/activator/activator_world.hpp"

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;

config::AccessLogSettings access_log(std::string line, bool probes = false) {
  return {.enabled = true, .line = std::move(line), .probes = probes};
}

TEST(ActivatorAccessLog, HasALineForEachRequestWithItsReplicaAndItsTimeInTheQueue) {
  ActivatorWorld world(
      true, access_log("${service} ${method} ${url} ${status} ${response_bytes} ${replica} "
                       "${retries} ${queue_ms} ${remote_ip} ${trace_id} ${error}."));
  Caller& held = world.get("/a?b=1",
                           "Host: a\r\ntraceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-"
                           "00f067aa0ba902b7-01\r\n");
  world.until_waiting(1);
  world.clock.advance(milliseconds(1500));
  world.add_replica("web-1");
  world.until_done(held);
  world.until_logged(1);
  EXPECT_EQ(world.logged,
            "web GET /a?b=1 200 12 web-1 0 1500.000 127.0.0.1 4bf92f3577b34da6a3ce929d0e0e4736 "
            ".\n");
}

TEST(ActivatorAccessLog, HasTheReplicaOfTheRetryAndTheReasonsOfRejections) {
  ActivatorWorld world(true, access_log("${url} ${status} ${replica} ${retries} ${error}"));
  world.add_replica("web-1").lose_app();
  Caller& again = world.post("/again");
  world.until_waiting(1);
  world.add_replica("web-2");
  world.until_done(again);
  world.until_logged(1);
  world.web().state = cluster::RevisionState::kRetired;
  world.cluster.publish();
  world.until_done(world.get("/late"));
  world.until_logged(2);
  EXPECT_EQ(world.logged, "/again 200 web-2 1 \n/late 410  0 gone\n");
}

TEST(ActivatorAccessLog, HasNoStatusButTheTimeInTheQueueIfTheCallerHungUpThere) {
  ActivatorWorld world(true, access_log("${url} ${status} ${error} ${queue_ms} ${response_bytes}"));
  Caller& caller = world.get("/a");
  world.until_waiting(1);
  world.clock.advance(milliseconds(1500));
  caller.hang_up();
  world.until_waiting(0);
  world.until([&] { return world.in_flight() == 0; });
  world.until_logged(1);
  EXPECT_EQ(world.logged, "/a 0 cancelled 1500.000 0\n");
}

TEST(ActivatorAccessLog, HasTheTimeInTheQueueAndTheSizeOfALocalReply) {
  ActivatorWorld world(true, access_log("${status} ${queue_ms} ${latency_ms} ${response_bytes}"));
  Caller& caller = world.get("/a");
  world.until_waiting(1);
  world.pass(std::chrono::minutes(1));
  world.until_done(caller);
  world.until_logged(1);
  EXPECT_EQ(world.logged, "503 60000.000 60000.000 " + std::to_string(caller.body().size()) + "\n");
}

TEST(ActivatorAccessLog, CountsAnAttemptWithARefusedConnection) {
  ActivatorWorld world(true, access_log("${status} ${replica} ${retries} ${queue_ms}"));
  world.add_replica("web-1").kill();
  Caller& caller = world.get("/a");
  world.until_waiting(1);
  world.add_replica("web-2");
  world.until_done(caller);
  world.until([&] { return world.in_flight() == 0; });
  world.until_logged(1);
  EXPECT_EQ(world.logged, "200 web-2 1 0.000\n");
}

TEST(ActivatorAccessLog, DoesNotCountTheTimeAtAFailedReplicaAsTimeInTheQueue) {
  ActivatorWorld world(true, access_log("${status} ${replica} ${retries} ${queue_ms}"));
  Replica& first = world.add_replica("web-1");
  first.hold();
  Caller& caller = world.get("/a");
  world.until([&] { return first.running == 1; });
  world.pass(milliseconds(300));
  world.unlist("web-1");
  first.kill();
  world.until_waiting(1);
  world.clock.advance(milliseconds(200));
  world.add_replica("web-2");
  world.until_done(caller);
  world.until([&] { return world.in_flight() == 0; });
  world.until_logged(1);
  EXPECT_EQ(world.logged, "200 web-2 1 200.000\n");
}

TEST(ActivatorAccessLog, LeavesProbesOutUnlessEnabled) {
  for (const bool probes : {false, true}) {
    ActivatorWorld world(true, access_log("${url} ${status}", probes));
    world.until_done(world.get("/probe", "Host: a\r\nUser-Agent: kube-probe/1.29\r\n"));
    world.write_logs();
    EXPECT_EQ(world.logged, probes ? "/probe 200\n" : "");
  }
}

TEST(ActivatorAccessLog, DoesNotWaitForASlowReaderAndCountsDroppedLines) {
  // One loop: how many lines are kept depends on the blocks that each loop hands over.
  ActivatorWorld world(true, access_log("${url}"), false, 1);
  world.add_replica("web-1");
  world.log_room = 10;
  const std::string path = "/" + std::string(6999, 'a');  // 7,001 bytes a line
  for (int i = 0; i < 50; ++i) world.until_done(world.get(path));
  world.until([&] { return world.in_flight() == 0; });
  EXPECT_EQ(world.logged, path.substr(0, 10));
  world.log_room = std::string::npos;
  world.pass(milliseconds(200));
  EXPECT_EQ(world.logged.size() % 7001, 0U);
  const std::size_t kept = world.logged.size() / 7001;
  EXPECT_EQ(kept, 38U);  // the first that reaches 256 KiB is the last
  EXPECT_EQ(world.access_log->dropped(), 50 - kept);
  world.service->refresh_gauges();
  EXPECT_THAT(world.registry.expose(),
              testing::HasSubstr("bellows_activator_access_log_dropped_total 12"));
}

TEST(ActivatorAccessLog, ContinuesInTheMiddleOfALineWhenAFullDiskHasRoomAgain) {
  ActivatorWorld world(true, access_log("${url}"));
  world.add_replica("web-1");
  world.log_room = 3;
  world.log_error = ENOSPC;
  world.until_done(world.get("/first"));
  world.until([&] { return world.in_flight() == 0; });
  world.write_logs();
  EXPECT_EQ(world.logged, "/fi");
  EXPECT_EQ(world.access_log->dropped(), 0U);
  world.until_done(world.get("/second"));
  world.until([&] { return world.in_flight() == 0; });
  world.log_room = std::string::npos;
  world.until_logged(2);
  EXPECT_EQ(world.logged, "/first\n/second\n");
}

TEST(ActivatorAccessLog, CountsEveryLineAfterTheReaderHasClosed) {
  ActivatorWorld world(true, access_log("${url}"));
  world.add_replica("web-1");
  world.log_room = 0;
  world.log_error = EPIPE;
  for (int i = 0; i < 3; ++i) world.until_done(world.get("/a"));
  world.until([&] { return world.in_flight() == 0; });
  world.write_logs();
  EXPECT_EQ(world.access_log->dropped(), 3U);
}

TEST(ActivatorAccessLog, IsWrittenWithin100ms) {
  ActivatorWorld world(true, access_log("${url}"));
  world.add_replica("web-1");
  world.until_done(world.get("/a"));
  world.until([&] { return world.in_flight() == 0; });
  world.write_logs();
  EXPECT_EQ(world.logged, "/a\n");
}

}  // namespace
}  // namespace bellows::activator
