#include "cluster/subscribers.hpp"

#include <boost/asio/post.hpp>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace bellows::cluster {

struct Subscribers::State {
  std::map<std::uint64_t, Cluster::OnChange> callbacks;  // by number: the oldest first
  PendingChanges pending;
  std::uint64_t next = 0;
  bool is_pending = false;

  /// A callback may subscribe and may end subscriptions, its own included.
  void call_all() {
    is_pending = false;
    const Changes changes = pending.take();
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, callback] : callbacks) numbers.push_back(number);
    for (const std::uint64_t number : numbers) {
      const auto found = callbacks.find(number);
      if (found == callbacks.end()) continue;
      const Cluster::OnChange callback = found->second;
      callback(changes);
    }
  }
};

Subscribers::Subscribers(http::net::io_context& io) : io_(io), state_(std::make_shared<State>()) {}

std::unique_ptr<Subscription> Subscribers::add(Cluster::OnChange on_change) {
  class Entry final : public Subscription {
   public:
    Entry(std::weak_ptr<State> state, std::uint64_t number)
        : state_(std::move(state)), number_(number) {}
    ~Entry() override {
      if (const auto state = state_.lock()) state->callbacks.erase(number_);
    }

   private:
    std::weak_ptr<State> state_;
    std::uint64_t number_;
  };
  const std::uint64_t number = state_->next++;
  state_->callbacks.emplace(number, std::move(on_change));
  return std::make_unique<Entry>(state_, number);
}

PendingChanges& Subscribers::pending() {
  return state_->pending;
}

void Subscribers::notify() {
  if (std::exchange(state_->is_pending, true)) return;
  http::net::post(io_, [weak = std::weak_ptr(state_)] {
    if (const auto state = weak.lock()) state->call_all();
  });
}

}  // namespace bellows::cluster
