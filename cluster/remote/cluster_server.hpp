// Serves a Cluster to other programs over a socket (docs/formats/cluster-socket.md).
#pragma once

#include <memory>
#include <string_view>

#include "base/random.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"
#include "http/io/service_server.hpp"

namespace bellows::cluster {

/// Adds to a ServiceServer:
///   GET  /v1/cluster?after=VERSION&boot=ID&wait_ms=N  the list; waits for a newer one
///   POST /v1/revisions/NAME/scale                     an order
///   POST /v1/revisions/NAME/report                    what was decided
///   POST /v1/revisions/NAME/retire, .../pause, .../resume
/// Owner: the program. Thread: the io thread. Meant for a Unix socket of mode 0600: a client may
/// scale everything.
class ClusterServer {
 public:
  static constexpr std::string_view kList = "/v1/cluster";
  static constexpr std::string_view kRevisions = "/v1/revisions/";
  static constexpr std::string_view kReport = "report";  ///< follows NAME in the path
  /// What follows NAME in the path of an order that sets a state.
  static constexpr std::string_view kRetire = "retire";
  static constexpr std::string_view kPause = "pause";
  static constexpr std::string_view kResume = "resume";
  /// Header of a list: identifies the server process, because versions restart with it.
  static constexpr std::string_view kBootHeader = "Bellows-Boot";

  /// `cluster` and `clock` outlive the server; `random` is used only here, for the boot id.
  ClusterServer(http::net::io_context& io, Cluster& cluster, const sys::Clock& clock,
                Random& random);
  ~ClusterServer();
  ClusterServer(const ClusterServer&) = delete;
  ClusterServer& operator=(const ClusterServer&) = delete;

  /// Call it before server.listen(). This object outlives `server`.
  void add_routes(http::ServiceServer& server);

  /// Responds to every waiting and later long poll at once. Call it before server.stop().
  void release_waiters();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::cluster
