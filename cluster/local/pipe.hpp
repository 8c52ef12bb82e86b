// Pipes to child processes.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/result.hpp"
#include "base/sys/descriptor.hpp"

namespace bellows::cluster {

/// Both ends of a pipe; each is closed with its owner.
struct Pipe {
  sys::Descriptor read;
  sys::Descriptor write;
};

/// Children get their pipes under numbers up to this one.
inline constexpr int kLastInherited = 5;

/// Makes a pipe that a child inherits only if it is passed explicitly. Its own numbers are above
/// those that a child gets, so neither end is in the way when these are set up.
inline Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(system_error("pipe", "cannot be made", errno));
  Pipe pipe{sys::Descriptor(ends[0]), sys::Descriptor(ends[1])};
  for (sys::Descriptor* end : {&pipe.read, &pipe.write}) {
    if (end->get() > kLastInherited) continue;
    *end = sys::Descriptor(::fcntl(end->get(), F_DUPFD_CLOEXEC, kLastInherited + 1));
    if (end->get() < 0) return fail(system_error("pipe", "cannot be made", errno));
  }
  return pipe;
}

}  // namespace bellows::cluster
