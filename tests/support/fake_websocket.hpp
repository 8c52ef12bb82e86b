// A WebSocket without a network: the test prepares what it reads and gets what it writes.
#pragma once

#include <boost/asio/this_coro.hpp>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/io/net.hpp"
#include "http/io/websocket.hpp"

namespace bellows::test {

/// The peer of a FakeWebSocket, for the test. Shared by both.
class FakePeer {
 public:
  explicit FakePeer(http::net::io_context& io)
      : news_(io.get_executor(), http::AsioTimer::time_point::max()) {}

  /// Sends a message to the side under test.
  void send(std::string message) {
    to_read_.push_back(std::move(message));
    news_.cancel();
  }

  /// Reads fail with this after the messages that were sent before.
  void end_with(Error error) {
    end_ = std::move(error);
    news_.cancel();
  }
  void hang_up() { end_with(Error(ErrorKind::kReset, "peer", "closed")); }

  /// The n-th write after this call (1: the next) fails.
  void fail_write(std::size_t n) { fail_at_ = written.size() + n; }

  /// Writes block until they are cancelled.
  void stop_reading() { is_stalled_ = true; }

  std::vector<std::string> written;   ///< whole messages
  std::optional<std::string> closed;  ///< the reason that the side under test gave

 private:
  friend class FakeWebSocket;

  http::AsioTimer news_;
  std::deque<std::string> to_read_;
  std::optional<Error> end_;
  std::optional<std::size_t> fail_at_;
  bool is_stalled_ = false;
};

class FakeWebSocket final : public http::WebSocket {
 public:
  explicit FakeWebSocket(std::shared_ptr<FakePeer> peer) : peer_(std::move(peer)) {}

  http::Awaitable<Result<std::string>> read() override {
    while (peer_->to_read_.empty()) {
      if (peer_->end_) co_return fail(*peer_->end_);
      const bool goes_on = co_await wait();
      if (!goes_on) co_return fail(ErrorKind::kCancelled, "fake", "read cancelled");
    }
    std::string message = std::move(peer_->to_read_.front());
    peer_->to_read_.pop_front();
    co_return message;
  }

  http::Awaitable<Result<void>> write(std::string_view message) override {
    while (peer_->is_stalled_) {
      const bool goes_on = co_await wait();
      if (!goes_on) co_return fail(ErrorKind::kCancelled, "fake", "write cancelled");
    }
    if (peer_->fail_at_ == peer_->written.size() + 1) {
      co_return fail(ErrorKind::kReset, "peer", "write failed");
    }
    peer_->written.emplace_back(message);
    co_return Result<void>();
  }

  http::Awaitable<void> close(std::string_view reason) override {
    peer_->closed = std::string(reason);
    peer_->end_with(Error(ErrorKind::kCancelled, "fake", "closed here"));
    co_return;
  }

  std::string peer() const override { return "fake:1"; }

 private:
  /// Waits for an event; false if cancelled.
  http::Awaitable<bool> wait() {
    boost::system::error_code error;
    co_await peer_->news_.async_wait(http::awaiting(error));
    const auto state = co_await http::net::this_coro::cancellation_state;
    co_return state.cancelled() == http::net::cancellation_type::none;
  }

  std::shared_ptr<FakePeer> peer_;  // shared with the test
};

}  // namespace bellows::test
