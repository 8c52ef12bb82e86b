// The pages by which `bellows logs`, `scale`, `restart`, `reload` and `down` reach a running
// machine.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/sys/clock.hpp"
#include "http/io/service_server.hpp"

namespace bellows::autoscaler {
class AutoscalerService;
}
namespace bellows::cluster {
class LocalCluster;
}

namespace bellows::machine {

/// The results of a reload of the settings, one sentence each. A reload with errors changes
/// nothing.
struct Reloaded {
  std::vector<std::string> done;
  std::vector<std::string> errors;
};

/// The actions of the program for its pages. An unset function has no page.
struct MachineControls {
  std::function<void()> stop;  ///< does the same as SIGTERM
  /// Does the same as SIGHUP; unset: there is no settings file.
  std::function<http::Awaitable<Reloaded>()> reload;
};

/// All are POST, so that only the control socket accepts them: a port has no owner. The output of
/// apps is POST for the same reason. docs/formats/status.md describes them. Owner: Machine; it
/// outlives the server. Thread: the io thread.
class ControlPages {
 public:
  /// All of them outlive it.
  /// `key`: see http::AccessRules.
  ControlPages(cluster::LocalCluster& cluster, autoscaler::AutoscalerService& autoscaler,
               const sys::Clock& clock, MachineControls controls, std::string key);

  /// Adds /v1/control/... `drain_time`: the time that a stop gives to requests in flight. Call it
  /// before server.listen().
  void add_routes(http::ServiceServer& server, std::function<Duration()> drain_time);

 private:
  http::Awaitable<http::Response> service_page(http::Request request);
  http::Response logs_of(const RevisionId& revision, const std::string& after) const;
  http::Awaitable<http::Response> scale(RevisionId revision, std::string replicas);
  http::Response wake(const RevisionId& revision) const;
  http::Awaitable<Result<void>> pause(const RevisionId& service);
  http::Awaitable<http::Response> reload() const;
  /// Returns the revision of a service or a revision; of several revisions of a service that with
  /// the largest share.
  Result<RevisionId> revision_of(const RevisionId& name) const;

  cluster::LocalCluster& cluster_;
  autoscaler::AutoscalerService& autoscaler_;
  const sys::Clock& clock_;
  const MachineControls controls_;
  const std::string key_;
};

}  // namespace bellows::machine
