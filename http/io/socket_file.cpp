#include "http/io/socket_file.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace bellows::http {

namespace {

/// Returns true if a process accepts connections there.
bool is_live(const std::string& path) {
  sockaddr_un address{};
  if (path.size() >= sizeof address.sun_path) return true;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (probe < 0) return true;
  const auto* const generic =
      reinterpret_cast<const sockaddr*>(&address);  // NOLINT: as connect wants it
  const bool is_refused = ::connect(probe, generic, sizeof address) != 0 && errno == ECONNREFUSED;
  ::close(probe);
  return !is_refused;
}

}  // namespace

Result<void> remove_stale_socket(const Endpoint& endpoint) {
  struct stat file {};
  if (::lstat(endpoint.unix_path.c_str(), &file) != 0) return {};
  if (!S_ISSOCK(file.st_mode)) {
    return fail(ErrorKind::kConflict, to_string(endpoint),
                "a file that is not a socket is in the way; remove it or choose another path");
  }
  if (is_live(endpoint.unix_path)) {
    return fail(ErrorKind::kConflict, to_string(endpoint),
                "another process listens there; stop it or choose another path");
  }
  if (::unlink(endpoint.unix_path.c_str()) != 0 && errno != ENOENT)
    return fail(system_error(to_string(endpoint), "remove the stale socket", errno));
  return {};
}

Result<SocketFile> SocketFile::take(const Endpoint& endpoint, mode_t mode) {
  struct stat status {};
  if (::lstat(endpoint.unix_path.c_str(), &status) != 0) {
    return fail(system_error(to_string(endpoint), "listen", errno));
  }
  SocketFile file;
  file.path_ = endpoint.unix_path;
  file.device_ = status.st_dev;
  file.inode_ = status.st_ino;
  if (::chmod(endpoint.unix_path.c_str(), mode) != 0) {
    return fail(system_error(to_string(endpoint), "set the mode", errno));
  }
  return file;
}

SocketFile::SocketFile(SocketFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), device_(other.device_), inode_(other.inode_) {}

SocketFile& SocketFile::operator=(SocketFile&& other) noexcept {
  if (this == &other) return *this;
  remove();
  path_ = std::exchange(other.path_, {});
  device_ = other.device_;
  inode_ = other.inode_;
  return *this;
}

void SocketFile::remove() {
  const std::string path = std::exchange(path_, {});
  struct stat status {};
  if (path.empty() || ::lstat(path.c_str(), &status) != 0) return;
  if (status.st_dev == device_ && status.st_ino == inode_) ::unlink(path.c_str());
}

}  // namespace bellows::http
