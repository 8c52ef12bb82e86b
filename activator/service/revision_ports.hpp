// Opens the ports that belong to one revision each, by the cluster's list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "activator/service/revision_router.hpp"
#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "cluster/api.hpp"
#include "proxy/io/port.hpp"
#include "proxy/io/proxy_server.hpp"

namespace bellows::activator {

/// The shared data of requests at a revision's own port: they are for that revision, whatever their
/// Host is.
struct RevisionPort final : proxy::PortContext {
  RevisionId revision;
  std::string probe_lines;  ///< header lines that name it in replies to probes
  /// Null: look it up by its id. The port was closed, or the revision was removed.
  RevisionHandle* handle BELLOWS_GUARDED_BY(kWorkerData) = nullptr;
};

/// Opens the port of each revision that the cluster gives one (Path::activator_port), beside the
/// address of `listen`. A port that cannot be bound is logged, retried each second, and affects no
/// other; it does not answer, so the autoscaler's probe detects this. A port that is no longer
/// listed is closed: requests in flight end, idle connections are closed. While the path of a
/// revision does not include this activator, each response there is the last of its connection, so
/// callers send their next request elsewhere. All arguments outlive it. Owner: the
/// ActivatorService. Thread: the io thread.
class RevisionPorts {
 public:
  /// `self` is its name among the activators of a path.
  RevisionPorts(const cluster::Cluster& cluster, const RevisionRouter& router,
                proxy::ProxyServer& server, const Endpoint& listen, PodName self);

  /// Applies the cluster's whole list, or its changes. Call it after the router's sync().
  void sync();
  void sync(const cluster::Changes& changes);
  /// Retries ports that could not be opened. Call it each second.
  void retry();

  /// Returns true if callers may use one of the ports: it is open, and the path of its revision
  /// includes this activator.
  bool is_in_a_path() const;
  std::size_t open() const;
  std::size_t failed() const { return ports_.size() - open(); }

 private:
  struct Known {
    std::uint16_t number = 0;
    std::shared_ptr<RevisionPort> context;  // shared with the port and its sessions
    proxy::PortPtr port;                    // shared with the server; null: it cannot be opened
    bool is_failure_logged = false;
  };

  void close_old(const RevisionId& id);
  void follow(const RevisionId& id);
  void set_handle(RevisionPort& port, RevisionHandle* handle) const;
  void open(const RevisionId& id, Known& known);
  bool is_in(const cluster::Path& path) const;

  const cluster::Cluster& cluster_;
  const RevisionRouter& router_;
  proxy::ProxyServer& server_;
  const std::string host_;
  const PodName self_;
  std::map<RevisionId, Known> ports_;
};

}  // namespace bellows::activator
