// Two objects that know each other for as long as both exist. Pure.
#pragma once

#include <utility>

namespace bellows {

/// A member of an object of type Self: it leads to one object of type Other, and the member there
/// leads back. Whichever of the two is destroyed first, the other one's end is empty from then on,
/// so neither can hold a pointer to what is gone. Both are used on one thread. Neither copied nor
/// moved.
template <class Self, class Other>
class Tie {
 public:
  explicit Tie(Self& self) : self_(self) {}
  ~Tie() { cut(); }
  Tie(const Tie&) = delete;
  Tie& operator=(const Tie&) = delete;

  /// Both ends lose what they led to before.
  void bind(Tie<Other, Self>& other) {
    cut();
    other.cut();
    other_ = &other;
    other.other_ = this;
  }
  /// Empties both ends. Returns what this one led to; nullptr: nothing.
  Other* cut() {
    Tie<Other, Self>* const other = std::exchange(other_, nullptr);
    if (other == nullptr) return nullptr;
    other->other_ = nullptr;
    return &other->self_;
  }

  /// nullptr: it leads to nothing.
  Other* get() const { return other_ == nullptr ? nullptr : &other_->self_; }
  explicit operator bool() const { return other_ != nullptr; }
  /// Only while it leads to something.
  Other* operator->() const { return get(); }

 private:
  friend class Tie<Other, Self>;

  Self& self_;
  Tie<Other, Self>* other_ = nullptr;
};

}  // namespace bellows
