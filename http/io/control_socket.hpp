// The Unix socket by which a program on one machine takes changes: its file mode says who may.
#pragma once

#include <functional>
#include <string>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "http/io/service_server.hpp"

namespace bellows::http {

/// Where `GET /v1/control` of a program's port leads: {"version":1,"socket":"/run/..."}, or
/// {"version":1,"trouble":"..."} if there is no socket. Clients ask it, so that the path need not
/// be agreed on. Owner: the program; it outlives the server. Thread: the io thread.
class ControlSocket {
 public:
  ControlSocket() = default;
  ~ControlSocket();
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;

  struct Options {
    std::string path;            ///< as configured; empty: chosen
    std::string runtime_folder;  ///< of the user (XDG_RUNTIME_DIR); empty: /run for root
  };

  /// Before server.listen().
  void add_route(ServiceServer& server);

  /// `port` is where the server listens by TCP; if that is a Unix socket, it takes changes itself.
  /// Opens `options.path`; an error names it. Chooses bellows-PORT.sock in the runtime folder, else
  /// in a new folder below /tmp that only this user may enter; if neither can be opened, the
  /// server goes on without, and says why.
  Result<void> listen(ServiceServer& server, const Endpoint& port, const Options& options);

  /// Empty: there is none.
  const std::string& path() const { return path_; }

 private:
  Result<std::string> try_paths(ServiceServer& server, const Endpoint& port,
                                const Options& options);

  std::string path_;
  std::string trouble_ = "the program is starting";
  std::string own_folder_;  // made here
};

}  // namespace bellows::http
