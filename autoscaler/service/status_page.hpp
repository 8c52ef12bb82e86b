// The autoscaler's pages for browsers and for `bellows status`, and the orders to retire, pause and
// resume.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "autoscaler/service/live_events.hpp"
#include "autoscaler/service/revision_registry.hpp"
#include "autoscaler/service/scale_applier.hpp"
#include "autoscaler/service/stat_guard.hpp"
#include "autoscaler/service/status_json.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"
#include "http/io/service_server.hpp"

namespace bellows::autoscaler {

/// GET  /v1/status                     docs/formats/status.md GET  /v1/events
/// the changes as server-sent events (live_events.hpp) GET  /v1/revisions/NAME/decisions   the last
/// decisions, newest first GET  /v1/revisions/NAME/journal     the same as lines to replay, or
/// those of a time
///                                     (docs/formats/replay.md, history_page.hpp)
/// GET  /v1/revisions/NAME/chart       the load and the decisions of a time (history_page.hpp) GET
/// /v1/revisions/NAME/slow        the state and advice of its slow brain GET
/// /v1/revisions/NAME/slow-journal  its last evaluations as lines to replay POST
/// /v1/revisions/NAME/retire      204; it serves nothing from then on POST /v1/revisions/NAME/pause
/// 204; the number of its replicas does not change POST /v1/revisions/NAME/resume      204; it is
/// scaled by its load again NAME is NAMESPACE/NAME for a revision of a cluster with namespaces.
/// Errors are JSON with the error's kind and the status of docs/errors.md: 404 unknown revision or
/// page, 410 retired already, or the cluster's error. Owner: the service. Thread: the io thread.
class StatusPage {
 public:
  /// All outlive it.
  StatusPage(const RevisionRegistry& registry, const ScaleApplier& applier,
             cluster::Cluster& cluster, const StatGuard& guard, const sys::Clock& clock);

  /// Adds data to each revision of the status. The objects that it uses outlive the server.
  void add_resources(StatusAddition resources) { additions_.resources = std::move(resources); }
  /// Adds the requests of services to the events, likewise.
  void add_traffic(TrafficOf traffic) { additions_.traffic = std::move(traffic); }
  /// Adds data about the machine to the status, likewise.
  void add_machine(std::function<std::string()> machine) {
    additions_.machine = std::move(machine);
  }

  /// Adds the running changes to the status, likewise.
  void add_changes(std::function<std::string()> changes) {
    additions_.changes = std::move(changes);
  }

  /// Adds the routes. Call it before server.listen(); this object outlives `server`.
  void add_routes(http::ServiceServer& server);

 private:
  http::Response status() const;
  http::Response page_of(const http::Request& request) const;
  http::Awaitable<http::Response> set_state(std::string path);

  const RevisionRegistry& registry_;
  const ScaleApplier& applier_;
  cluster::Cluster& cluster_;
  const StatGuard& guard_;
  const sys::Clock& clock_;
  StatusAdditions additions_;
  LiveEvents events_;
};

}  // namespace bellows::autoscaler
