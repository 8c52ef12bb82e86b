#include "cluster/local/start_queue.hpp"

#include <boost/asio/post.hpp>
#include <utility>

namespace bellows::cluster {

StartQueue::StartQueue(http::net::io_context& io, std::function<void(const ReplicaKey&)> start)
    : io_(io), start_(std::move(start)) {}

void StartQueue::add(ReplicaKey replica) {
  waiting_.push_back(std::move(replica));
  if (waiting_.size() == 1) start_next_soon();
}

void StartQueue::start_next_soon() {
  http::net::post(io_, lifetime_.bind([this] { start_next(); }));
}

void StartQueue::start_next() {
  start_(waiting_.front());
  waiting_.pop_front();
  if (!waiting_.empty()) start_next_soon();
}

}  // namespace bellows::cluster
