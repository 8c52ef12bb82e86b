// The whole system on one machine: replicas as child processes, autoscaler, activator, recommender,
// admin port.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "activator/core/cold_start.hpp"
#include "base/endpoint.hpp"
#include "base/random.hpp"
#include "base/replica_size.hpp"
#include "base/sys/clock.hpp"
#include "config/run_settings.hpp"
#include "config/service.hpp"
#include "http/io/admin_server.hpp"
#include "http/io/bound_socket.hpp"
#include "http/io/control_socket.hpp"
#include "http/io/net.hpp"
#include "http/io/reactor.hpp"
#include "http/io/service_server.hpp"
#include "machine/core/canary.hpp"
#include "machine/core/service_record.hpp"
#include "machine/service/control_pages.hpp"
#include "machine/service/state_file.hpp"
#include "metrics/prometheus/instruments.hpp"

namespace bellows::activator {
class ActivatorService;
struct ActivatorOptions;
}  // namespace bellows::activator
namespace bellows::autoscaler {
class AutoscalerService;
}
namespace bellows::cluster {
class LocalCluster;
struct LocalClusterOptions;
}  // namespace bellows::cluster
namespace bellows::proxy {
class AccessLog;
class SpanExporter;
}  // namespace bellows::proxy
namespace bellows::recommender {
class ClusterSource;
class RecommenderService;
struct ScalingState;
}  // namespace bellows::recommender

namespace bellows::machine {

class RoomKeeper;
class Deployer;

/// The addresses of a running machine.
struct MachineAddresses {
  Endpoint listen;  ///< for clients
  Endpoint admin;
};

/// Sockets that a service manager has bound for the machine.
struct MachineSockets {
  std::optional<http::BoundSocket> listen;  ///< instead of the address `listen`
  std::optional<http::BoundSocket> admin;   ///< instead of the address `admin`
};
/// The contents of a settings file: its services, and the other settings, which only a restart
/// changes.
struct SettingsRead {
  std::vector<config::Service> services = {};
  std::vector<std::string> after_restart = {};
};
/// Reads the text of a settings file `name`, with the flags and the environment with which this
/// program was started. The error names every problem.
using ReadSettings =
    std::function<Result<SettingsRead>(const std::string& name, const std::string& text)>;

/// A machine has the stages start(), then stop(), each once. kill_now() is allowed at any time
/// after start(); abort() follows it. Owner: a command. Thread: the io thread. `io`, clock and
/// random outlive it.
class Machine {
 public:
  Machine(http::net::io_context& io, const sys::Clock& clock, Random& random,
          config::RunSettings settings, std::vector<config::Service> services,
          ReadSettings read_settings = nullptr);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Sets the actions of the control pages. Call it before start().
  void offer(MachineControls controls) { controls_ = std::move(controls); }

  /// Finds every program and opens every port, or takes the ports of `sockets`. After an error no
  /// process runs.
  Result<MachineAddresses> start(MachineSockets sockets = {});

  /// Returns the services, which change while it runs. Call it after start().
  Deployer& services() { return *deployer_; }

  /// Accepts no new requests, finishes those in flight, ends every process. Completes when all
  /// processes have ended.
  http::Awaitable<void> stop();
  /// Returns the maximum time of stop().
  Duration stop_time() const;

  /// Reads the certificates of the port for requests again, for later connections. After an error
  /// the previous ones stay in force.
  Result<void> reload_certificates();

  /// Sends SIGKILL to every process; a running stop() completes.
  void kill_now();
  /// Cancels every pending operation of this machine, and completes when they have ended. It may
  /// follow a cancelled stop(), but not run beside one.
  http::Awaitable<void> abort();

  /// Returns the last cold starts, oldest first.
  const std::deque<activator::ColdStart>& cold_starts() const;

 private:
  http::Awaitable<void> stop_deciding();
  http::Awaitable<void> stop_listening();
  http::Awaitable<void> linger();
  std::string requests_in_flight() const;
  Result<MachineAddresses> start_parts();
  Result<Endpoint> start_activator();
  Result<Endpoint> listen_admin();
  void add_control_pages();
  Result<void> listen_control(const Endpoint& admin);
  Result<void> create_cluster();
  void add_deployer();
  Served served(const RevisionId& revision, Duration slow) const;
  std::optional<double> demand(const RevisionId& id) const;
  ReplicaSize size_of_first(const config::Service& revision) const;
  Duration drain_time() const;
  void add_recommender();
  void keep_room();

  cluster::LocalClusterOptions cluster_options() const;
  activator::ActivatorOptions activator_options();

  recommender::ScalingState scaling_of(const RevisionId& id);
  bool is_panic(const RevisionId& id) const;

  http::Readiness readiness() const;
  std::string metrics_page();
  std::string service_names() const;

  http::net::io_context& io_;
  const sys::Clock& clock_;
  Random& random_;
  const config::RunSettings settings_;
  std::vector<config::Service> services_;  // of the settings file, until records_ has them
  const ReadSettings read_settings_;
  StateLock state_lock_;
  Records records_;  // until deployer_ has them
  bool is_measuring_ = false;
  MachineSockets sockets_;      // until they are taken
  const std::string page_key_;  // see http::AccessRules
  http::Reactor reactor_;
  metrics::prometheus::Registry registry_;
  std::unique_ptr<cluster::LocalCluster> cluster_;
  std::unique_ptr<proxy::AccessLog> access_log_;  // nullptr: off
  std::unique_ptr<proxy::SpanExporter> spans_;    // nullptr: none are exported
  std::unique_ptr<Deployer> deployer_;
  std::unique_ptr<RoomKeeper> room_;  // the autoscaler asks it
  std::unique_ptr<autoscaler::AutoscalerService> autoscaler_;
  std::unique_ptr<activator::ActivatorService> activator_;
  std::unique_ptr<recommender::RecommenderService> recommender_;  // nullptr: nothing is measured
  recommender::ClusterSource* usage_ = nullptr;                   // owned by recommender_
  MachineControls controls_;
  std::unique_ptr<ControlPages> control_pages_;
  http::ControlSocket control_;
  http::ServiceServer admin_;  // last: its routes use all of the above
};

}  // namespace bellows::machine
