// Each side of an exchange leaves at any step of it, also before what it has begun was
// written: the others go on, and a new request is served as if nothing had been. Uses of freed
// memory are seen by the address sanitizer (tools/check --sanitize).
#include <gtest/gtest.h>

#include <ostream>
#include <tuple>

#include "tests/integration/h2/h2_world.hpp"

namespace bellows::http2 {
namespace {

const std::string kPost = "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello";
const std::string kUpload =
    "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n";
const std::string kTunnel =
    "GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
const std::string kWhole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const std::string kParts =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nSum: 1\r\n\r\n";
const std::string kHints = "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n";
const std::string kSwitch =
    "HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nhello";

/// What happens in the middle.
enum class Event {
  kCallerCloses,
  kCallerAborts,
  kAppCloses,
  kAppAborts,
  kServerDrains,
  kServerCloses,
  kClientDrains,
  kClientCloses,
  kClientIsDestroyed,
  kServerIsDestroyed,
};

std::ostream& operator<<(std::ostream& out, Event event) {
  constexpr const char* kNames[] = {"the caller closes its stream",
                                    "the caller aborts its stream",
                                    "the app closes its stream",
                                    "the app aborts its stream",
                                    "the server drains",
                                    "the server closes",
                                    "the client drains",
                                    "the client closes",
                                    "the client is destroyed",
                                    "the server is destroyed"};
  return out << kNames[static_cast<int>(event)];
}

struct Story {
  const char* what;
  std::string request;
  std::string response;
};

std::ostream& operator<<(std::ostream& out, const Story& story) {
  return out << story.what;
}

const std::vector<Story> kStories = {
    {"a GET", kGet, kWhole},
    {"a POST", kPost, kParts},
    {"an upload that goes on, with hints", kUpload, kHints + kParts},
    {"a response that ends with its connection", kGet, "HTTP/1.1 200 OK\r\n\r\nuntil the end"},
    {"a tunnel", kTunnel, kSwitch},
};

/// Both sides, of which one more request (`beside`) is in the middle.
class Play {
 public:
  explicit Play(const Story& story) : story_(story) {
    world_.start_both();
    beside_ = world_.client->open_stream();
    beside_->try_write(kGet);
    world_.settle();
    caller_ = world_.client->open_stream();
  }

  /// Runs `before` handlers, lets `event` happen, and goes on to the end of the story. False if the
  /// story was over before.
  bool run(int before, Event event) {
    caller_->try_write(story_.request);
    int steps = 0;
    for (; steps < before && step(); ++steps) {
    }
    const bool is_over = steps < before;
    happen(event);
    while (step()) {
    }
    end();
    return !is_over;
  }

 private:
  /// Runs one handler, then the app answers what has come; false: nothing is left to do.
  bool step() {
    const bool has_run = world_.io.poll_one() != 0;
    if (caller_) read_now(*caller_);
    if (is_answered_ || world_.streams.size() < 2 || !world_.streams[1]) return has_run;
    read_now(*world_.streams[1]);
    world_.streams[1]->try_write(story_.response);
    return is_answered_ = true;
  }
  void happen(Event event) {
    http::Connection* const app = world_.streams.size() > 1 ? world_.streams[1].get() : nullptr;
    switch (event) {
      case Event::kCallerCloses:
        return caller_.reset();
      case Event::kCallerAborts:
        caller_->abort();
        return caller_.reset();
      case Event::kAppCloses:
        if (app != nullptr) world_.streams[1].reset();
        return;
      case Event::kAppAborts:
        if (app != nullptr) app->abort();
        return;
      case Event::kServerDrains:
        return world_.server->drain();
      case Event::kServerCloses:
        return world_.server->close();
      case Event::kClientDrains:
        return world_.client->drain();
      case Event::kClientCloses:
        return world_.client->close();
      case Event::kClientIsDestroyed:
        return world_.client.reset();
      case Event::kServerIsDestroyed:
        return world_.server.reset();
    }
  }
  /// The request beside it ends in order where its connection lives, and nothing is left.
  void end() {
    world_.streams.at(0)->try_write(kWhole);
    world_.settle();
    const std::string heard = read_now(*beside_);
    EXPECT_TRUE(heard.empty() || heard.ends_with("ok")) << heard;
    beside_.reset();
    caller_.reset();
    world_.streams.clear();
    world_.pass(std::chrono::seconds(3));
    if (world_.client) {
      EXPECT_EQ(world_.client->open_streams(), 0U);
    }
    if (world_.server) {
      EXPECT_EQ(world_.server->open_streams(), 0U);
    }
    if (world_.client && world_.client->may_open()) expect_served();
    world_.client.reset();
    world_.server.reset();
    world_.settle();
    EXPECT_EQ(world_.reactor.buffers().borrowed(), 0U);
  }
  void expect_served() {
    const ConnectionPtr next = world_.client->open_stream();
    next->try_write(kGet);
    world_.settle();
    if (world_.streams.empty()) return;  // the server has ended meanwhile
    world_.streams.back()->try_write(kWhole);
    world_.settle();
    EXPECT_TRUE(read_now(*next).ends_with("\r\n\r\nok"));
    world_.streams.clear();
  }

  const Story& story_;
  H2World world_;
  ConnectionPtr beside_;
  ConnectionPtr caller_;
  bool is_answered_ = false;
};

class Leaving : public testing::TestWithParam<std::tuple<Story, Event>> {};

/// From the first step of the story (nothing was written yet) to its end.
TEST_P(Leaving, AtEveryStep) {
  const auto& [story, event] = GetParam();
  constexpr int kMostSteps = 200;
  int steps = 0;
  for (bool is_within = true; is_within; ++steps) {
    SCOPED_TRACE(steps);
    is_within = Play(story).run(steps, event);
    ASSERT_LT(steps, kMostSteps);
  }
  EXPECT_GT(steps, 2);
}

INSTANTIATE_TEST_SUITE_P(
    All, Leaving,
    testing::Combine(testing::ValuesIn(kStories),
                     testing::Values(Event::kCallerCloses, Event::kCallerAborts, Event::kAppCloses,
                                     Event::kAppAborts, Event::kServerDrains, Event::kServerCloses,
                                     Event::kClientDrains, Event::kClientCloses,
                                     Event::kClientIsDestroyed, Event::kServerIsDestroyed)));

/// The library opens the stream of such a request and closes it within the same call: two reports
/// of one end. Seen as a double free with five callers that left.
TEST(ARequestThatIsCancelled, BeforeItWasWrittenIsOneEnd) {
  H2World world;
  world.start_both();
  for (int i = 0; i < 3; ++i) {
    ConnectionPtr cancelled = world.client->open_stream();
    ConnectionPtr kept = world.client->open_stream();
    cancelled->try_write(kGet);
    kept->try_write(kGet);
    cancelled->abort();
    cancelled.reset();
    world.settle();
    ASSERT_EQ(world.given, i + 1) << "nobody hears of the cancelled one";
    world.streams.back()->try_write(kWhole);
    world.settle();
    EXPECT_TRUE(read_now(*kept).ends_with("ok"));
    world.streams.clear();
  }
  EXPECT_EQ(world.client->open_streams(), 0U);
}

/// A request that waits for room among the peer's streams is in the same place.
TEST(ARequestThatIsCancelled, WhileItWaitsForTheAppsSettingsOrRoomIsOneEnd) {
  H2World world;
  world.start_raw_client();
  std::vector<ConnectionPtr> waiting;
  for (int i = 0; i < 5; ++i) {
    waiting.push_back(world.client->open_stream());
    waiting.back()->try_write(kGet);
  }
  world.say(frame(test::kSettings, 0, 0, number(3, 2) + number(1, 4)));  // one stream at a time
  for (int i = 0; i < 4; ++i) waiting[static_cast<std::size_t>(i)]->abort();
  waiting.erase(waiting.begin(), waiting.begin() + 4);
  world.settle();
  world.say(headers(id(4), {{":status", "200"}}));
  world.settle();
  EXPECT_TRUE(read_now(*waiting[0]).starts_with("HTTP/1.1 200"));
  waiting.clear();
  EXPECT_EQ(world.client->open_streams(), 0U);
}

}  // namespace
}  // namespace bellows::http2
