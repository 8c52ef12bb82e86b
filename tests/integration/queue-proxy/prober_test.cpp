// A prober and its app, which the test plays. The test moves the clock of Readiness by hand;
// timeouts of probes follow the system's clock, so they are short.
#include "queue-proxy/service/prober.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/queue-proxy/service_world.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/test_peer.hpp"

namespace bellows::queue_proxy {
namespace {

using namespace std::chrono_literals;

const std::string kNoContent = "HTTP/1.1 204 No Content\r\n\r\n";
const std::string kSettings("\0\0\0\x04\0\0\0\0\0", 9);
const std::string kBad = "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n";

class ProberTest : public testing::Test {
 protected:
  ~ProberTest() override {
    test::run_task<void>(
        io_, [this] { return prober_->stop(sys::system_clock().now() + test::kPatience); });
  }

  std::vector<AppCheck> checks(const std::string& path) const {
    const Endpoint app{.host = "127.0.0.1", .port = app_.port(), .unix_path = {}};
    std::vector<AppCheck> all = {{.app = app, .path = path, .headers = headers_}};
    if (has_second_check_) all.push_back({.app = app, .path = "/second"});
    return all;
  }

  /// Probes every millisecond with a timeout of 20 ms.
  void start(const std::string& path) { start(AppProbe{.checks = checks(path), .timeout = 20ms}); }
  void start(AppProbe probe) {
    prober_ = std::make_unique<Prober>(
        io_, clock_, std::move(probe), ProbeSchedule{.eager = 1ms, .patient = 1ms, .ready = 1ms},
        ProberCallbacks{.has_requests = [this] { return has_requests_; },
                        .answers = [this] { return answers_; },
                        .on_change = [this] { ++changes_; },
                        .on_failure = [] {}});
    prober_->start();
  }

  const Readiness& readiness() const { return prober_->readiness(); }

  /// Lets the prober work until `condition` holds; false after a minute of real time.
  bool until(const std::function<bool()>& condition) {
    const TimePoint give_up = sys::system_clock().now() + std::chrono::minutes(1);
    while (!condition()) {
      if (sys::system_clock().now() > give_up) return false;
      if (io_.poll() == 0) io_.run_one_for(1ms);
    }
    return true;
  }

  /// The head of the next probe, which gets no response.
  std::string unanswered_probe() {
    TestPeer peer;
    const bool has_come = until([&] {
      if (!peer.is_open()) peer = app_.accept();
      peer.listen();
      return peer.received().ends_with("\r\n\r\n") || peer.has_ended();
    });
    EXPECT_TRUE(has_come);
    std::string head = peer.take_received();
    peers_.push_back(std::move(peer));
    return head;
  }

  /// The app sends this response to every probe until `condition` holds.
  bool answers_until(const std::string& answer, const std::function<bool()>& condition) {
    return until([&] {
      if (TestPeer peer = app_.accept(); peer.is_open()) peers_.push_back(std::move(peer));
      for (TestPeer& peer : peers_) {
        peer.listen();
        if (!peer.take_received().empty()) peer.say(answer);
      }
      return condition();
    });
  }

  /// Probes an app at a port alone, which speaks either version.
  void start_unknown() {
    const Endpoint app{.host = "127.0.0.1", .port = app_.port(), .unix_path = {}};
    start(AppProbe{.checks = checks(""),
                   .timeout = 20ms,
                   .requests = app,
                   .protocol = config::AppProtocol::kAuto});
  }

  /// Until `condition` holds, the app does this with each connection that asks which version it
  /// speaks.
  bool asked_until(const std::function<void(TestPeer&)>& does,
                   const std::function<bool()>& condition) {
    return until([&] {
      if (TestPeer peer = app_.accept(); peer.is_open()) peers_.push_back(std::move(peer));
      for (TestPeer& peer : peers_) {
        peer.listen();
        if (!peer.take_received().starts_with("PRI ")) continue;
        ++questions_;
        does(peer);
      }
      return condition();
    });
  }

  bool becomes_ready() {
    return answers_until(kNoContent, [this] { return readiness().is_ready(); });
  }

  http::net::io_context io_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  test::ManualClock clock_;
  test::TestListener app_;
  std::vector<TestPeer> peers_;
  std::vector<std::unique_ptr<TestPeer>> kept_;  // those that a test points to
  bool has_requests_ = false;
  std::uint64_t answers_ = 0;
  int questions_ = 0;  // which version the app speaks
  bool has_second_check_ = false;
  std::vector<std::pair<std::string, std::string>> headers_;
  int changes_ = 0;
  std::unique_ptr<Prober> prober_;
};

TEST_F(ProberTest, ProbesThePathAsAKubeletDoesAndSucceedsWith200To399) {
  start("/healthz?full=1");
  const std::string head = unanswered_probe();
  EXPECT_TRUE(head.starts_with("GET /healthz?full=1 HTTP/1.1\r\n")) << head;
  EXPECT_NE(head.find("User-Agent: kube-probe/"), std::string::npos) << head;
  EXPECT_TRUE(answers_until(
      kBad, [this] { return readiness().reason().find("answered 503") != std::string::npos; }));
  EXPECT_FALSE(readiness().is_ready());
  EXPECT_TRUE(answers_until("HTTP/1.1 399 Odd\r\nContent-Length: 0\r\n\r\n",
                            [this] { return readiness().is_ready(); }));
  EXPECT_EQ(changes_, 1);
}

TEST_F(ProberTest, SendsTheHeadersOfTheProbeAndItsAgentInsteadOfItsOwn) {
  headers_ = {{"X-Token", "secret"}, {"User-Agent", "probe of the team"}};
  start("/healthz");
  const std::string head = unanswered_probe();
  EXPECT_NE(head.find("X-Token: secret\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("User-Agent: probe of the team\r\n"), std::string::npos) << head;
  EXPECT_EQ(head.find("kube-probe/"), std::string::npos) << head;
}

TEST_F(ProberTest, IsReadyWhenEveryCheckOfAListHasSucceeded) {
  has_second_check_ = true;
  start("/first");
  bool has_asked_second = false;
  ASSERT_TRUE(until([&] {
    if (TestPeer peer = app_.accept(); peer.is_open()) peers_.push_back(std::move(peer));
    for (TestPeer& peer : peers_) {
      peer.listen();
      const std::string head = peer.take_received();
      if (head.starts_with("GET /first ")) peer.say(kNoContent);
      if (!head.starts_with("GET /second ")) continue;
      has_asked_second = true;
      peer.say(kBad);
    }
    return has_asked_second && readiness().reason().find("/second") != std::string::npos;
  }));
  EXPECT_FALSE(readiness().is_ready());
  EXPECT_TRUE(becomes_ready());
}

TEST_F(ProberTest, WithoutAPathSucceedsWithAConnection) {
  start("");
  EXPECT_TRUE(until([&] { return readiness().is_ready(); }));
}

TEST_F(ProberTest, AnAppWhoseProbesWaitForItsRequestsStaysReady) {
  start("/");
  ASSERT_TRUE(becomes_ready());
  has_requests_ = true;
  for (int probe = 0; probe < 6; ++probe) unanswered_probe();
  EXPECT_TRUE(readiness().is_ready());
}

TEST_F(ProberTest, AnIdleAppIsNotReadyAfterThreeProbeTimeOuts) {
  start("/");
  ASSERT_TRUE(becomes_ready());
  for (int probe = 0; probe < 3; ++probe) {
    EXPECT_TRUE(readiness().is_ready()) << probe;
    unanswered_probe();
  }
  EXPECT_TRUE(until([&] { return !readiness().is_ready(); }));
  EXPECT_NE(readiness().reason().find("within 20ms"), std::string::npos) << readiness().reason();
  EXPECT_EQ(changes_, 2);
}

TEST_F(ProberTest, AnAppThatFailsItsProbesIsNotReadyEvenIfItHasRequests) {
  start("/");
  ASSERT_TRUE(becomes_ready());
  has_requests_ = true;
  EXPECT_TRUE(answers_until(kBad, [this] { return !readiness().is_ready(); }));
}

TEST_F(ProberTest, AnAppThatRefusesConnectionsIsUnreadyAtOnce) {
  start("");
  ASSERT_TRUE(until([&] { return readiness().is_ready(); }));
  const std::uint16_t port = app_.port();
  app_.close();
  ASSERT_TRUE(until([&] { return !readiness().is_ready(); }));
  const test::TestListener again(test::loopback(port));
  EXPECT_TRUE(until([&] { return readiness().is_ready(); }));
}

TEST_F(ProberTest, AnAppThatWasRestartedIsProbedAtOnce) {
  start("/");
  ASSERT_TRUE(becomes_ready());
  prober_->app_restarted();
  EXPECT_FALSE(readiness().is_ready());
  EXPECT_EQ(readiness().reason(), "the app was restarted");
  EXPECT_TRUE(becomes_ready());
}

/// Its queue-proxy finds out what to speak, each time that the app becomes ready.
TEST_F(ProberTest, AnAppThatIsStartedAnewIsAskedAgainWhatItSpeaks) {
  const Endpoint app{.host = "127.0.0.1", .port = app_.port(), .unix_path = {}};
  start(AppProbe{.checks = checks(""),
                 .timeout = 20ms,
                 .requests = app,
                 .protocol = config::AppProtocol::kAuto});
  std::string to_preface("\0\0\0\x04\0\0\0\0\0", 9);  // SETTINGS
  const auto becomes_ready = [&] {
    return until([&] {
      if (TestPeer peer = app_.accept(); peer.is_open()) peers_.push_back(std::move(peer));
      for (TestPeer& peer : peers_) {
        peer.listen();
        const std::string said = peer.take_received();
        if (!said.empty()) peer.say(said.starts_with("PRI ") ? to_preface : kNoContent);
      }
      return readiness().is_ready();
    });
  };
  ASSERT_TRUE(becomes_ready());
  EXPECT_EQ(prober_->app_version(), proxy::UpstreamVersion::kHttp2);
  to_preface = kBad;
  prober_->app_restarted();
  ASSERT_TRUE(becomes_ready());
  EXPECT_EQ(prober_->app_version(), proxy::UpstreamVersion::kHttp1);
}

/// A port may accept connections long before its process answers.
TEST_F(ProberTest, AnAppThatGivesNoAnswerYetIsNotReadyAndNotTakenForHttp1) {
  start_unknown();
  ASSERT_TRUE(asked_until([](TestPeer&) {}, [this] { return questions_ == 3; }));
  EXPECT_FALSE(readiness().is_ready());
  EXPECT_NE(readiness().reason().find("gives no answer yet"), std::string::npos)
      << readiness().reason();
  clock_.advance(Prober::kSilence - 1ms);
  ASSERT_TRUE(asked_until([](TestPeer&) {}, [this] { return questions_ == 6; }));
  EXPECT_FALSE(readiness().is_ready());
  ASSERT_TRUE(asked_until([](TestPeer& peer) { peer.say(kSettings); },
                          [this] { return readiness().is_ready(); }));
  EXPECT_EQ(prober_->app_version(), proxy::UpstreamVersion::kHttp2);
}

TEST_F(ProberTest, ASilentAppGetsHttp1UntilItShowsOtherwise) {
  start_unknown();
  ASSERT_TRUE(asked_until([](TestPeer&) {}, [this] { return questions_ == 3; }));
  clock_.advance(Prober::kSilence);
  ASSERT_TRUE(asked_until([](TestPeer&) {}, [this] { return readiness().is_ready(); }));
  EXPECT_EQ(prober_->app_version(), proxy::UpstreamVersion::kHttp1);
  EXPECT_EQ(changes_, 1);
  ASSERT_TRUE(asked_until([](TestPeer& peer) { peer.say(kSettings); },
                          [this] {
                            clock_.advance(1ms);
                            return prober_->app_version() == proxy::UpstreamVersion::kHttp2;
                          }));
  EXPECT_TRUE(readiness().is_ready());
  EXPECT_EQ(changes_, 2);
}

TEST_F(ProberTest, AnAssumptionThatARequestHasConfirmedIsNotAskedAgain) {
  start_unknown();
  ASSERT_TRUE(
      asked_until([](TestPeer& peer) { peer.close(); }, [this] { return readiness().is_ready(); }));
  ++answers_;
  const int asked = questions_;
  int probes = 0;
  ASSERT_TRUE(until([&] {
    clock_.advance(1ms);
    if (TestPeer peer = app_.accept(); peer.is_open()) ++probes;
    return probes == 5;
  }));
  EXPECT_EQ(questions_, asked);
}

/// As `php -S` does, which closes at a request that it cannot read.
TEST_F(ProberTest, AnAppThatClosesOnThePrefaceGetsHttp1) {
  start_unknown();
  ASSERT_TRUE(
      asked_until([](TestPeer& peer) { peer.close(); }, [this] { return readiness().is_ready(); }));
  EXPECT_EQ(prober_->app_version(), proxy::UpstreamVersion::kHttp1);
}

/// Its connections end with it, which says nothing about the process that follows.
TEST_F(ProberTest, AnAppThatEndsWhileItIsAskedIsNotReady) {
  start_unknown();
  ASSERT_TRUE(asked_until(
      [this](TestPeer& peer) {
        app_.close();
        peer.close();
      },
      [this] { return readiness().reason().find("refused") != std::string::npos; }));
  EXPECT_FALSE(readiness().is_ready());
}

/// Requests may come before the first probe has succeeded, on a slow machine for long.
TEST_F(ProberTest, AnAppWithH2cGetsHttp2BeforeItIsReady) {
  start(AppProbe{.checks = checks("/"), .timeout = 20ms, .protocol = config::AppProtocol::kH2c});
  EXPECT_FALSE(readiness().is_ready());
  EXPECT_EQ(prober_->app_version(), proxy::UpstreamVersion::kHttp2);
}

/// It has answered by a version of HTTP already, and would log a preface as a bad request.
TEST_F(ProberTest, AnAppWhoseProbeSucceededByHttpIsNotAskedWhatItSpeaks) {
  const Endpoint app{.host = "127.0.0.1", .port = app_.port(), .unix_path = {}};
  start(AppProbe{.checks = checks("/"),
                 .timeout = 20ms,
                 .requests = app,
                 .protocol = config::AppProtocol::kAuto});
  std::string seen;
  const bool is_ready = until([&] {
    if (TestPeer peer = app_.accept(); peer.is_open()) peers_.push_back(std::move(peer));
    for (TestPeer& peer : peers_) {
      peer.listen();
      const std::string said = peer.take_received();
      seen += said;
      if (!said.empty()) peer.say(kNoContent);
    }
    return readiness().is_ready();
  });
  ASSERT_TRUE(is_ready);
  EXPECT_EQ(prober_->app_version(), proxy::UpstreamVersion::kHttp1);
  EXPECT_TRUE(seen.starts_with("GET / HTTP/1.1\r\n")) << seen;
  EXPECT_EQ(seen.find("PRI "), std::string::npos) << seen;
}

/// The port of the probe says nothing about the port for requests.
TEST_F(ProberTest, AnAppThatIsProbedAtAnotherPortIsAskedWhatItSpeaks) {
  test::TestListener requests;
  start(
      AppProbe{.checks = checks("/"),
               .timeout = 20ms,
               .requests = Endpoint{.host = "127.0.0.1", .port = requests.port(), .unix_path = {}},
               .protocol = config::AppProtocol::kAuto});
  const bool is_ready = answers_until(kNoContent, [&] {
    if (TestPeer peer = requests.accept(); peer.is_open()) peers_.push_back(std::move(peer));
    for (TestPeer& peer : peers_) {
      peer.listen();
      if (!peer.received().starts_with("PRI ")) continue;
      peer.take_received();
      peer.say(std::string("\0\0\0\x04\0\0\0\0\0", 9));  // SETTINGS
    }
    return readiness().is_ready();
  });
  ASSERT_TRUE(is_ready);
  EXPECT_EQ(prober_->app_version(), proxy::UpstreamVersion::kHttp2);
}

TEST_F(ProberTest, AProbeThatIsUnderWayAtARestartSaysNothingAboutTheNewProcess) {
  const Endpoint app{.host = "127.0.0.1", .port = app_.port(), .unix_path = {}};
  start(AppProbe{.checks = checks(""),
                 .timeout = 20ms,
                 .requests = app,
                 .protocol = config::AppProtocol::kAuto});
  std::vector<TestPeer*> asked;  // what it speaks
  const auto look = [&] {
    if (TestPeer peer = app_.accept(); peer.is_open()) {
      kept_.push_back(std::make_unique<TestPeer>(std::move(peer)));
    }
    for (const auto& peer : kept_) {
      peer->listen();
      if (peer->take_received().starts_with("PRI ")) asked.push_back(peer.get());
    }
  };
  ASSERT_TRUE(until([&] {
    look();
    return asked.size() == 1;
  }));
  prober_->app_restarted();
  asked[0]->say(std::string("\0\0\0\x04\0\0\0\0\0", 9));  // SETTINGS, of the process before
  ASSERT_TRUE(until([&] {
    look();
    return asked.size() == 2 || readiness().is_ready();
  }));
  EXPECT_FALSE(readiness().is_ready());
}

TEST_F(ProberTest, ADrainingReplicaStopsProbing) {
  start("");
  ASSERT_TRUE(until([&] { return readiness().is_ready(); }));
  prober_->start_draining();
  while (app_.accept().is_open()) {
  }
  for (int turn = 0; turn < 5; ++turn) io_.run_one_for(2ms);
  EXPECT_FALSE(app_.accept().is_open());
}

}  // namespace
}  // namespace bellows::queue_proxy
