// The file of a listening Unix socket.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/endpoint.hpp"
#include "base/result.hpp"

namespace bellows::http {

/// Removes the file that a killed process left at `endpoint`. Call it before bind(). Returns
/// kConflict if a process listens there or it is another kind of file.
Result<void> remove_stale_socket(const Endpoint& endpoint);

/// Removes the file when destroyed, unless another file has replaced it. Owner: the socket's owner.
class SocketFile {
 public:
  SocketFile() = default;  ///< owns no file
  /// Sets `mode` between bind() and listen(): before listen() every connect is refused, so no
  /// client connects while the umask's mode applies. The error names the endpoint.
  static Result<SocketFile> take(const Endpoint& endpoint, mode_t mode);
  SocketFile(SocketFile&& other) noexcept;
  SocketFile& operator=(SocketFile&& other) noexcept;
  ~SocketFile() { remove(); }

  void remove();

 private:
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace bellows::http
