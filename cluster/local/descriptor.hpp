// A file descriptor with an owner.
#pragma once

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/result.hpp"

namespace bellows::cluster {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  void close() { *this = Descriptor(); }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

/// Children get their pipes under numbers up to this one.
inline constexpr int kLastInherited = 5;

/// A pipe that no child inherits unless it is told to. Its own numbers are above those that a child
/// gets, so that neither end is in the way when these are set up.
inline Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(system_error("pipe", "cannot be made", errno));
  Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
  for (Descriptor* end : {&pipe.read, &pipe.write}) {
    if (end->get() > kLastInherited) continue;
    *end = Descriptor(::fcntl(end->get(), F_DUPFD_CLOEXEC, kLastInherited + 1));
    if (end->get() < 0) return fail(system_error("pipe", "cannot be made", errno));
  }
  return pipe;
}

/// Readable once the process has ended; -1 and errno if there is none. By hand, because glibc 2.36
/// declares pidfd_open for C only.
inline Descriptor open_pidfd(pid_t pid) {
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

}  // namespace bellows::cluster
