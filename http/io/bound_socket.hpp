// The one place that binds a socket and listens on it.
#pragma once

#include <sys/types.h>

#include <string_view>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "base/sys/descriptor.hpp"
#include "http/io/socket_file.hpp"

namespace bellows::http {

/// A non-blocking socket that listens; no child inherits it. Owner: the one that accepts from it.
struct BoundSocket {
  sys::Descriptor socket;
  Endpoint endpoint;  ///< with the port that the system picked
  SocketFile file;    ///< of a Unix socket; removed with this
  /// Other processes have it too, and accept from it when this one has ended: its backlog is theirs
  /// then.
  bool is_shared = false;
};

/// Binds (SO_REUSEADDR, backlog 4096) and listens; port 0 picks one; of a host's name the first
/// address. A Unix socket file has `unix_mode` before anybody can connect; a stale one is replaced.
/// The error names the address: "127.0.0.1:8080: bind: Address already in use (EADDRINUSE)";
/// kConflict: another process listens at that path, or it is another kind of file; kNotFound,
/// kInvalidSetting: as listening_address().
Result<BoundSocket> bind_and_listen(const Endpoint& endpoint, mode_t unix_mode);

/// A socket that another process has bound and made listen, and shares. kInvalidSetting: it is
/// none. `culprit` names it in errors.
Result<BoundSocket> take_over(sys::Descriptor socket, std::string_view culprit);

}  // namespace bellows::http
