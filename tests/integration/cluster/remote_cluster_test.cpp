#include "cluster/remote/remote_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <optional>

#include "base/sys/clock.hpp"
#include "cluster/remote/cluster_server.hpp"
#include "http/io/client.hpp"
#include "tests/integration/cluster/rigs.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/run_until.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::test {
namespace {

using namespace std::chrono_literals;
using cluster::ReplicaPhase;
using testing::HasSubstr;

const RevisionId kWeb("web");

/// One process of the program that serves its cluster.
struct ServerLife {
  ServerLife(http::net::io_context& io, const Endpoint& address, std::uint64_t seed)
      : random(seed),
        fake(io, sys::system_clock()),
        server(io, fake, sys::system_clock(), random),
        socket(io) {
    fake.add(listening_service());
    server.add_routes(socket);
    EXPECT_TRUE(socket.listen(address).has_value());
  }

  SeededRandom random;
  FakeCluster fake;
  cluster::ClusterServer server;
  http::ServiceServer socket;
};

class RemoteClusterTest : public testing::Test {
 protected:
  ~RemoteClusterTest() override {
    run_task<void>(io_, [this] { return client_.stop(soon()); });
    if (life_) end_life();
  }

  static TimePoint soon() { return sys::system_clock().now() + 5s; }
  void begin_life(std::uint64_t seed) { life_.emplace(io_, address_, seed); }
  void end_life() {
    life_->server.release_waiters();
    run_task<void>(io_, [this] { return life_->socket.stop(soon()); });
    life_.reset();
  }
  Result<void> scale(PodCount want) {
    return run_task<Result<void>>(io_, [&] { return client_.scale(kWeb, {want, {}, "test"}); });
  }
  PodCount listed() {
    const cluster::RevisionPtr web = client_.revisions().find(kWeb);
    return web == nullptr ? -1 : web->count(ReplicaPhase::kReady);
  }
  bool wait_for(const std::function<bool()>& is_true) { return run_until(io_, is_true); }
  http::Response fetch(std::string method, std::string target, std::string body = {}) {
    return run_task<Result<http::Response>>(
               io_, [&] { return http::fetch(address_, method, target, body); })
        .value();
  }

  TemporaryFolder folder_;
  const Endpoint address_{"", 0, folder_.path("cluster.sock")};
  http::net::io_context io_;
  SeededRandom random_{1};
  cluster::RemoteCluster client_{io_, sys::system_clock(), random_, address_};
  std::optional<ServerLife> life_;
};

TEST_F(RemoteClusterTest, IsNotReadyBeforeTheFirstListAndRejectsOrders) {
  client_.start();
  EXPECT_FALSE(client_.ready());
  const auto refused = scale(1);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind(), ErrorKind::kUnavailable);
  EXPECT_THAT(to_string(refused.error()), HasSubstr(address_.unix_path));
  EXPECT_FALSE(client_.ready());
  begin_life(1);
  ASSERT_TRUE(wait_for([&] { return client_.ready(); }));
  EXPECT_EQ(listed(), 0);
}

TEST_F(RemoteClusterTest, KeepsTheLastListWhileTheServerIsUnreachableAndFollowsItsNextProcess) {
  begin_life(1);
  client_.start();
  ASSERT_TRUE(wait_for([&] { return client_.ready(); }));
  ASSERT_TRUE(scale(3).has_value());
  ASSERT_TRUE(wait_for([&] { return listed() == 3; }));
  const std::uint64_t version = client_.revisions().version();
  end_life();
  EXPECT_EQ(scale(5).error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(listed(), 3);
  EXPECT_TRUE(client_.ready());
  begin_life(2);  // its versions restart
  ASSERT_TRUE(wait_for([&] { return listed() == 0; }));
  EXPECT_GT(client_.revisions().version(), version);
}

TEST_F(RemoteClusterTest, SaysSinceWhenTheServerIsUnreachable) {
  const auto since = [this] { return client_.unreachable_since(); };
  EXPECT_FALSE(since()) << "nothing was tried yet";
  const TimePoint begin = sys::system_clock().now();
  client_.start();
  ASSERT_TRUE(wait_for([&] { return since().has_value(); }));
  EXPECT_GE(*since(), begin);
  begin_life(1);
  ASSERT_TRUE(wait_for([&] { return client_.ready(); }));
  EXPECT_FALSE(since());
  const TimePoint lost = sys::system_clock().now();
  end_life();
  ASSERT_TRUE(wait_for([&] { return since().has_value(); }));
  const TimePoint told = *since();
  EXPECT_GE(told, lost) << "not since the long poll was sent";
  scale(1);  // which takes a moment, in which it is tried again
  EXPECT_EQ(since(), told);
  EXPECT_THAT(cluster::reachability_note(client_, told + 310s),
              HasSubstr("has not been reachable for 5m10s"));
  begin_life(2);
  ASSERT_TRUE(wait_for([&] { return !since(); }));
  EXPECT_EQ(cluster::reachability_note(client_, told), "");
}

TEST_F(RemoteClusterTest, TellsNoChangesWhenANewServerListsTheSame) {
  begin_life(1);
  bool is_told = false;
  const auto subscription =
      client_.subscribe([&](const cluster::Changes& changes) { is_told |= !changes.empty(); });
  client_.start();
  ASSERT_TRUE(wait_for([&] { return std::exchange(is_told, false); }));
  const cluster::RevisionPtr before = client_.revisions().find(kWeb);
  end_life();
  ASSERT_TRUE(wait_for([&] { return client_.unreachable_since().has_value(); }));
  begin_life(2);
  ASSERT_TRUE(wait_for([&] { return !client_.unreachable_since(); }));
  EXPECT_EQ(client_.revisions().find(kWeb), before);
  EXPECT_FALSE(is_told);
}

TEST_F(RemoteClusterTest, KeepsTheTimesOfStartsFromListToList) {
  begin_life(1);
  client_.start();
  ASSERT_TRUE(wait_for([&] { return client_.ready(); }));
  ASSERT_TRUE(scale(2).has_value());
  ASSERT_TRUE(wait_for([&] { return listed() == 2; }));
  const cluster::RevisionList before = client_.revisions();
  life_->fake.set_failure_message(kWeb, "another list is sent");
  ASSERT_TRUE(wait_for([&] { return client_.revisions().version() > before.version(); }));
  EXPECT_EQ(client_.revisions().find(kWeb)->replicas, before.find(kWeb)->replicas)
      << "a reader that compares them sees no replica that became ready again";
}

TEST_F(RemoteClusterTest, ReturnsTheReasonOfARejectedOrder) {
  begin_life(1);
  for (const ErrorKind kind : {ErrorKind::kConflict, ErrorKind::kUnavailable, ErrorKind::kGone}) {
    life_->fake.refuse_orders(kind, 1);
    const auto refused = scale(1);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().kind(), kind);
    EXPECT_EQ(refused.error().culprit(), "fake cluster");
  }
  EXPECT_TRUE(scale(1).has_value());
}

TEST_F(RemoteClusterTest, SendsTheDrainOrderAndTheReason) {
  begin_life(1);
  const cluster::ScaleOrder order{0, {PodName("web-2"), PodName("web-1")}, "load \"0\""};
  ASSERT_TRUE(run_task<Result<void>>(io_, [&] { return client_.scale(kWeb, order); }).has_value());
  ASSERT_EQ(life_->fake.orders().size(), 1u);
  EXPECT_EQ(life_->fake.orders()[0].revision, kWeb);
  EXPECT_EQ(life_->fake.orders()[0].order.drain_first, order.drain_first);
  EXPECT_EQ(life_->fake.orders()[0].order.reason, order.reason);
}

TEST_F(RemoteClusterTest, ServerRejectsMalformedRequestsWithTheReason) {
  begin_life(1);
  EXPECT_EQ(fetch("POST", "/v1/revisions/web/scale", "{").status, 400);
  EXPECT_THAT(fetch("POST", "/v1/revisions/web/scale", R"({"want":-1})").body,
              HasSubstr("order.want"));
  EXPECT_EQ(fetch("POST", "/v1/revisions/web/dance", "{}").status, 404);
  EXPECT_EQ(fetch("POST", "/v1/revisions/web", "{}").status, 404);
  for (const char* verb : {"retire", "pause", "resume"}) {
    EXPECT_EQ(fetch("POST", std::string("/v1/revisions/ghost/") + verb, "{}").status, 422);
  }
  EXPECT_EQ(fetch("GET", "/v1/cluster?after=soon").status, 400);
  EXPECT_EQ(fetch("GET", "/v1/cluster?wait_ms=-1").status, 400);
  EXPECT_TRUE(life_->fake.orders().empty());
}

TEST_F(RemoteClusterTest, UnchangedListWaitsForTheNextChange) {
  begin_life(1);
  const http::Response first = fetch("GET", "/v1/cluster");
  std::string boot;
  for (const auto& [name, value] : first.headers) {
    if (name == cluster::ClusterServer::kBootHeader) boot = value;
  }
  ASSERT_FALSE(boot.empty());
  const std::string poll = "/v1/cluster?wait_ms=30000&boot=" + boot +
                           "&after=" + std::to_string(life_->fake.revisions().version());
  std::optional<Result<http::Response>> answer;
  http::net::co_spawn(
      io_, http::fetch(address_, "GET", poll, {}, {}, {}),
      [&](const std::exception_ptr&, Result<http::Response> got) { answer = std::move(got); });
  // After the response to another call the poll has arrived and is waiting.
  EXPECT_EQ(fetch("GET", "/v1/cluster").status, 200);
  EXPECT_FALSE(answer.has_value());
  life_->fake.set_failure_message(kWeb, "web-1: nothing listens");
  ASSERT_TRUE(wait_for([&] { return answer.has_value(); }));
  EXPECT_THAT(answer->value().body, HasSubstr("nothing listens"));
}

TEST_F(RemoteClusterTest, SocketIsAccessibleOnlyToItsOwner) {
  begin_life(1);
  struct stat about {};
  ASSERT_EQ(::stat(address_.unix_path.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
}

}  // namespace
}  // namespace bellows::test
