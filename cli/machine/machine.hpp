// The whole system on one machine, wired: replicas as child processes, autoscaler, activator, admin
// port.
#pragma once

#include <memory>
#include <vector>

#include "activator/core/cold_start.hpp"
#include "base/endpoint.hpp"
#include "base/random.hpp"
#include "base/sys/clock.hpp"
#include "config/run_settings.hpp"
#include "config/service.hpp"
#include "http/io/net.hpp"

namespace bellows::cli {

/// Where it can be reached once it runs.
struct MachineAddresses {
  Endpoint listen;  ///< callers; empty if the activator runs apart
  Endpoint admin;
};

/// Stages: start(), stop(); each once, in that order; kill_now() at any time after start().
/// Owner: a command. Thread: the io thread. `io`, clock and random outlive it.
class Machine {
 public:
  Machine(http::net::io_context& io, const sys::Clock& clock, Random& random,
          config::RunSettings settings, std::vector<config::Service> services);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// Finds every program, opens every port. The first thing that cannot be had is the error, and
  /// nothing runs then.
  Result<MachineAddresses> start();

  /// Other settings for a running service; see LocalCluster::configure(). After start().
  Result<void> configure(const RevisionId& service, const config::RevisionSettings& settings);

  /// Takes no new requests, finishes those in flight, ends every process. Ends when all is gone.
  http::Awaitable<void> stop();

  /// SIGKILL for every process, and a running stop() comes to its end.
  void kill_now();

  /// Wakes from zero since start, the first ones first.
  const std::vector<activator::ColdStart>& cold_starts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::cli
