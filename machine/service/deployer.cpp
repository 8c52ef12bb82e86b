#include "machine/service/deployer.hpp"

#include <utility>

#include "base/sys/log.hpp"

namespace bellows::machine {
namespace {

constexpr Duration kLookInterval = std::chrono::milliseconds(20);

}  // namespace

Deployer::Deployer(http::net::io_context& io, const sys::Clock& clock, cluster::Cluster& cluster,
                   cluster::RevisionHost& host, Records records, DeployerOptions options)
    : cluster_(cluster),
      tasks_(io),
      store_(std::move(records), std::move(options.state_file)),
      placer_(host, clock, placer_world(options)),
      rollouts_(store_, placer_, clock, options.keep_revisions),
      canaries_(store_, rollouts_, clock, std::move(options.served)),
      checks_(host, store_, rollouts_, canaries_, clock, options.is_measuring),
      tags_(checks_, store_, placer_, rollouts_, canaries_),
      orders_(checks_, store_, placer_, rollouts_, canaries_, tags_),
      page_(store_, placer_, rollouts_, canaries_, clock) {}

PlacerWorld Deployer::placer_world(DeployerOptions& options) {
  return {.has_requests = std::move(options.has_requests),
          .size_of_first = std::move(options.size_of_first),
          .scale = [this](const RevisionId& id, PodCount replicas) { scale(id, replicas); }};
}

void Deployer::scale(const RevisionId& id, PodCount replicas) {
  tasks_.spawn("order", [this, id, replicas]() -> http::Awaitable<void> {
    cluster::ScaleOrder order;
    order.desired = replicas;
    order.reason = "it is to take over requests";
    const auto ordered = co_await cluster_.scale(id, std::move(order));
    if (!ordered) sys::log::warning("not ordered", {{"error", to_string(ordered.error())}});
  });
}

void Deployer::start_watching() {
  if (is_watching_ || !has_work()) return;
  is_watching_ = true;
  tasks_.spawn("rollouts", [this] { return watch(); });
}

http::Awaitable<void> Deployer::watch() {
  while (has_work()) {
    const bool slept = co_await http::sleep_for(kLookInterval);
    if (!slept) break;
    look();
  }
  is_watching_ = false;
}

bool Deployer::has_work() const {
  return rollouts_.has_work() || canaries_.has_work() || placer_.has_work();
}

void Deployer::look() {
  rollouts_.look();
  canaries_.look();
  placer_.look(store_.records());
}

http::Awaitable<void> Deployer::stop(TimePoint deadline) {
  checks_.refuse_all();
  tasks_.stop();
  (void)co_await tasks_.join(deadline);
}

}  // namespace bellows::machine
