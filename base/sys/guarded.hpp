// A mutex and what it protects in one object: no lock, no access (after userver's
// concurrent::Variable).
#pragma once

#include <mutex>
#include <utility>

namespace bellows::sys {

/// `guarded.with([](Table& table) { table.add(x); });` Never wait, call back or do I/O inside.
template <class T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  template <class F>
  auto with(F&& use) {
    const std::lock_guard lock(mutex_);
    return std::forward<F>(use)(value_);
  }

  template <class F>
  auto with(F&& use) const {
    const std::lock_guard lock(mutex_);
    return std::forward<F>(use)(value_);
  }

 private:
  mutable std::mutex mutex_;
  T value_;
};

}  // namespace bellows::sys
