// Callbacks that may run after the destruction of the object they use. Pure.
#pragma once

#include <memory>
#include <utility>

namespace bellows {

/// A member of an object whose callbacks can outlive it: the pending wait of a timer, a posted
/// function. It tells them whether the object still exists. Declare it last, so that it is
/// destroyed first. The object is destroyed on the thread that runs the callbacks. It is neither
/// copied nor moved. Use it for every such callback; a shared_ptr is for what has to outlive its
/// owner on purpose, such as the reaping of a process.
class Lifetime {
 public:
  Lifetime() = default;
  Lifetime(const Lifetime&) = delete;
  Lifetime& operator=(const Lifetime&) = delete;

  /// Reports whether the object still exists. It may outlive the object.
  class Observer {
   public:
    explicit operator bool() const { return !alive_.expired(); }

   private:
    friend class Lifetime;
    explicit Observer(std::weak_ptr<const char> alive) : alive_(std::move(alive)) {}
    std::weak_ptr<const char> alive_;
  };
  Observer observe() const { return Observer(alive_); }

  /// Wraps `callback` so that it does nothing after the object's destruction. It is meant for
  /// callbacks without a result: `timer.async_wait(lifetime_.bind([this](auto error) { ... }))`.
  template <class F>
  auto bind(F callback) const {
    return [callback = std::move(callback), alive = observe()](auto&&... arguments) mutable {
      if (alive) callback(std::forward<decltype(arguments)>(arguments)...);
    };
  }

 private:
  std::shared_ptr<const char> alive_ = std::make_shared<const char>('\0');  // sole owner: this
};

}  // namespace bellows
