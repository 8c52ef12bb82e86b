#include "metrics/stream/stat_receiver.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/sys/log.hpp"
#include "http/io/task_group.hpp"
#include "metrics/stat_codec.hpp"
#include "tests/support/fake_websocket.hpp"
#include "tests/support/kept_stats.hpp"
#include "tests/support/numbered_stat.hpp"

namespace bellows::metrics {
namespace {

using test::FakePeer;
using test::FakeWebSocket;
using test::stat_number;

class ReceiverDiary : public ::testing::Test {
 protected:
  std::shared_ptr<FakePeer> connect() {
    auto peer = std::make_shared<FakePeer>(io);
    tasks.spawn("receiver", [this, peer]() -> http::Awaitable<void> {
      FakeWebSocket socket(peer);
      co_await receiver.serve(socket, sink);
    });
    return peer;
  }
  void settle() {
    io.restart();
    io.poll();
  }

  http::net::io_context io;
  test::KeptStats sink;
  StatReceiver receiver;
  http::TaskGroup tasks{io};
};

TEST_F(ReceiverDiary, StatsAndTriggersReachTheSinkInOrder) {
  const auto peer = connect();
  const ScaleFromZeroTrigger trigger{RevisionId("web"), PodName("activator"), 5, 2};
  peer->send(encode(stat_number(1)));
  peer->send(encode(trigger));
  peer->send(encode(stat_number(2)));
  settle();
  EXPECT_EQ(sink.stats, (std::vector<Stat>{stat_number(1), stat_number(2)}));
  EXPECT_EQ(sink.triggers, std::vector<ScaleFromZeroTrigger>{trigger});
  EXPECT_EQ(receiver.counters().stats, 2U);
  EXPECT_EQ(receiver.counters().triggers, 1U);
  EXPECT_EQ(receiver.open_connections(), 1);
}

std::vector<std::string> log_lines;

TEST_F(ReceiverDiary, AHundredBadConnectionsAreCountedAndDoNotFillTheLog) {
  sys::log::set_sink([](std::string_view line) { log_lines.emplace_back(line); });
  for (int i = 0; i < 100; ++i) {
    connect()->send("GET / HTTP/1.1");
    settle();
  }
  sys::log::set_sink(nullptr);
  EXPECT_EQ(receiver.counters().bad_messages, 100U);
  EXPECT_GE(log_lines.size(), 5U);
  EXPECT_LT(log_lines.size(), 50U) << "5 at once, then one in two seconds";
}

TEST_F(ReceiverDiary, ABadMessageEndsItsConnectionWithTheReasonAndNoOther) {
  const auto good = connect();
  const auto bad = connect();
  bad->send(encode(stat_number(1)));
  bad->send("GET / HTTP/1.1");
  bad->send(encode(stat_number(2)));
  settle();
  EXPECT_EQ(bad->closed, "message: a bare value; must be one map");
  EXPECT_FALSE(good->closed.has_value());
  EXPECT_EQ(receiver.counters().bad_messages, 1U);
  EXPECT_EQ(receiver.open_connections(), 1);

  good->send(encode(stat_number(3)));
  settle();
  EXPECT_EQ(sink.stats, (std::vector<Stat>{stat_number(1), stat_number(3)}));
}

TEST_F(ReceiverDiary, AnotherVersionGetsTheSupportedVersion) {
  const auto peer = connect();
  peer->send("\x81\xa1v\x02");
  settle();
  EXPECT_EQ(peer->closed, "v: version 2: this side speaks version 1");
}

TEST_F(ReceiverDiary, AMessageOverTheLimitOfTheConnectionIsABadOne) {
  const auto peer = connect();
  peer->end_with(Error(ErrorKind::kTooLarge, "fake:1", "message of 70000 bytes; at most 65536"));
  settle();
  EXPECT_EQ(peer->closed, "fake:1: message of 70000 bytes; at most 65536");
  EXPECT_EQ(receiver.counters().bad_messages, 1U);
}

TEST_F(ReceiverDiary, ALongReasonIsCutToWhatACloseFrameHolds) {
  const auto peer = connect();
  peer->end_with(Error(ErrorKind::kMalformed, "frame", std::string(500, 'x')));
  settle();
  EXPECT_EQ(peer->closed->size(), 123U);
}

TEST_F(ReceiverDiary, SettingsAreNotTakenFromASender) {
  const auto peer = connect();
  peer->send(encode(SettingsOrder{
      .revision = RevisionId("web"), .pod = PodName("web-1"), .generation = 1, .settings = {}}));
  settle();
  EXPECT_EQ(peer->closed, "type: \"settings\": only queue-proxies take them");
  EXPECT_EQ(receiver.counters().bad_messages, 1U);
}

TEST_F(ReceiverDiary, ASenderThatLeavesIsNoFault) {
  const auto peer = connect();
  peer->hang_up();
  settle();
  EXPECT_EQ(receiver.open_connections(), 0);
  EXPECT_EQ(receiver.counters().bad_messages, 0U);
  EXPECT_FALSE(peer->closed.has_value());
}

TEST_F(ReceiverDiary, AServerThatStopsEndsItsConnections) {
  connect();
  connect();
  settle();
  EXPECT_EQ(receiver.open_connections(), 2);
  tasks.stop();
  settle();
  EXPECT_EQ(receiver.open_connections(), 0);
  EXPECT_EQ(receiver.counters().connections, 2U);
}

}  // namespace
}  // namespace bellows::metrics
