// Ports that belong to one revision each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/integration/activator/activator_world.hpp"

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TestPeer;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kProbe =
    "GET / HTTP/1.1\r\nHost: a\r\nK-Network-Probe: activator\r\nConnection: close\r\n\r\n";

cluster::Path held_at(std::uint16_t port) {
  return {.state = cluster::PathState::kHeld,
          .activator_port = port,
          .activators = {PodName("activator-1"), PodName("activator-2")},
          .problem = {}};
}

cluster::Path direct(std::uint16_t port = 0) {
  return {.state = cluster::PathState::kDirect,
          .activator_port = port,
          .activators = {},
          .problem = {}};
}

/// "web" has a port of its own and one replica; "shop" takes all hosts at the common port.
class RevisionPortsTest : public testing::Test {
 protected:
  RevisionPortsTest() : replica_(world_.add_replica("web-1")) {
    world_.web().route.host = "web.example";
    cluster::Revision shop;
    shop.id = RevisionId("shop");
    world_.cluster.truth.push_back(shop);
    set_path(held_at(port_));
  }

  void set_path(cluster::Path path) {
    world_.web().path = std::move(path);
    world_.cluster.publish();
  }
  /// The response to a request on a new connection that is kept.
  TestPeer served() {
    TestPeer peer = world_.connect(port_, kGet);
    EXPECT_THAT(world_.hears(peer, "web-1 /a"), Not(IsEmpty()));
    return peer;
  }
  bool is_refused(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = test::loopback(port);
    // NOLINTNEXTLINE: as connect() wants it
    const int result = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    ::close(fd);
    return result != 0;
  }

  ActivatorWorld world_;
  const test::TestListener kept_{test::loopback(0), test::TestListener::kNotYet};
  const std::uint16_t port_ = kept_.port();
  Replica& replica_;
};

TEST_F(RevisionPortsTest, ARequestThereIsForTheRevisionWhateverItsHostSays) {
  TestPeer peer = world_.connect(port_, kGet);
  EXPECT_THAT(world_.hears(peer, "web-1 /a"), HasSubstr("200 OK"));
  EXPECT_THAT(world_.sink.triggers, IsEmpty()) << "shop, which the Host would choose, got nothing";
}

TEST_F(RevisionPortsTest, TheReplyToAProbeNamesTheRevision) {
  TestPeer peer = world_.connect(port_, kProbe);
  const std::string reply = world_.hears(peer, "\r\n\r\nactivator");
  EXPECT_THAT(reply, HasSubstr("200 OK"));
  EXPECT_THAT(reply, HasSubstr("\r\nX-Bellows-Revision: web\r\n"));
  Caller& common = world_.get("/", "K-Network-Probe: activator\r\nHost: a\r\n");
  world_.until_done(common);
  EXPECT_EQ(common.status(), 200);
  EXPECT_THAT(common.answer(), Not(HasSubstr("X-Bellows-Revision"))) << "the port is for all";
}

TEST_F(RevisionPortsTest, ADrainingActivatorDoesNotNameTheRevision) {
  world_.service->start_draining();
  TestPeer peer = world_.connect(port_, kProbe);
  EXPECT_THAT(world_.hears(peer, "is draining"), Not(HasSubstr("X-Bellows-Revision")));
}

TEST_F(RevisionPortsTest, APortInUseIsTriedAgainAndDisturbsNoOther) {
  test::TestListener other;
  const std::uint16_t taken = other.port();
  world_.cluster.truth[1].path = held_at(taken);
  world_.cluster.publish();
  served();
  EXPECT_EQ(world_.service->ports().open(), 1U);
  EXPECT_EQ(world_.service->ports().failed(), 1U);
  other.close();
  world_.until([&] { return world_.service->ports().failed() == 0; });
  TestPeer peer = world_.connect(taken, kProbe);
  EXPECT_THAT(world_.hears(peer, "activator"), HasSubstr("X-Bellows-Revision: shop"));
}

TEST_F(RevisionPortsTest, APortThatIsNoLongerListedFinishesWhatIsInFlight) {
  TestPeer idle = served();
  replica_.hold();
  TestPeer busy = world_.connect(port_, kGet);
  world_.until([&] { return replica_.running == 1; });
  set_path(direct());
  EXPECT_TRUE(is_refused(port_));
  EXPECT_TRUE(world_.hears_end(idle));
  replica_.release();
  EXPECT_THAT(world_.hears(busy, "web-1 /a"), HasSubstr("Connection: close"));
  EXPECT_TRUE(world_.hears_end(busy));
}

TEST_F(RevisionPortsTest, AConnectionMadeJustBeforeThePortClosesHasTimeForItsRequest) {
  TestPeer fresh = TestPeer::connect_to(port_);
  set_path(direct());
  ASSERT_TRUE(fresh.say(kGet));
  EXPECT_THAT(world_.hears(fresh, "web-1 /a"), HasSubstr("200 OK"));
}

TEST_F(RevisionPortsTest, OutsideOfThePathEachResponseIsTheLastOfItsConnection) {
  TestPeer kept = served();
  TestPeer idle = served();
  cluster::Path path = held_at(port_);
  path.state = cluster::PathState::kDirect;
  set_path(path);
  ASSERT_TRUE(kept.say(kGet));
  EXPECT_THAT(world_.hears(kept, "web-1 /a"), HasSubstr("Connection: close"));
  EXPECT_TRUE(world_.hears_end(kept));
  idle.listen();
  EXPECT_FALSE(idle.has_ended()) << "a request on its way would meet a closed connection";
  TestPeer late = world_.connect(port_, kGet);
  EXPECT_THAT(world_.hears(late, "web-1 /a"), HasSubstr("Connection: close"));
  set_path(held_at(port_));
  ASSERT_TRUE(idle.say(kGet));
  EXPECT_THAT(world_.hears(idle, "web-1 /a"), Not(HasSubstr("Connection: close")));
}

TEST_F(RevisionPortsTest, APathThatNamesOthersAloneIsLeft) {
  cluster::Path path = held_at(port_);
  path.activators = {PodName("activator-2")};
  set_path(path);
  TestPeer peer = world_.connect(port_, kGet);
  EXPECT_THAT(world_.hears(peer, "web-1 /a"), HasSubstr("Connection: close"));
}

TEST_F(RevisionPortsTest, APortMayPassToAnotherRevisionAtOnce) {
  world_.web().path = direct();
  world_.cluster.truth[1].path = held_at(port_);
  world_.cluster.publish();
  TestPeer peer = world_.connect(port_, kProbe);
  EXPECT_THAT(world_.hears(peer, "activator"), HasSubstr("X-Bellows-Revision: shop\r\n"));
}

TEST_F(RevisionPortsTest, ARemovedRevisionFinishesWhatIsInFlightAndRejectsTheRest) {
  replica_.hold();
  TestPeer busy = world_.connect(port_, kGet);
  world_.until([&] { return replica_.running == 1; });
  TestPeer fresh = TestPeer::connect_to(port_);
  world_.cluster.truth.erase(world_.cluster.truth.begin());
  world_.cluster.publish();
  EXPECT_TRUE(is_refused(port_));
  ASSERT_TRUE(fresh.say(kGet));
  EXPECT_THAT(world_.hears(fresh, "is not listed"), HasSubstr("404"));
  replica_.release();
  EXPECT_THAT(world_.hears(busy, "web-1 /a"), HasSubstr("200 OK"));
}

TEST_F(RevisionPortsTest, ADrainKeepsIdleConnectionsAndCountsPathsAsArrivals) {
  TestPeer idle = served();
  world_.service->start_draining(proxy::IdleConnections::kKeep);
  world_.pass(seconds(10));
  EXPECT_EQ(world_.service->last_arrival(world_.clock.now()), world_.clock.now())
      << "the path sends callers here";
  set_path(direct(port_));
  const TimePoint left = world_.clock.now();
  EXPECT_LT(world_.service->last_arrival(left), left);
  world_.pass(seconds(1));
  ASSERT_TRUE(idle.say(kGet));
  EXPECT_THAT(world_.hears(idle, "web-1 /a"), HasSubstr("Connection: close"));
  EXPECT_EQ(world_.service->last_arrival(left), world_.clock.now());
}

TEST_F(RevisionPortsTest, ActivatorsOfThePathShareTheReplicasInOrderOfTheirNames) {
  world_.add_replica("web-2");
  world_.web().settings.container_concurrency = 1;
  world_.web().settings.load_balancing = config::LoadBalancing::kFirstAvailable;
  cluster::Path path = held_at(port_);
  path.activators = {PodName("activator-0"), PodName("activator-1")};
  set_path(path);
  TestPeer second = world_.connect(port_, kGet);
  EXPECT_THAT(world_.hears(second, " /a"), HasSubstr("web-2 /a"));
  path.activators = {PodName("activator-1"), PodName("activator-2")};
  set_path(path);
  TestPeer first = world_.connect(port_, kGet);
  EXPECT_THAT(world_.hears(first, " /a"), HasSubstr("web-1 /a"));
}

}  // namespace
}  // namespace bellows::activator
