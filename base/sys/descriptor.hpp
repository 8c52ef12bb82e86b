// A file descriptor with one owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace bellows::sys {

/// Owns an open file descriptor and closes it when destroyed. Empty if there is none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = other.release();
    }
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// Releases ownership of the number; the caller closes it.
  int release() { return std::exchange(number_, -1); }
  void close() {
    if (is_open()) ::close(release());
  }

 private:
  int number_ = -1;
};

}  // namespace bellows::sys
