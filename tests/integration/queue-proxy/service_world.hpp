// A whole queue-proxy in this process; the test plays its app, its callers and its parent.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "queue-proxy/service/service.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/test_peer.hpp"

namespace bellows::queue_proxy {

using test::TestPeer;

inline const std::string kGet = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
inline const std::string kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// The test decides when the app responds. It moves the clock of time limits and drains by hand;
/// how long a probe waits follows the system's clock.
class ServiceWorld {
 public:
  using Change = std::function<void(config::QueueProxySettings&)>;

  /// `its_clock`: instead of the one that is moved by hand, for stats that are sent each second.
  explicit ServiceWorld(
      const Change& change = [](config::QueueProxySettings&) {},
      const sys::Clock* its_clock = nullptr) {
    EXPECT_EQ(::pipe2(told_.data(), O_CLOEXEC | O_NONBLOCK), 0);
    config::QueueProxySettings settings;
    settings.revision = RevisionId("web");
    settings.pod = PodName("web-1");
    settings.listen_host = "127.0.0.1";
    settings.serving_port = 0;
    settings.admin_port = 0;
    settings.user_port = app.port();
    settings.notify_fd = told_[1];
    settings.error_detail = config::ErrorDetail::kFull;
    settings.app_protocol = config::AppProtocol::kHttp1;  // the tests are the app, byte by byte
    change(settings);
    service_ = std::make_unique<Service>(io_, its_clock != nullptr ? *its_clock : clock, random_,
                                         settings);
    EXPECT_TRUE(service_->start().has_value());
    const std::string listening = told_line();
    port_ = port_behind(R"("serving":"127.0.0.1:)", listening);
    admin_port_ = port_behind(R"("admin":"127.0.0.1:)", listening);
    activator_port_ = port_behind(R"("activator":"127.0.0.1:)", listening);
    drain_port_ = port_behind(R"("drain":"127.0.0.1:)", listening);
  }
  ~ServiceWorld() {
    if (!is_draining_) drain();
    // A drain begins when the queue-proxy works next, and takes its times from then on.
    EXPECT_TRUE(until([&] {
      clock.advance(std::chrono::hours(1));
      return is_done;
    }));
    ::close(told_[0]);
  }
  ServiceWorld(const ServiceWorld&) = delete;
  ServiceWorld& operator=(const ServiceWorld&) = delete;

  /// The next line that the parent process receives; empty: none yet.
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

  bool is_told(const std::string& line) {
    return until([&] { return told_line() == line; });
  }

  bool hears(TestPeer& peer, std::string_view text) {
    return until([&] {
      peer.listen();
      return peer.received().ends_with(text);
    });
  }

  /// A caller that has sent this request.
  TestPeer caller(const std::string& request = kGet) const {
    TestPeer peer = TestPeer::connect_to(port_);
    EXPECT_TRUE(peer.say(request));
    return peer;
  }

  /// An activator that has sent this request to the port for activators.
  TestPeer activator(const std::string& request = kGet) const {
    TestPeer peer = TestPeer::connect_to(activator_port_);
    EXPECT_TRUE(peer.say(request));
    return peer;
  }

  /// A hook of the kubelet that waits for its response.
  TestPeer hook(const std::string& path) const {
    TestPeer peer = TestPeer::connect_to(drain_port_);
    EXPECT_TRUE(peer.say("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
    return peer;
  }

  /// A caller that has connected and sent nothing.
  TestPeer silent_caller() const { return TestPeer::connect_to(port_); }

  /// A caller whose connection is open and has been served.
  TestPeer known_caller() {
    TestPeer peer = caller();
    EXPECT_TRUE(app_answers());
    EXPECT_TRUE(hears(peer, "ok"));
    peer.take_received();
    return peer;
  }

  /// Reads what arrived at the app. Returns how many of its connections have a request without a
  /// response.
  std::size_t held_by_app() {
    if (TestPeer peer = app.accept(); peer.is_open()) app_peers.push_back(std::move(peer));
    std::size_t held = 0;
    for (TestPeer& peer : app_peers) {
      peer.listen();
      if (!peer.received().empty()) ++held;
    }
    return held;
  }

  bool app_holds(std::size_t requests) {
    return until([&] { return held_by_app() == requests; });
  }

  /// The app responds to the first request that it has or receives. Probes by TCP only connect.
  bool app_answers(const std::string& answer = kOk) {
    return until([&] {
      held_by_app();
      for (TestPeer& peer : app_peers) {
        if (!peer.take_received().empty()) return peer.say(answer);
      }
      return false;
    });
  }

  /// The response of the admin port.
  std::string asked(const std::string& path) { return response_to("GET", path, ""); }

  /// The same to a POST, as an app sends it.
  std::string told(const std::string& path, const std::string& headers = "") {
    return response_to("POST", path, "Content-Length: 0\r\n" + headers);
  }

  std::string response_to(const std::string& method, const std::string& path,
                          const std::string& headers) {
    TestPeer peer = TestPeer::connect_to(admin_port_);
    EXPECT_TRUE(peer.say(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers +
                         "Connection: close\r\n\r\n"));
    EXPECT_TRUE(until([&] {
      peer.listen();
      return peer.has_ended();
    }));
    return peer.take_received();
  }

  bool is_ready() { return asked("/readyz").starts_with("HTTP/1.1 200 "); }

  void restart_app() { service_->app_restarted(); }
  std::optional<metrics::SettingsTaken> order(const metrics::SettingsOrder& order) {
    return service_->take(order);
  }

  void drain() {
    is_draining_ = true;
    http::net::co_spawn(io_, service_->drain_and_stop(),
                        [this](const std::exception_ptr&) { is_done = true; });
  }

  /// Without waiting.
  void work() { io_.poll(); }

  test::ManualClock clock;
  test::TestListener app;
  std::vector<TestPeer> app_peers;
  bool is_done = false;  ///< it has drained

 private:
  static std::uint16_t port_behind(const std::string& mark, const std::string& line) {
    const std::size_t found = line.find(mark);
    if (found == std::string::npos) return 0;  // it has no such port
    return static_cast<std::uint16_t>(std::stoi(line.substr(found + mark.size())));
  }

  http::net::io_context io_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  SeededRandom random_{1};
  std::array<int, 2> told_{};
  std::unique_ptr<Service> service_;
  std::uint16_t port_ = 0;
  std::uint16_t admin_port_ = 0;
  std::uint16_t activator_port_ = 0;
  std::uint16_t drain_port_ = 0;
  bool is_draining_ = false;
};

}  // namespace bellows::queue_proxy
