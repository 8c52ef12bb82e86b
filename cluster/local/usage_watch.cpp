#include "cluster/local/usage_watch.hpp"

#include <boost/asio/post.hpp>
#include <utility>

namespace bellows::cluster {

UsageWatch::UsageWatch(http::net::io_context& io, Duration period, Callbacks callbacks)
    : io_(io), period_(period), callbacks_(std::move(callbacks)), timer_(io) {}

void UsageWatch::start() {
  if (is_watching_ || callbacks_.list().empty()) return;
  is_watching_ = true;
  timer_.expires_after(period_);
  timer_.async_wait(lifetime_.bind([this](boost::system::error_code error) {
    if (!error) measure_next(callbacks_.list());
  }));
}

void UsageWatch::measure_next(std::vector<ReplicaKey> left) {
  if (left.empty()) {
    callbacks_.round_done();
    is_watching_ = false;
    return start();
  }
  const ReplicaKey next = std::move(left.back());
  left.pop_back();
  callbacks_.measure(next);
  http::net::post(io_, lifetime_.bind([this, left = std::move(left)]() mutable {
    measure_next(std::move(left));
  }));
}

}  // namespace bellows::cluster
