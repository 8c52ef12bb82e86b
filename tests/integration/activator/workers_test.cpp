#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "activator/service/activator_service.hpp"
#include "base/random.hpp"
#include "tests/integration/activator/activator_world.hpp"

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Each;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// An activator with several workers, whose callers come one after another.
class SeveralWorkers : public ::testing::TestWithParam<std::size_t> {
 protected:
  void allow(std::int32_t container_concurrency) {
    world_.web().settings.container_concurrency = container_concurrency;
    world_.cluster.publish();
  }
  /// Returns once each of them waits: their order is known.
  std::vector<std::string> queue_up(int callers) {
    std::vector<std::string> paths;
    const std::int64_t before = world_.waiting();
    for (int i = 0; i < callers; ++i) {
      paths.push_back("/" + std::to_string(i));
      callers_.push_back(&world_.get(paths.back()));
      world_.until_waiting(before + i + 1);
    }
    return paths;
  }
  void until_all_are_done() {
    for (const Caller* const caller : callers_) world_.until_done(*caller);
  }
  std::string metrics() {
    world_.service->refresh_gauges();
    return world_.registry.expose();
  }

  ActivatorWorld world_{true, {}, false, GetParam()};
  std::vector<Caller*> callers_;
};

TEST_P(SeveralWorkers, ServeTheSamePortEachItsShareOfTheConnections) {
  world_.add_replica("web-1").hold();
  for (int i = 0; i < 40; ++i) callers_.push_back(&world_.get("/"));
  world_.until([&] { return world_.in_flight() == 40; });
  const std::vector<std::size_t> counts = world_.service->connections_by_worker();
  ASSERT_THAT(counts, SizeIs(GetParam()));
  EXPECT_THAT(counts, Each(Ge(40 / GetParam() - 1)));
  EXPECT_EQ(world_.service->open_connections(), 40U);
  EXPECT_EQ(world_.service->open_requests(), 40);
  world_.replicas[0]->release();
  until_all_are_done();
  world_.until([&] { return world_.in_flight() == 0; });
}

TEST_P(SeveralWorkers, KeepTheOrderOfArrivalOverAllOfThem) {
  allow(1);
  const std::vector<std::string> paths = queue_up(200);
  EXPECT_THAT(world_.sink.triggers, SizeIs(1)) << "the first one woke the revision";
  Replica& replica = world_.add_replica("web-1");
  until_all_are_done();
  EXPECT_EQ(replica.paths, paths);
  EXPECT_EQ(replica.max_running, 1);
  for (const Caller* const caller : callers_) ASSERT_EQ(caller->status(), 200);
}

TEST_P(SeveralWorkers, OfAnyAreWokenByAnyReplica) {
  allow(1);
  queue_up(12);
  for (const char* const name : {"web-1", "web-2", "web-3"}) world_.add_replica(name).hold();
  world_.until([&] { return world_.in_flight() == 3; });
  for (const auto& replica : world_.replicas) replica->release();
  until_all_are_done();
  EXPECT_THAT(callers_, Each(::testing::Property(&Caller::status, 200)));
}

/// Callers come, wait, hang up and are served in any order, while replicas come and go.
TEST_P(SeveralWorkers, NeverExceedASlotNorLoseOne) {
  constexpr std::int32_t kSlots = 3;
  allow(kSlots);
  SeededRandom random(20 + GetParam());
  for (int round = 0; round < 12; ++round) {
    Replica& replica = world_.add_replica("web-" + std::to_string(round % 4));
    for (int i = 0; i < 25; ++i) {
      callers_.push_back(&world_.get("/" + std::to_string(round)));
      if (random.fraction() < 0.2) callers_[random.next() % callers_.size()]->hang_up();
      if (random.fraction() < 0.3) world_.io.poll();
    }
    if (random.fraction() < 0.5) replica.hold();
    world_.io.poll();
    if (random.fraction() < 0.3) world_.unlist("web-" + std::to_string(round % 4));
    for (const auto& each : world_.replicas) each->release();
  }
  if (world_.web().replicas.empty()) world_.add_replica("web-9");
  until_all_are_done();
  world_.until([&] { return world_.in_flight() == 0 && world_.waiting() == 0; });
  for (const auto& replica : world_.replicas) EXPECT_LE(replica->max_running, kSlots);
}

TEST_P(SeveralWorkers, RejectOnlyWhatIsAboveTheBoundOfAllTogether) {
  world_.web().settings.queue_depth = 10;
  allow(1);
  queue_up(10);
  for (int i = 0; i < 8; ++i) callers_.push_back(&world_.get("/over"));
  for (std::size_t i = 10; i < callers_.size(); ++i) {
    world_.until_done(*callers_[i]);
    EXPECT_EQ(callers_[i]->status(), 503);
    EXPECT_THAT(callers_[i]->answer(), HasSubstr("Retry-After: "));
  }
  EXPECT_EQ(world_.waiting(), 10);
  world_.add_replica("web-1");
  until_all_are_done();
}

TEST_P(SeveralWorkers, RejectWhatWaitsForARevisionThatIsRemoved) {
  allow(1);
  queue_up(20);
  world_.cluster.truth.clear();
  world_.cluster.publish();
  until_all_are_done();
  EXPECT_THAT(callers_, Each(::testing::Property(&Caller::status, 404)));
}

TEST_P(SeveralWorkers, RejectAfterTheQueueAgeWhicheverOfThemHoldsTheRequest) {
  world_.web().settings.queue_age = seconds(30);
  allow(1);
  queue_up(8);
  world_.pass(seconds(31));
  until_all_are_done();
  EXPECT_THAT(callers_, Each(::testing::Property(&Caller::status, 503)));
}

TEST_P(SeveralWorkers, CountTogether) {
  world_.add_replica("web-1");
  for (int i = 0; i < 30; ++i) callers_.push_back(&world_.get("/"));
  until_all_are_done();
  for (int i = 0; i < 6; ++i) {
    callers_.push_back(&world_.get("/", "Host: web.example\r\nBad Header: x\r\n"));
  }
  until_all_are_done();
  world_.until([&] { return world_.in_flight() == 0; });
  EXPECT_EQ(world_.service->counters().requests, 30U);
  const std::string text = metrics();
  EXPECT_THAT(text, HasSubstr("bellows_activator_requests_total{code_class=\"2xx\",revision="
                              "\"web\",service=\"web\"} 30\n"));
  EXPECT_THAT(text, HasSubstr("bellows_activator_request_duration_seconds_count{revision=\"web\","
                              "service=\"web\"} 30\n"));
  EXPECT_THAT(text, HasSubstr("bellows_activator_rejected_heads_total{code=\"400\"} 6\n"));
  EXPECT_EQ(world_.service->served(RevisionId("web"), seconds(1))->requests(), 30);
}

TEST_P(SeveralWorkers, CountTheColdStartOfAnyOfThemOnce) {
  allow(1);
  queue_up(4);
  world_.add_replica("web-1");
  until_all_are_done();
  world_.until([&] { return world_.service->cold_starts().kept().size() == 1; });
  EXPECT_THAT(
      metrics(),
      HasSubstr("bellows_activator_cold_start_seconds_count{revision=\"web\",service=\"web\","
                "until=\"first-byte\"} 1\n"));
}

TEST_P(SeveralWorkers, FinishInADrainWhatAnyOfThemHolds) {
  world_.add_replica("web-1").hold();
  for (int i = 0; i < 16; ++i) callers_.push_back(&world_.get("/"));
  world_.until([&] { return world_.in_flight() == 16; });
  world_.service->start_draining();
  world_.replicas[0]->release();
  world_.stop_service(seconds(5));
  until_all_are_done();
  EXPECT_THAT(callers_, Each(::testing::Property(&Caller::status, 200)));
  EXPECT_EQ(world_.service->open_connections(), 0U);
}

TEST_P(SeveralWorkers, ResetAtTheEndOfADrainWhatIsLeft) {
  world_.add_replica("web-1").hold();
  for (int i = 0; i < 16; ++i) callers_.push_back(&world_.get("/"));
  world_.until([&] { return world_.in_flight() == 16; });
  world_.stop_service(Duration::zero());
  until_all_are_done();
  EXPECT_EQ(world_.in_flight(), 0);
}

INSTANTIATE_TEST_SUITE_P(OfAnActivator, SeveralWorkers, ::testing::Values(2, 4));

}  // namespace
}  // namespace bellows::activator
