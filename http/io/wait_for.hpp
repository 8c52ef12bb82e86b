// The bridge between the two kinds of coroutine: a Task (data path) that needs the value of an
// Awaitable (Asio): a probe, a name looked up, a handler of the service side.
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

/// Where an Awaitable leaves its value for the Task that waits. Destroyed with that Task; a value
/// that comes later is dropped.
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
/// Awaitable runs on by itself, so it must be bounded and own what it uses.
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

/// The same for what a group owns: `make` runs as its task `name`, stop() cancels it, and then no
/// value comes. `make` owns what it uses.
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
