// Binds sockets and listens on them; no other code does.
#pragma once

#include <sys/types.h>

#include <string_view>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "base/sys/descriptor.hpp"
#include "http/io/socket_file.hpp"

namespace bellows::http {

/// A non-blocking listening socket that no child inherits. Owner: the object that accepts from it.
struct BoundSocket {
  sys::Descriptor socket;
  Endpoint endpoint;  ///< with the port that the system chose
  SocketFile file;    ///< file of a Unix socket; removed with this object
  /// Other processes share the socket and accept from it after this one has ended, including the
  /// connections in its backlog.
  bool is_shared = false;
};

/// Binds (SO_REUSEADDR, backlog 4096) and listens. Port 0 lets the system choose; a host name is
/// bound at its first address. A Unix socket file has `unix_mode` before any client can connect; a
/// stale file is replaced. The error names the address: "127.0.0.1:8080: bind: Address already in
/// use (EADDRINUSE)". kConflict: another process listens at that path, or it is another kind of
/// file. kNotFound, kInvalidSetting: as listening_address().
Result<BoundSocket> bind_and_listen(const Endpoint& endpoint, mode_t unix_mode);

/// Takes a shared socket that another process has bound and made listen. A socket that does not
/// listen is kInvalidSetting. `culprit` names the socket in errors.
Result<BoundSocket> take_over(sys::Descriptor socket, std::string_view culprit);

}  // namespace bellows::http
