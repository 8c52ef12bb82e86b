// Callbacks that may come after the object they are for has been destroyed. Pure.
#pragma once

#include <memory>
#include <utility>

namespace bellows {

/// A member of an object whose callbacks can outlive it: the pending wait of a timer, a posted
/// function. It tells them whether the object still exists. Declare it last, so that it is
/// destroyed first. The object is destroyed on the thread that runs the callbacks. Neither copied
/// nor moved. The one idiom for this; a shared_ptr is for what has to outlive its owner on purpose,
/// such as the reaping of a process.
class Lifetime {
 public:
  Lifetime() = default;
  Lifetime(const Lifetime&) = delete;
  Lifetime& operator=(const Lifetime&) = delete;

  /// True as long as the object exists. May outlive it.
  class Observer {
   public:
    explicit operator bool() const { return !alive_.expired(); }

   private:
    friend class Lifetime;
    explicit Observer(std::weak_ptr<const char> alive) : alive_(std::move(alive)) {}
    std::weak_ptr<const char> alive_;
  };
  Observer observe() const { return Observer(alive_); }

  /// `callback`, which does nothing once the object is gone. For callbacks without a result:
  /// `timer.async_wait(lifetime_.bind([this](auto error) { ... }))`.
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
