// One replica: applies the actions of its ReplicaMachine to real processes.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/lifetime.hpp"
#include "base/sys/clock.hpp"
#include "base/sys/descriptor_reserve.hpp"
#include "base/sys/log.hpp"
#include "cluster/local/app_resources.hpp"
#include "cluster/local/output_tail.hpp"
#include "cluster/local/port_allocator.hpp"
#include "cluster/local/process.hpp"
#include "cluster/local/queue_proxy_contract.hpp"
#include "cluster/local/replica_machine.hpp"
#include "cluster/local/replica_room.hpp"
#include "cluster/local/usage.hpp"
#include "config/server_settings.hpp"
#include "config/trace_settings.hpp"

namespace bellows::cluster {

/// The programs of every replica, and the receiver of its queue-proxy's stats.
struct ReplicaPrograms {
  std::string queue_proxy;
  std::string shim;
  std::string autoscaler_url;
  std::string log_format;
  config::ErrorDetail error_detail = config::ErrorDetail::kGeneric;
  config::ServerSettings server = {};
  config::TraceSettings trace = {};
  Duration stop_timeout = std::chrono::seconds(10);  ///< of the app, from SIGTERM to SIGKILL
};

/// Logs its phases, and the output of its processes line by line with their name. The destructor
/// kills its processes. Owner: LocalRevision. Thread: the io thread.
class LocalReplica {
 public:
  /// `service` (its command[0] is the path of the program), `programs`, `resources`, `output` (of
  /// the app), `io`, `clock` and `random` outlive it. It calls `changed` whenever replica() has
  /// changed, also from inside the functions below.
  LocalReplica(http::net::io_context& io, const sys::Clock& clock, Random& random,
               const config::Service& service, const ReplicaPrograms& programs,
               const SharedResources& resources, OutputTail& output, PodName name, PortLease port,
               PortLease admin_port, std::function<void()> changed);
  ~LocalReplica();
  LocalReplica(const LocalReplica&) = delete;
  LocalReplica& operator=(const LocalReplica&) = delete;

  /// Starts it, once. Does nothing if it was drained meanwhile. Takes milliseconds: two forks.
  void start();
  void drain();
  void kill();
  /// See ReplicaMachine::stay().
  void stay() { machine_.stay(); }
  /// Returns true once after it began to drain without a call of drain().
  bool take_departure();

  /// Reads /proc and the control group of the app: a few files per process.
  void measure();

  /// See SizeWriter.
  Result<void> resize(const ReplicaSize& size);

  /// Returns the current state. Phase kGone: all processes have ended and it may be destroyed.
  const Replica& replica() const { return shown_; }
  /// Returns the hard limit of its start; 0: no limit.
  std::int32_t container_concurrency() const { return container_concurrency_; }
  /// Returns the last lines of its app's standard error, oldest first.
  const std::deque<std::string>& last_lines() const { return app_errors_; }
  /// See ReplicaMachine.
  bool is_stuck() const { return machine_.is_stuck(); }

 private:
  using Actions = ReplicaMachine::Actions;

  std::unique_ptr<Process>& process(Side side) { return side == Side::kApp ? app_ : proxy_; }
  void measure_app();
  void apply(const Actions& actions);
  void start_process(Side side);
  ProcessSpec spec(Side side) const;
  void on_started(Side side);
  void on_line(Side side, Stream stream, std::string_view line);
  void on_proxy_event(std::string_view line);
  void on_hung(const ProxyHung& hung, TimePoint now);
  void on_stopped(const ProcessEnd& end);
  void on_ended(Side side, const ProcessEnd& end);
  void on_tick();
  void log_not_ready() const;
  std::string end_text(const ProcessEnd& end) const;
  sys::log::Field of_service() const { return {"service", service_.service().text()}; }
  sys::log::Field of_revision() const { return {"revision", service_.name.text()}; }
  sys::log::Field of_replica() const { return {"replica", shown_.name.text()}; }
  void log_crash(Side side, const std::string& how) const;
  std::string kill_text(Side side) const;
  void log_change(const Replica& before) const;
  std::string last_error_lines(std::string_view between) const;
  void set_tick_timer();
  void publish();

  http::net::io_context& io_;
  const sys::Clock& clock_;
  const config::Service& service_;
  const ReplicaPrograms& programs_;
  OutputTail& output_;
  const std::int32_t container_concurrency_;
  PortLease port_;        // of the app
  PortLease admin_port_;  // of the queue-proxy: the app says there that it is occupied
  std::function<void()> changed_;
  ReplicaMachine machine_;
  Replica shown_;
  TimePoint drain_began_{};
  std::string killed_because_;  // empty: it was not killed
  bool is_departure_taken_ = false;
  AppResources resources_;  // outlives the app, because it removes its group
  std::unique_ptr<Process> app_;
  std::unique_ptr<Process> proxy_;
  std::deque<std::string> app_errors_;  // the last lines of the app's standard error
  UsageMeter meter_;
  http::AsioTimer tick_;
  const sys::DescriptorReserve descriptors_{kDescriptorsPerReplica};
  Lifetime lifetime_;  // for pending waits
};

}  // namespace bellows::cluster
