// A file descriptor with one owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace bellows::http {

/// An open file descriptor, closed by its owner's end.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = other.release();
    }
    return *this;
  }
  ~UniqueFd() { close(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void close() {
    if (is_open()) ::close(release());
  }

 private:
  int fd_ = -1;
};

}  // namespace bellows::http
