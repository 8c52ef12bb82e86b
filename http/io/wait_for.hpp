// Connects the two kinds of coroutine: a Task (data path) waits for the value of an Awaitable
// (Asio), such as a probe, a look-up or a handler of the service server.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "http/io/reactor.hpp"
#include "http/io/task.hpp"
#include "http/io/task_group.hpp"

namespace bellows::http {

namespace detail {

/// Passes the value of an Awaitable to the Task that waits. It is destroyed with that Task; a later
/// value is dropped.
template <class T>
class Handover {
 public:
  explicit Handover(Waiter& waiter) : shared_(std::make_shared<Shared>()) {
    shared_->waiter = &waiter;
  }
  ~Handover() { shared_->waiter = nullptr; }
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;

  auto receiver() const {
    return [shared = shared_](T value) {
      shared->value.emplace(std::move(value));
      if (shared->waiter != nullptr) shared->waiter->wake();
    };
  }
  std::optional<T>& value() { return shared_->value; }

 private:
  struct Shared {
    std::optional<T> value;
    Waiter* waiter = nullptr;
  };
  std::shared_ptr<Shared> shared_;  // owners: this and the Awaitable's completion
};

}  // namespace detail

/// Runs `awaitable` and waits in `waiter` for its value. If the Task is destroyed meanwhile, the
/// Awaitable continues by itself, so it must be bounded and own what it uses.
template <class T>
Task<T> wait_for(Waiter& waiter, net::io_context& io, Awaitable<T> awaitable) {
  detail::Handover<T> handover(waiter);
  net::co_spawn(io, std::move(awaitable),
                [receive = handover.receiver()](std::exception_ptr failure, T value) {
                  if (failure) std::rethrow_exception(failure);
                  receive(std::move(value));
                });
  while (!handover.value()) co_await waiter.wait();
  co_return std::move(*handover.value());
}

/// Does the same in a group: `make` runs as its task `name`, and stop() cancels it, in which case
/// no value arrives. `make` must own what it uses.
template <class T>
Task<T> wait_for(Waiter& waiter, TaskGroup& group, std::string name,
                 std::function<Awaitable<T>()> make) {
  detail::Handover<T> handover(waiter);
  group.spawn(std::move(name),
              [receive = handover.receiver(), make = std::move(make)]() -> Awaitable<void> {
                T value = co_await make();
                receive(std::move(value));
              });
  while (!handover.value()) co_await waiter.wait();
  co_return std::move(*handover.value());
}

}  // namespace bellows::http
