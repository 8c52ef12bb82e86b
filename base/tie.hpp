// Two objects that refer to each other as long as both exist. Pure.
#pragma once

#include <utility>

namespace bellows {

/// A member of an object of type Self that refers to one object of type Other, whose Tie refers
/// back. When either object is destroyed, the other one's Tie becomes empty, so neither keeps a
/// dangling pointer. Both objects are used on one thread. A Tie is neither copied nor moved.
template <class Self, class Other>
class Tie {
 public:
  explicit Tie(Self& self) : self_(self) {}
  ~Tie() { cut(); }
  Tie(const Tie&) = delete;
  Tie& operator=(const Tie&) = delete;

  /// Connects this Tie with `other`. Both lose their previous references.
  void bind(Tie<Other, Self>& other) {
    cut();
    other.cut();
    other_ = &other;
    other.other_ = this;
  }
  /// Empties both Ties. Returns the object that this one referred to, or nullptr.
  Other* cut() {
    Tie<Other, Self>* const other = std::exchange(other_, nullptr);
    if (other == nullptr) return nullptr;
    other->other_ = nullptr;
    return &other->self_;
  }

  /// Returns nullptr if this Tie is empty.
  Other* get() const { return other_ == nullptr ? nullptr : &other_->self_; }
  explicit operator bool() const { return other_ != nullptr; }
  /// Requires a Tie that is not empty.
  Other* operator->() const { return get(); }

 private:
  friend class Tie<Other, Self>;

  Self& self_;
  Tie<Other, Self>* other_ = nullptr;
};

}  // namespace bellows
