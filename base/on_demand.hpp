// A large part that most objects of a type do without. Pure.
#pragma once

#include <memory>
#include <utility>

namespace bellows {

/// Acts as std::optional, but takes only a pointer while empty. A copy of the owner copies the
/// value.
template <class T>
class OnDemand {
 public:
  OnDemand() = default;
  OnDemand(const OnDemand& other)
      : value_(other.value_ ? std::make_unique<T>(*other.value_) : nullptr) {}
  OnDemand(OnDemand&&) noexcept = default;
  OnDemand& operator=(const OnDemand& other) {
    if (this != &other) *this = OnDemand(other);
    return *this;
  }
  OnDemand& operator=(OnDemand&&) noexcept = default;
  ~OnDemand() = default;

  template <class... Arguments>
  T& emplace(Arguments&&... arguments) {
    value_ = std::make_unique<T>(std::forward<Arguments>(arguments)...);
    return *value_;
  }
  void reset() { value_.reset(); }

  explicit operator bool() const { return value_ != nullptr; }
  T& operator*() { return *value_; }
  T* operator->() { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace bellows
