// An AutoscalerService on a scripted cluster, its clock moved by hand.
#pragma once

#include <memory>
#include <string>

#include "autoscaler/service/autoscaler_service.hpp"
#include "tests/integration/autoscaler/scripted_cluster.hpp"
#include "tests/support/manual_clock.hpp"

namespace bellows::autoscaler::test {

class AutoscalerWorld {
 public:
  AutoscalerWorld() {
    clock.advance(std::chrono::milliseconds(500));
    start("");
  }

  /// Lists a service; `ready` replicas serve.
  void deploy(PodCount ready, config::RevisionSettings settings = ten_per_replica()) {
    cluster::Revision revision;
    revision.id = RevisionId("web");
    revision.settings = settings;
    cluster.set(revision);
    serve(ready);
  }

  /// So many replicas are ready now, as requested.
  void serve(PodCount ready) {
    cluster::Revision& web = cluster.truth("web");
    web.requested = ready;
    web.replicas.clear();
    for (PodCount i = 1; i <= ready; ++i) {
      cluster::Replica replica;
      replica.name = PodName("web-" + std::to_string(i));
      replica.phase = cluster::ReplicaPhase::kReady;
      web.replicas.push_back(std::make_shared<const cluster::Replica>(replica));
    }
    cluster.publish();
    run();
  }

  /// Everything that can go on without time does.
  void run() {
    io.restart();
    io.poll();
  }

  void report(const std::string& pod, double load, Duration age = {},
              metrics::StatSource source = metrics::StatSource::kReplica) {
    metrics::Stat stat;
    stat.revision = RevisionId("web");
    stat.pod = PodName(pod);
    stat.source = source;
    stat.boot = 1;
    stat.sequence = static_cast<std::uint64_t>((clock.now() - age).time_since_epoch().count());
    stat.age = age;
    stat.concurrency = load;
    service->sink().accept(stat);
    run();
  }

  /// The same of a replica that says that it is occupied.
  void report_occupied(const std::string& pod, bool is_occupied = true) {
    metrics::Stat stat;
    stat.revision = RevisionId("web");
    stat.pod = PodName(pod);
    stat.boot = 1;
    stat.sequence = static_cast<std::uint64_t>(clock.now().time_since_epoch().count());
    stat.is_occupied = is_occupied;
    service->sink().accept(stat);
    run();
  }

  void trigger(std::uint64_t waiting) {
    service->sink().accept(metrics::ScaleFromZeroTrigger{
        .revision = RevisionId("web"), .pod = PodName("activator"), .boot = 1, .waiting = waiting});
    run();
  }

  /// `count` seconds in which `replicas` share `load`.
  void seconds(int count, PodCount replicas, double load) {
    for (int i = 0; i < count; ++i) {
      clock.advance(std::chrono::seconds(1));
      for (PodCount pod = 1; pod <= replicas; ++pod) {
        report("web-" + std::to_string(pod), load / replicas);
      }
      service->tick();
      run();
    }
  }

  void pass(Duration duration) {
    clock.advance(duration);
    service->tick();
    run();
  }

  /// A new autoscaler on the same cluster, with what `state_file` holds.
  void start(const std::string& state_file) {
    service.reset();
    io.restart();
    io.poll();
    registry = std::make_unique<metrics::prometheus::Registry>("test");
    service = std::make_unique<AutoscalerService>(
        io, cluster, clock, *registry,
        AutoscalerOptions{.dead_source_after = std::chrono::seconds(3), .state_file = state_file});
    service->start();
    run();
  }

  Decision last() const { return *service->registry().find(RevisionId("web"))->journal.last(); }
  PodCount requested() { return cluster.truth("web").requested; }

  static config::RevisionSettings ten_per_replica() {
    config::RevisionSettings settings;
    settings.target = 10;
    settings.initial_scale = 0;
    settings.target_utilization_percentage = 100;
    return settings;
  }

  http::net::io_context io;
  bellows::test::ManualClock clock;
  ScriptedCluster cluster{io};
  std::unique_ptr<metrics::prometheus::Registry> registry;
  std::unique_ptr<AutoscalerService> service;
};

}  // namespace bellows::autoscaler::test
