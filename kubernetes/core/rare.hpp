// A part of an object that most objects do not have.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace bellows::kubernetes {

/// Acts as std::optional<T>, but takes only a pointer while it is empty: a healthy pod has no
/// waiting reasons and no terminations. Copies are deep.
template <class T>
class Rare {
 public:
  Rare() = default;
  Rare(std::nullopt_t) {}                                           // NOLINT: as std::optional
  Rare(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT: as std::optional
  Rare(std::optional<T> value) : Rare() {                           // NOLINT: as std::optional
    if (value) value_ = std::make_unique<T>(*std::move(value));
  }
  Rare(const Rare& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Rare(Rare&&) noexcept = default;
  Rare& operator=(Rare other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Rare() = default;

  explicit operator bool() const { return value_ != nullptr; }
  bool has_value() const { return value_ != nullptr; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  bool operator==(const Rare& other) const {
    return has_value() == other.has_value() && (!has_value() || **this == *other);
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace bellows::kubernetes
