// The ports that belong to one revision each, kept in step with the cluster's list.
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

/// What requests at a revision's own port have in common: they are for that revision, whatever
/// their Host says.
struct RevisionPort final : proxy::PortContext {
  RevisionId revision;
  std::string probe_lines;  ///< header lines that name it in replies to probes
  /// Null: look it up by its id. The port was closed, or the revision is gone.
  RevisionHandle* handle BELLOWS_GUARDED_BY(kWorkerData) = nullptr;
};

/// Opens the port of each revision that the cluster gives one (Path::activator_port), beside the
/// address of `listen`. A port that cannot be bound is logged, tried again each second, and
/// disturbs no other; nothing answers there, so the autoscaler, which asks there, finds out. A port
/// that is no longer listed is closed: requests in flight end, idle connections are closed. While
/// the path of a revision does not include this activator, each response there is the last of its
/// connection, so callers go elsewhere with their next request. Owner: the ActivatorService.
/// Thread: the io thread. All arguments outlive it.
class RevisionPorts {
 public:
  /// `self`: its name among the activators of a path.
  RevisionPorts(const cluster::Cluster& cluster, const RevisionRouter& router,
                proxy::ProxyServer& server, const Endpoint& listen, PodName self);

  /// Takes over the cluster's whole list, or what has changed in it. Call it after the router has.
  void sync();
  void sync(const cluster::Changes& changes);
  /// Tries again what could not be opened. Call it each second.
  void retry();

  /// Callers may come to one of the ports: it is open, and the path of its revision includes this
  /// activator.
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
