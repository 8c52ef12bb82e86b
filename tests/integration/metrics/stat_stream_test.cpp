// The stat stream over real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/sys/clock.hpp"
#include "http/io/service_server.hpp"
#include "http/io/task_group.hpp"
#include "metrics/stat_codec.hpp"
#include "metrics/stream/stat_receiver.hpp"
#include "metrics/stream/stat_sender.hpp"
#include "metrics/stream/stat_senders.hpp"
#include "tests/support/fake_websocket.hpp"
#include "tests/support/numbered_stat.hpp"
#include "tests/support/run_task.hpp"

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;
using test::stat_number;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Endpoint kAnyPort{.host = "127.0.0.1", .port = 0, .unix_path = {}};

TimePoint in(Duration span) {
  return sys::system_clock().now() + span;
}

/// Keeps sequence numbers; a test may wait until there are enough.
class SequenceSink final : public StatSink {
 public:
  explicit SequenceSink(http::net::io_context& io)
      : news_(io, http::AsioTimer::time_point::max()) {}

  void accept(const Stat& stat) override {
    sequences.push_back(stat.sequence);
    news_.cancel();
  }
  void accept(const ScaleFromZeroTrigger& trigger) override {
    waiting.push_back(trigger.waiting);
    news_.cancel();
  }

  http::Awaitable<void> until(std::size_t stats, std::size_t triggers = 0) {
    boost::system::error_code ignored;
    while (sequences.size() < stats || waiting.size() < triggers) {
      co_await news_.async_wait(http::awaiting(ignored));
    }
  }

  std::vector<std::uint64_t> sequences;
  std::vector<std::uint64_t> waiting;

 private:
  http::AsioTimer news_;
};

/// An autoscaler as far as the stream goes.
struct Autoscaler {
  explicit Autoscaler(http::net::io_context& io, const Endpoint& at = kAnyPort)
      : sink(io), server(io) {
    server.websocket("/stats",
                     [this](std::unique_ptr<http::WebSocket> socket) -> http::Awaitable<void> {
                       co_await receiver.serve(*socket, sink);
                     });
    endpoint = server.listen(at).value();
  }

  SequenceSink sink;
  StatReceiver receiver;
  http::ServiceServer server;
  Endpoint endpoint;
};

/// As at the end of a program, where a connection has not ended by the deadline of its server. The
/// address sanitizer sees what it still uses of the receiver.
TEST(StatReceiverTest, IsDestroyedBeforeAConnectionThatDoesNotEnd) {
  auto io = std::make_unique<http::net::io_context>();
  const auto peer = std::make_shared<test::FakePeer>(*io);
  SequenceSink sink(*io);
  auto receiver = std::make_unique<StatReceiver>();
  test::FakeWebSocket socket(peer);
  http::net::co_spawn(*io, receiver->serve(socket, sink), [](const std::exception_ptr&) {});
  io->poll();
  EXPECT_EQ(receiver->open_connections(), 1);
  receiver.reset();
  peer->hang_up();  // its end waits in the queue of the io_context
}

class StatStream : public ::testing::Test {
 protected:
  StatSenderWorld world_to(const Endpoint& endpoint) {
    StatSenderWorld world;
    world.connect = [endpoint] { return http::connect_websocket(endpoint, "/stats"); };
    world.sleep = [](Duration span) { return http::sleep_for(span); };
    world.clock = &sys::system_clock();
    world.random = &random;
    return world;
  }

  http::net::io_context io;
  SeededRandom random{3};
};

TEST_F(StatStream, StatsAndTriggersArrive) {
  Autoscaler autoscaler(io);
  StatSender sender(io, world_to(autoscaler.endpoint));
  test::run_task<void>(io, [&]() -> http::Awaitable<void> {
    sender.start();
    sender.accept(stat_number(1));
    sender.accept(ScaleFromZeroTrigger{RevisionId("web"), PodName("activator"), 1, 5});
    sender.accept(stat_number(2));
    co_await autoscaler.sink.until(2, 1);
    co_await sender.stop(in(5s));
    co_await autoscaler.server.stop(in(5s));
  });
  EXPECT_THAT(autoscaler.sink.sequences, ElementsAre(1, 2));
  EXPECT_THAT(autoscaler.sink.waiting, ElementsAre(5));
  EXPECT_EQ(autoscaler.receiver.open_connections(), 0);
}

TEST_F(StatStream, AnAutoscalerThatWasRestartedHearsTheWholeWindowAgain) {
  std::optional<Autoscaler> first(io);
  std::optional<Autoscaler> second;
  const Endpoint endpoint = first->endpoint;
  StatSender sender(io, world_to(endpoint));
  test::run_task<void>(io, [&]() -> http::Awaitable<void> {
    sender.start();
    sender.accept(stat_number(1));
    sender.accept(stat_number(2));
    co_await first->sink.until(2);
    co_await first->server.stop(in(0s));
    second.emplace(io, endpoint);
    sender.accept(stat_number(3));
    co_await second->sink.until(3);
    co_await sender.stop(in(5s));
    co_await second->server.stop(in(5s));
  });
  EXPECT_THAT(second->sink.sequences, ElementsAre(1, 2, 3));
  EXPECT_EQ(sender.counters().connects, 2U);
}

/// Sends to those that `found` has.
class SeveralAutoscalers : public StatStream {
 protected:
  StatSendersWorld world() {
    StatSendersWorld world;
    world.find = [this]() -> http::Awaitable<Result<std::vector<Endpoint>>> {
      ++looks;
      if (found.empty()) co_return fail(ErrorKind::kNotFound, "autoscaler", "no such host");
      co_return found;
    };
    world.connect = [](Endpoint endpoint) {
      return http::connect_websocket(std::move(endpoint), "/stats");
    };
    world.sleep = [](Duration span) { return http::sleep_for(span); };
    world.clock = &sys::system_clock();
    world.random = &random;
    return world;
  }

  std::vector<Endpoint> found;
  int looks = 0;
};

TEST_F(SeveralAutoscalers, GetAllStatsAndTriggers) {
  Autoscaler first(io);
  Autoscaler second(io);
  found = {first.endpoint, second.endpoint};
  StatSenders senders(io, world());
  test::run_task<void>(io, [&]() -> http::Awaitable<void> {
    senders.start();
    senders.accept(stat_number(1));
    senders.accept(ScaleFromZeroTrigger{RevisionId("web"), PodName("activator"), 1, 5});
    senders.accept(stat_number(2));
    co_await first.sink.until(2, 1);
    co_await second.sink.until(2, 1);
    EXPECT_TRUE(senders.connected());
    co_await senders.stop(in(5s));
    co_await first.server.stop(in(5s));
    co_await second.server.stop(in(5s));
  });
  EXPECT_THAT(first.sink.sequences, ElementsAre(1, 2));
  EXPECT_THAT(second.sink.sequences, ElementsAre(1, 2));
  EXPECT_EQ(senders.counters().stats_sent, 4U);
}

TEST_F(SeveralAutoscalers, OneInPlaceOfAnotherGetsTheWholeWindow) {
  Autoscaler first(io);
  Autoscaler second(io);
  found = {first.endpoint};
  std::vector<bool> told;
  StatSenders senders(
      io, world(), {},
      {.on_change = [&](bool connected) { told.push_back(connected); }, .on_settings = {}});
  test::run_task<void>(io, [&]() -> http::Awaitable<void> {
    senders.start();
    senders.accept(stat_number(1));
    co_await first.sink.until(1);
    found = {second.endpoint};
    co_await first.server.stop(in(0s));
    senders.accept(stat_number(2));
    co_await second.sink.until(2);
    co_await senders.stop(in(5s));
    co_await second.server.stop(in(5s));
  });
  EXPECT_THAT(second.sink.sequences, ElementsAre(1, 2));
  EXPECT_EQ(told.front(), true);
}

TEST_F(SeveralAutoscalers, AreLookedForUntilTheNameIsKnown) {
  Autoscaler autoscaler(io);
  StatSenders senders(io, world());
  test::run_task<void>(io, [&]() -> http::Awaitable<void> {
    senders.start();
    senders.accept(stat_number(1));
    while (looks < 2) (void)co_await http::sleep_for(1ms);
    EXPECT_FALSE(senders.connected());
    found = {autoscaler.endpoint};
    co_await autoscaler.sink.until(1);
    co_await senders.stop(in(5s));
    co_await autoscaler.server.stop(in(5s));
  });
  EXPECT_THAT(autoscaler.sink.sequences, ElementsAre(1));
}

TEST_F(SeveralAutoscalers, OfAHostThatIsNoNameOfTheDnsAreThatHost) {
  test::run_task<void>(io, [&]() -> http::Awaitable<void> {
    for (const Endpoint& host : {Endpoint{.host = "localhost", .port = 8080, .unix_path = {}},
                                 Endpoint{.host = "fd00::1", .port = 8080, .unix_path = {}},
                                 Endpoint{.host = "", .port = 0, .unix_path = "/run/a.sock"}}) {
      EXPECT_THAT((co_await find_autoscalers(host)).value(), ElementsAre(host));
    }
  });
}

TEST_F(StatStream, ASenderOfAnotherVersionGetsTheReason) {
  Autoscaler autoscaler(io);
  const Error error = test::run_task<Error>(io, [&]() -> http::Awaitable<Error> {
    const auto socket = co_await http::connect_websocket(autoscaler.endpoint, "/stats");
    co_await (*socket)->write("\x81\xa1v\x02");
    const Result<std::string> answer = co_await (*socket)->read();
    co_await autoscaler.server.stop(in(5s));
    co_return answer.error();
  });
  EXPECT_THAT(to_string(error), HasSubstr("v: version 2: this side speaks version 1"));
  EXPECT_EQ(autoscaler.receiver.counters().bad_messages, 1U);
}

TEST_F(StatStream, ASenderThatStopsCloses) {
  std::optional<Error> end;
  http::ServiceServer server(io);
  server.websocket("/stats",
                   [&end](std::unique_ptr<http::WebSocket> socket) -> http::Awaitable<void> {
                     while (!end) {
                       const Result<std::string> message = co_await socket->read();
                       if (!message) end = message.error();
                     }
                   });
  const Endpoint endpoint = server.listen(kAnyPort).value();
  http::AsioTimer change(io, http::AsioTimer::time_point::max());
  StatSender sender(io, world_to(endpoint), {},
                    {.on_change = [&](bool) { change.cancel(); }, .on_settings = {}});
  test::run_task<void>(io, [&]() -> http::Awaitable<void> {
    sender.start();
    boost::system::error_code ignored;
    co_await change.async_wait(http::awaiting(ignored));
    EXPECT_TRUE(sender.connected());
    co_await sender.stop(in(5s));
    co_await server.stop(in(5s));
  });
  ASSERT_TRUE(end.has_value());
  EXPECT_THAT(to_string(*end), HasSubstr("the sender stops"));
}

}  // namespace
}  // namespace bellows::metrics
