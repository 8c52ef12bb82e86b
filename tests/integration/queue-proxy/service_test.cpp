// A whole queue-proxy in this process, with its app and its callers played by the test.
#include "queue-proxy/service/service.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/manual_clock.hpp"
#include "tests/support/test_peer.hpp"

namespace bellows::queue_proxy {
namespace {

using std::chrono::seconds;
using test::TestPeer;

const std::string kGet = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

class ServiceTest : public testing::Test {
 protected:
  ServiceTest() {
    EXPECT_EQ(::pipe2(told_.data(), O_CLOEXEC | O_NONBLOCK), 0);
    config::QueueProxySettings settings;
    settings.revision = RevisionId("web");
    settings.pod = PodName("web-1");
    settings.listen_host = "127.0.0.1";
    settings.serving_port = 0;
    settings.admin_port = 0;
    settings.user_port = app_.port();
    settings.notify_fd = told_[1];
    service_ = std::make_unique<Service>(io_, clock_, random_, settings);
    EXPECT_TRUE(service_->start().has_value());
    const std::string listening = told_line();
    const std::string before_port = R"("serving":"127.0.0.1:)";
    port_ = static_cast<std::uint16_t>(
        std::stoi(listening.substr(listening.find(before_port) + before_port.size())));
  }
  ~ServiceTest() override { ::close(told_[0]); }

  /// What the parent process is told.
  std::string told_line() {
    std::string line;
    for (char next = 0; ::read(told_[0], &next, 1) == 1 && next != '\n';) line += next;
    return line;
  }

  /// Lets the queue-proxy work until `condition` holds; false after a minute of real time.
  bool until(const std::function<bool()>& condition) {
    const TimePoint give_up = sys::system_clock().now() + std::chrono::minutes(1);
    while (!condition()) {
      if (sys::system_clock().now() > give_up) return false;
      if (io_.poll() == 0) io_.run_one_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  bool hears(TestPeer& peer, std::string_view text) {
    return until([&] {
      peer.listen();
      return peer.heard().ends_with(text);
    });
  }

  /// The app answers the next request, whichever connection it comes over. Probes only connect.
  bool app_answers() {
    return until([&] {
      if (TestPeer peer = app_.accept(); peer.is_open()) app_peers_.push_back(std::move(peer));
      for (TestPeer& peer : app_peers_) {
        peer.listen();
        if (!peer.take_heard().empty()) return peer.say(kOk);
      }
      return false;
    });
  }

  /// Whose connection is open and has been served.
  TestPeer known_caller() {
    TestPeer caller = TestPeer::connect_to(port_);
    EXPECT_TRUE(caller.say(kGet));
    EXPECT_TRUE(app_answers());
    EXPECT_TRUE(hears(caller, "ok"));
    caller.take_heard();
    return caller;
  }

  void drain() {
    http::net::co_spawn(io_, service_->drain_and_stop(),
                        [this](const std::exception_ptr&) { is_done_ = true; });
  }

  http::net::io_context io_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  test::ManualClock clock_;
  SeededRandom random_{1};
  test::TestListener app_;
  std::vector<TestPeer> app_peers_;
  std::array<int, 2> told_{};
  std::unique_ptr<Service> service_;
  std::uint16_t port_ = 0;
  bool is_done_ = false;
};

TEST_F(ServiceTest, ARequestThatIsReadInTheTurnInWhichItIsToldToEndHasTheWholeDrainTime) {
  TestPeer caller = known_caller();
  TestPeer other = known_caller();
  ASSERT_TRUE(other.say("GET /half"));
  // Nothing is in flight when it is told to end; this is found by its last look at the connections.
  ASSERT_TRUE(caller.say(kGet));
  drain();
  std::size_t held = 0;
  ASSERT_TRUE(until([&] {
    for (TestPeer& peer : app_peers_) {
      peer.listen();
      if (!peer.heard().empty()) ++held;
    }
    return held == 1;
  }));
  clock_.advance(seconds(20));
  other.close();  // it looks whether all are gone
  io_.poll();
  caller.listen();
  ASSERT_FALSE(caller.has_ended());
  ASSERT_TRUE(app_answers());
  EXPECT_TRUE(hears(caller, "ok"));
  EXPECT_TRUE(until([&] { return is_done_; }));
}

}  // namespace
}  // namespace bellows::queue_proxy
