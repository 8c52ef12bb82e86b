#include "base/sys/non_blocking_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <string>

namespace bellows::sys {
namespace {

bool has_room(int fd, Duration timeout) {
  const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(timeout);
  pollfd polled{.fd = fd, .events = POLLOUT, .revents = 0};
  return ::poll(&polled, 1, static_cast<int>(wait.count())) > 0;
}

}  // namespace

bool is_permanent(int error) {
  return error == EPIPE || error == ECONNRESET || error == EBADF;
}

NonBlockingOutput::NonBlockingOutput(int fd) : fd_(fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || S_ISREG(status.st_mode)) return;
  if (S_ISSOCK(status.st_mode)) {
    kind_ = Kind::kSocket;
    return;
  }
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  own_ = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  kind_ = own_ >= 0 ? Kind::kReopened : Kind::kPolled;
}

NonBlockingOutput::~NonBlockingOutput() {
  if (own_ >= 0) ::close(own_);
}

void NonBlockingOutput::wait_for_room(Duration timeout) const {
  has_room(own_ >= 0 ? own_ : fd_, timeout);
}

Written NonBlockingOutput::write(std::string_view bytes) {
  Written written;
  while (written.bytes < bytes.size()) {
    const std::int64_t once = write_once(bytes.substr(written.bytes));
    if (once > 0) {
      written.bytes += static_cast<std::size_t>(once);
    } else if (once == 0 || errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno != EINTR) {
      written.error = errno;
      break;
    }
  }
  return written;
}

std::size_t NonBlockingOutput::try_write(std::string_view bytes) {
  const Written written = write(bytes);
  return written.error == 0 ? written.bytes : bytes.size();
}

std::int64_t NonBlockingOutput::write_once(std::string_view bytes) const {
  switch (kind_) {
    case Kind::kFile:
      return ::write(fd_, bytes.data(), bytes.size());
    case Kind::kReopened:
      return ::write(own_, bytes.data(), bytes.size());
    case Kind::kSocket:
      return ::send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    case Kind::kPolled:
      // A pipe that is ready takes PIPE_BUF bytes without blocking (pipe(7)).
      bytes = bytes.substr(0, PIPE_BUF);
      return has_room(fd_, Duration::zero()) ? ::write(fd_, bytes.data(), bytes.size()) : 0;
  }
  return 0;
}

}  // namespace bellows::sys
