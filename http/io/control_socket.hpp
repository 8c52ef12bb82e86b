// The Unix socket on which a program on one machine accepts changes: its file mode grants access.
#pragma once

#include <functional>
#include <string>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "http/io/service_server.hpp"

namespace bellows::http {

/// Opens the socket and serves its path at `GET /v1/control` of a program's port:
/// {"version":1,"socket":"/run/..."}, or {"version":1,"trouble":"..."} if there is no socket.
/// Clients query it, so that they need no path of their own. Owner: the program; it outlives the
/// server. Thread: the io thread.
class ControlSocket {
 public:
  ControlSocket() = default;
  ~ControlSocket();
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;

  struct Options {
    std::string path;            ///< as configured; empty: chosen by listen()
    std::string runtime_folder;  ///< XDG_RUNTIME_DIR of the user; empty: /run for root
  };

  /// Adds the route. Call it before server.listen().
  void add_route(ServiceServer& server);

  /// Opens the socket. `port` is where the server listens by TCP; if that is a Unix socket, it
  /// accepts changes itself and no other is opened. A configured `options.path` must open; the
  /// error names it. Otherwise it chooses bellows-PORT.sock in the runtime folder, else in a new
  /// folder below /tmp that only this user may enter. If neither can be opened, the server
  /// continues without a control socket, and logs the reason.
  Result<void> listen(ServiceServer& server, const Endpoint& port, const Options& options);

  /// Returns an empty text if there is no socket.
  const std::string& path() const { return path_; }

 private:
  Result<std::string> try_paths(ServiceServer& server, const Endpoint& port,
                                const Options& options);

  std::string path_;
  std::string trouble_ = "the program is starting";
  std::string own_folder_;  // created by this object
};

}  // namespace bellows::http
