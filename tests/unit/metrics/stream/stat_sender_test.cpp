#include "metrics/stream/stat_sender.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/sys/log.hpp"
#include "metrics/stat_codec.hpp"
#include "tests/support/fake_websocket.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/numbered_stat.hpp"

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;
using test::FakePeer;
using test::FakeWebSocket;
using test::stat_number;

ScaleFromZeroTrigger wake_of(const std::string& revision, std::uint64_t waiting) {
  return {RevisionId(revision), PodName("activator"), 1, waiting};
}

/// Attempts to connect are answered as laid out; when nothing is left they hang. Sleeping moves
/// the clock at once.
class SenderDiary : public ::testing::Test {
 protected:
  ~SenderDiary() override { stop(0s); }

  std::shared_ptr<FakePeer> will_connect() {
    answers.push_back(std::make_shared<FakePeer>(io));
    return answers.back();
  }
  void will_refuse(int times = 1) {
    for (int i = 0; i < times; ++i) answers.push_back(nullptr);
  }

  void begin(StatSenderOptions options = {}) {
    sender.emplace(io, world(), options,
                   StatSenderCallbacks{.on_change = [this](bool is) { changes.push_back(is); },
                                       .on_settings = on_settings});
    sender->start();
    settle();
  }

  StatSenderWorld world() {
    StatSenderWorld its;
    its.connect = [this] { return connect(); };
    its.sleep = [this](Duration duration) { return sleep(duration); };
    its.clock = &clock;
    its.random = &random;
    return its;
  }

  http::Awaitable<Result<std::unique_ptr<http::WebSocket>>> connect() {
    if (answers.empty()) {
      is_hanging = true;
      co_await http::sleep_until(TimePoint::max());
      is_hanging = false;
      co_return fail(ErrorKind::kCancelled, "autoscaler", "cancelled");
    }
    const auto peer = std::move(answers.front());
    answers.pop_front();
    if (!peer) co_return fail(ErrorKind::kRefused, "autoscaler", "connection refused");
    co_return std::make_unique<FakeWebSocket>(peer);
  }

  http::Awaitable<bool> sleep(Duration duration) {
    delays.push_back(duration);
    clock.advance(duration);
    co_return true;
  }

  void settle() {
    io.restart();
    io.poll();
  }

  /// True if stop() ended.
  bool stop(Duration timeout = 1s) {
    if (!sender) return true;
    bool has_ended = false;
    http::TaskGroup stopper(io);
    stopper.spawn("stop", [&]() -> http::Awaitable<void> {
      co_await sender->stop(sys::system_clock().now() + timeout);
      has_ended = true;
    });
    io.restart();
    io.run();
    return has_ended;
  }

  void second(std::uint64_t sequence) {
    clock.advance(1s);
    sender->accept(stat_number(sequence));
    settle();
  }

  static std::vector<Stat> stats_in(const FakePeer& peer) {
    std::vector<Stat> stats;
    for (const std::string& bytes : peer.written) {
      const auto message = decode(bytes);
      if (message && std::holds_alternative<Stat>(*message)) {
        stats.push_back(std::get<Stat>(*message));
      }
    }
    return stats;
  }

  static std::vector<std::uint64_t> sequences_in(const FakePeer& peer) {
    std::vector<std::uint64_t> sequences;
    for (const Stat& stat : stats_in(peer)) sequences.push_back(stat.sequence);
    return sequences;
  }

  static std::vector<std::uint64_t> waiting_in(const FakePeer& peer) {
    std::vector<std::uint64_t> waiting;
    for (const std::string& bytes : peer.written) {
      const auto message = decode(bytes);
      if (message && std::holds_alternative<ScaleFromZeroTrigger>(*message)) {
        waiting.push_back(std::get<ScaleFromZeroTrigger>(*message).waiting);
      }
    }
    return waiting;
  }

  http::net::io_context io;
  test::ManualClock clock;
  SeededRandom random{7};
  std::deque<std::shared_ptr<FakePeer>> answers;  // null: refused
  std::vector<Duration> delays;
  std::vector<bool> changes;
  bool is_hanging = false;
  std::function<std::optional<SettingsTaken>(const SettingsOrder&)> on_settings;
  std::optional<StatSender> sender;
};

using Sequences = std::vector<std::uint64_t>;

TEST_F(SenderDiary, EachStatIsSentOnceAsItComes) {
  const auto peer = will_connect();
  begin();
  for (std::uint64_t s = 1; s <= 3; ++s) second(s);
  EXPECT_EQ(sequences_in(*peer), (Sequences{1, 2, 3}));
  EXPECT_TRUE(sender->connected());
  EXPECT_EQ(sender->counters().stats_sent, 3U);
}

TEST_F(SenderDiary, WhileTheAutoscalerIsAwayTheDelayGrowsToOneSecondWithJitter) {
  will_refuse(8);
  begin();
  const std::vector<Duration> max = {50ms, 100ms, 200ms, 400ms, 800ms, 1s, 1s, 1s};
  ASSERT_EQ(delays.size(), max.size());
  for (std::size_t i = 0; i < max.size(); ++i) {
    EXPECT_GE(delays[i], max[i] / 2);
    EXPECT_LT(delays[i], max[i]);
  }
  EXPECT_NE(delays[6], delays[7]);
  EXPECT_EQ(sender->counters().failures, 8U);
  EXPECT_FALSE(sender->connected());
}

TEST_F(SenderDiary, AReconnectReplaysTheWindowWithTrueAgesAndThenContinues) {
  const auto first = will_connect();
  const auto again = will_connect();
  begin({.replay_window = 3s});
  for (std::uint64_t s = 1; s <= 5; ++s) second(s);
  first->hang_up();
  settle();
  ASSERT_EQ(sequences_in(*again), (Sequences{3, 4, 5}));
  const Duration since = std::chrono::round<std::chrono::milliseconds>(delays.at(0));
  EXPECT_EQ(stats_in(*again).front().age, 2s + since);
  EXPECT_EQ(stats_in(*again).back().age, since);
  second(6);
  EXPECT_EQ(sequences_in(*again), (Sequences{3, 4, 5, 6}));
  EXPECT_EQ(stats_in(*again).back().age, 0s);
  EXPECT_EQ(changes, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(sender->counters().connects, 2U);
  EXPECT_EQ(sender->counters().failures, 1U);
}

TEST_F(SenderDiary, WhateverWriteFailsEverySecondArrivesInTheEnd) {
  for (std::size_t n = 1; n <= 5; ++n) {
    const auto first = will_connect();
    const auto again = will_connect();
    first->fail_write(n);
    begin();
    for (std::uint64_t s = 1; s <= 4; ++s) second(s);
    sender->accept(wake_of("web", 1));
    settle();
    EXPECT_EQ(sequences_in(*again), (Sequences{1, 2, 3, 4})) << n;
    EXPECT_EQ(waiting_in(*first).size() + waiting_in(*again).size(), 1U) << n;
    EXPECT_EQ(sender->counters().stats_dropped, 0U);
    EXPECT_TRUE(stop());
    sender.reset();
    answers.clear();
  }
}

TEST_F(SenderDiary, APeerThatReadsNothingCostsTheOldestStatsAndTheyAreCounted) {
  const auto peer = will_connect();
  peer->stop_reading();
  begin({.replay_window = 10s});
  for (std::uint64_t s = 1; s <= 30; ++s) second(s);
  EXPECT_EQ(sender->counters().stats_sent, 0U);
  EXPECT_EQ(sender->counters().stats_dropped, 18U) << "one is on its way, eleven are kept";
}

TEST_F(SenderDiary, ATriggerGoesOutAtOnceAndBeforeStatsThatWait) {
  begin();
  EXPECT_TRUE(is_hanging);
  second(1);
  sender->accept(wake_of("web", 1));
  EXPECT_TRUE(stop());
  sender.reset();

  const auto peer = will_connect();
  begin();
  sender->accept(stat_number(1));
  sender->accept(wake_of("web", 1));
  settle();
  EXPECT_EQ(waiting_in(*peer), Sequences{1});
  EXPECT_TRUE(std::holds_alternative<ScaleFromZeroTrigger>(*decode(peer->written.front())));
}

TEST_F(SenderDiary, OfTriggersThatCouldNotBeSentTheNewestPerRevisionIsKept) {
  const auto first = will_connect();
  begin();
  first->stop_reading();
  sender->accept(wake_of("web", 1));
  settle();
  sender->accept(wake_of("web", 2));
  sender->accept(wake_of("api", 9));
  sender->accept(wake_of("web", 3));
  const auto again = will_connect();
  first->hang_up();
  settle();
  EXPECT_EQ(waiting_in(*again), (Sequences{9, 3}));
  EXPECT_EQ(sender->counters().triggers_sent, 2U);
}

TEST_F(SenderDiary, ATriggerWithoutAWaitingRequestIsNotSentWhenTheAutoscalerIsBack) {
  const auto first = will_connect();
  begin();
  first->stop_reading();
  sender->accept(wake_of("busy", 1));  // on its way when the connection is lost
  settle();
  sender->accept(wake_of("gone", 1));
  clock.advance(1500ms);
  sender->accept(wake_of("web", 2));
  clock.advance(1s);
  const auto again = will_connect();
  first->hang_up();
  settle();
  EXPECT_EQ(waiting_in(*again), Sequences{2}) << "who still waits said so within two seconds";
  EXPECT_EQ(sender->counters().triggers_sent, 1U);
  second(1);
  EXPECT_EQ(sequences_in(*again), Sequences{1}) << "it goes on";
}

TEST_F(SenderDiary, APeerThatTakesTheConnectionAndDropsItIsNotHammered) {
  for (int i = 0; i < 6; ++i) will_connect()->hang_up();
  begin();
  ASSERT_EQ(delays.size(), 6U);
  EXPECT_GE(delays.back(), 500ms);
}

TEST_F(SenderDiary, AfterAConnectionThatLastedTheFirstDelayIsShortAgain) {
  will_refuse(6);
  const auto peer = will_connect();
  begin();
  EXPECT_GE(delays.back(), 500ms);
  second(1);
  peer->hang_up();
  settle();
  EXPECT_LT(delays.back(), 50ms);
}

std::vector<std::string> sender_lines;

TEST_F(SenderDiary, LogsAnOutageOnceAndTheEndOfALongConnectionAsNone) {
  sender_lines.clear();
  sys::log::set_sink([](std::string_view line) { sender_lines.emplace_back(line); });
  for (int i = 0; i < 20; ++i) will_connect()->hang_up();  // as for a token that is not accepted
  const auto peer = will_connect();
  begin();
  const std::size_t refused = sender_lines.size();
  second(1);
  peer->hang_up();
  will_connect();
  settle();
  sys::log::set_sink(nullptr);
  EXPECT_EQ(refused, 2U) << "connected, and that it is closed at once";
  const auto warnings = std::ranges::count_if(sender_lines, [](const std::string& line) {
    return line.find("cannot send stats") != std::string::npos;
  });
  EXPECT_EQ(warnings, 1);
  EXPECT_NE(sender_lines.back().find("connected, sending stats"), std::string::npos);
  EXPECT_TRUE(sender->connected());
}

TEST_F(SenderDiary, WhatThePeerSendsIsReadAndForgotten) {
  const auto peer = will_connect();
  begin();
  peer->send("a later version may answer");
  second(1);
  EXPECT_TRUE(sender->connected());
  EXPECT_EQ(sequences_in(*peer), Sequences{1});
}

const SettingsOrder kOrder{.revision = RevisionId("web"),
                           .pod = PodName("web-1"),
                           .generation = 3,
                           .settings = {{"container-concurrency", "1"}}};

TEST_F(SenderDiary, SettingsAreTakenAndAnsweredOnTheSameConnection) {
  std::vector<SettingsOrder> orders;
  on_settings = [&](const SettingsOrder& order) -> std::optional<SettingsTaken> {
    orders.push_back(order);
    if (order.pod != PodName("web-1")) return std::nullopt;
    return SettingsTaken{.revision = order.revision,
                         .pod = order.pod,
                         .generation = order.generation,
                         .refused = {},
                         .own = {}};
  };
  const auto peer = will_connect();
  begin();
  peer->send(encode(kOrder));
  settle();
  ASSERT_EQ(orders, std::vector{kOrder});
  ASSERT_EQ(peer->written.size(), 1U);
  EXPECT_EQ(std::get<SettingsTaken>(decode(peer->written[0]).value()).generation, 3U);
  SettingsOrder other = kOrder;
  other.pod = PodName("web-2");
  peer->send(encode(other));
  settle();
  EXPECT_EQ(peer->written.size(), 1U) << "no answer for another one";
}

TEST_F(SenderDiary, AMessageThatCannotBeReadCostsNoStat) {
  int orders = 0;
  on_settings = [&](const SettingsOrder&) -> std::optional<SettingsTaken> {
    ++orders;
    return std::nullopt;
  };
  const auto peer = will_connect();
  begin();
  for (const std::string& bytes :
       {std::string("garbage"), encode(stat_number(9)), std::string(kMaxOrderBytes + 1, 'x')}) {
    peer->send(bytes);
  }
  second(1);
  EXPECT_TRUE(sender->connected());
  EXPECT_EQ(sequences_in(*peer), Sequences{1});
  EXPECT_EQ(orders, 0);
}

TEST_F(SenderDiary, AnAnswerIsNotSentOnAnotherConnection) {
  on_settings = [](const SettingsOrder& order) {
    return SettingsTaken{.revision = order.revision,
                         .pod = order.pod,
                         .generation = order.generation,
                         .refused = {},
                         .own = {}};
  };
  const auto first = will_connect();
  const auto next = will_connect();
  begin();
  first->fail_write(1);
  first->send(encode(kOrder));
  settle();
  EXPECT_TRUE(sender->connected());
  EXPECT_TRUE(next->written.empty());
}

TEST_F(SenderDiary, StopSendsWhatWaitsAndClosesPolitely) {
  const auto peer = will_connect();
  begin();
  sender->accept(stat_number(1));
  EXPECT_TRUE(stop());
  EXPECT_EQ(sequences_in(*peer), Sequences{1});
  EXPECT_EQ(peer->closed, "the sender stops");
  EXPECT_FALSE(sender->connected());
  EXPECT_EQ(sender->counters().failures, 0U);
}

TEST_F(SenderDiary, StopDoesNotWaitForAConnectionThatHangs) {
  begin();
  EXPECT_TRUE(is_hanging);
  EXPECT_TRUE(stop(1h));
}

TEST_F(SenderDiary, StopCutsOffAPeerThatReadsNothing) {
  const auto peer = will_connect();
  begin();
  peer->stop_reading();
  sender->accept(stat_number(1));
  EXPECT_TRUE(stop(0s));
  EXPECT_FALSE(sender->connected());
  EXPECT_TRUE(peer->written.empty());
}

}  // namespace
}  // namespace bellows::metrics
