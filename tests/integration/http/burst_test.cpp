// Many callers that connect, shake hands or are thrown out at once, beside one whose connection is
// open: what he waits for.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <list>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "http/io/listener.hpp"
#include "http/io/tls_connection.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_peer.hpp"

namespace bellows::http {
namespace {

using std::chrono::microseconds;

constexpr Duration kHandshakeTime = std::chrono::milliseconds(1);
constexpr Duration kShortTime = microseconds(40);  // for an accept, or an end
constexpr int kCallers = 100;

/// Its handshake ends with the first byte, and has taken time then.
class SlowSession final : public TlsSession {
 public:
  explicit SlowSession(std::function<void()> on_handshake)
      : on_handshake_(std::move(on_handshake)) {}

  void use(SocketApi& /*sockets*/) override {}
  TlsIo try_handshake(int fd) override {
    char byte = 0;
    const ssize_t got = ::recv(fd, &byte, 1, MSG_DONTWAIT);
    if (got == 0) return {.kind = TlsIo::Kind::kEnd};
    if (got < 0) return {.kind = TlsIo::Kind::kWantRead};
    on_handshake_();
    return {.kind = TlsIo::Kind::kDone};
  }
  TlsIo try_read(int fd, char* data, std::size_t size) override {
    const ssize_t got = ::recv(fd, data, size, MSG_DONTWAIT);
    if (got == 0) return {.kind = TlsIo::Kind::kEnd};
    if (got < 0) return {.kind = TlsIo::Kind::kWantRead};
    return {.kind = TlsIo::Kind::kDone, .bytes = static_cast<std::size_t>(got)};
  }
  TlsIo try_write(int fd, std::string_view bytes) override {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) return {.kind = TlsIo::Kind::kWantWrite};
    return {.kind = TlsIo::Kind::kDone, .bytes = static_cast<std::size_t>(sent)};
  }
  bool is_idle(int /*fd*/) override { return true; }
  void send_end(int /*fd*/) override {}
  TlsPeer peer() const override { return {}; }
  Error handshake_error(const std::string& peer,
                        const boost::system::error_code& /*error*/) const override {
    return Error(ErrorKind::kMalformed, peer, "no TLS");
  }

 private:
  std::function<void()> on_handshake_;
};

/// A port whose connections answer each byte. One caller's connection is open. Whenever the others
/// make the port work, he asks at that moment, if he has no question open.
class BurstTest : public testing::Test {
 protected:
  struct Served {
    explicit Served(Reactor& reactor) : waiter(reactor) {}
    Waiter waiter;
    std::unique_ptr<TlsConnection> connection;
    Task<void> task;
  };

  void SetUp() override {
    ASSERT_TRUE(open_.say("h"));
    ASSERT_TRUE(until([&] { return handshakes_ == 1; }));
    is_open_ = true;
  }
  /// Something takes time for the others.
  void work(Duration duration) {
    if (is_open_ && !is_asking_) ask();
    clock_.advance(duration);
  }
  void ask() {
    is_asking_ = open_.say("?");
    asked_ = clock_.now();
  }
  void accept(sys::Descriptor socket) {
    ++accepted_;
    Served& made = served_.emplace_back(reactor_);
    auto session = std::make_unique<SlowSession>([this] {
      ++handshakes_;
      work(kHandshakeTime);
    });
    made.connection =
        std::make_unique<TlsConnection>(reactor_, std::move(socket), std::move(session));
    made.connection->set_waiter(&made.waiter);
    made.task = answer(made);
    made.task.start();
    work(kShortTime);
  }
  Task<void> answer(Served& caller) {
    for (;;) {
      char byte = 0;
      const IoResult got = caller.connection->try_read(&byte, 1);
      if (got.kind == IoResult::Kind::kBytes) {
        longest_wait_ = std::max(longest_wait_, clock_.now() - asked_);
        ++answers_;
        is_asking_ = false;
        continue;
      }
      if (got.kind != IoResult::Kind::kWouldBlock) break;
      co_await caller.waiter.wait();
    }
    ++ended_;
    work(kShortTime);
  }
  /// So many others connect, and say this.
  void others_connect(std::string_view bytes) {
    for (int i = 0; i < kCallers; ++i) {
      others_.push_back(test::TestPeer::connect_to(endpoint_.unix_path));
      ASSERT_TRUE(others_.back().say(bytes));
    }
  }
  /// The others have connected and say nothing.
  void others_are_accepted() {
    others_connect("");
    ASSERT_TRUE(until([&] { return accepted_ == 1 + kCallers && !is_asking_; }));
    answers_ = 0;
  }
  void expect_brief_waits() const {
    EXPECT_GE(answers_, kCallers / 4);
    EXPECT_LE(longest_wait_, 3 * kShortTime);
  }
  bool until(const std::function<bool()>& condition) {
    const TimePoint give_up = sys::system_clock().now() + std::chrono::minutes(1);
    while (!condition()) {
      if (sys::system_clock().now() > give_up) return false;
      io_.restart();
      io_.poll();
    }
    return true;
  }

  test::TemporaryFolder folder_;
  net::io_context io_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO};
  test::ManualClock clock_;
  Reactor reactor_{io_, clock_};
  std::list<Served> served_;
  // A Unix socket has what was sent at once.
  const Endpoint endpoint_{.host = {}, .port = 0, .unix_path = folder_.path("calls.sock")};
  std::unique_ptr<Listener> listener_ =
      Listener::listen(reactor_, endpoint_,
                       [this](sys::Descriptor socket, const SocketAddress& /*peer*/) {
                         accept(std::move(socket));
                       })
          .value();
  test::TestPeer open_ = test::TestPeer::connect_to(endpoint_.unix_path);
  std::vector<test::TestPeer> others_;
  int accepted_ = 0;
  int handshakes_ = 0;
  int ended_ = 0;
  int answers_ = 0;
  bool is_open_ = false;
  bool is_asking_ = false;
  TimePoint asked_{};
  Duration longest_wait_{};
};

TEST_F(BurstTest, AnOpenConnectionWaitsForOneHandshakeAndNotForAll) {
  others_connect("h");
  ASSERT_TRUE(until([&] { return handshakes_ == 1 + kCallers; }));
  EXPECT_EQ(accepted_, 1 + kCallers);
  EXPECT_GE(answers_, kCallers - 1) << "he is served in between";
  EXPECT_LE(longest_wait_, kHandshakeTime + 3 * kShortTime);
}

TEST_F(BurstTest, AnOpenConnectionWaitsForFewAccepts) {
  others_connect("");
  ASSERT_TRUE(until([&] { return accepted_ == 1 + kCallers; }));
  expect_brief_waits();
}

TEST_F(BurstTest, AnOpenConnectionWaitsForFewOfThoseWhoseTimeIsUpTogether) {
  others_are_accepted();
  clock_.advance(std::chrono::seconds(11));  // a handshake may take 10
  reactor_.tick();
  ASSERT_TRUE(until([&] { return ended_ == kCallers; }));
  expect_brief_waits();
}

TEST_F(BurstTest, AnOpenConnectionWaitsForFewOfThoseWhoLeaveTogether) {
  others_are_accepted();
  others_.clear();
  ASSERT_TRUE(until([&] { return ended_ == kCallers; }));
  expect_brief_waits();
}

}  // namespace
}  // namespace bellows::http
