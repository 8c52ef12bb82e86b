#include "machine/service/deployer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/sys/log.hpp"

namespace bellows::machine {
namespace {

constexpr Duration kLookInterval = std::chrono::milliseconds(20);
/// Between two looks at the time of day, which may be set.
constexpr Duration kExpiryInterval = std::chrono::seconds(10);

}  // namespace

Deployer::Deployer(http::net::io_context& io, const sys::Clock& clock, cluster::Cluster& cluster,
                   cluster::RevisionHost& host, Records records, DeployerOptions options)
    : clock_(clock),
      cluster_(cluster),
      tasks_(io),
      store_(std::move(records), std::move(options.state_file)),
      placer_(host, clock, placer_world(options)),
      rollouts_(store_, placer_, clock, options.keep_revisions),
      canaries_(store_, rollouts_, clock, std::move(options.served)),
      checks_(host, store_, rollouts_, canaries_, clock, std::move(options.ports),
              options.is_measuring),
      tags_(checks_, store_, placer_, rollouts_, canaries_),
      orders_(checks_, store_, placer_, rollouts_, canaries_, tags_),
      page_(store_, placer_, rollouts_, canaries_, clock) {
  start_expiring();
}

PlacerWorld Deployer::placer_world(DeployerOptions& options) {
  return {.has_requests = std::move(options.has_requests),
          .demand = std::move(options.demand),
          .size_of_first = std::move(options.size_of_first),
          .scale = [this](const RevisionId& id, PodCount replicas) { scale(id, replicas); }};
}

void Deployer::scale(const RevisionId& id, PodCount replicas) {
  tasks_.spawn("order", [this, id, replicas]() -> http::Awaitable<void> {
    cluster::ScaleOrder order;
    order.desired = replicas;
    order.reason = "it is to take over requests";
    const auto ordered = co_await cluster_.scale(id, std::move(order));
    if (ordered) co_return;
    sys::log::warning("not ordered",
                      {{"service", cluster::service_of(cluster_.revisions(), id).text()},
                       {"revision", id.text()},
                       {"error", to_string(ordered.error())}});
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

WallTime Deployer::wall_time_in(Duration after) const {
  return std::chrono::floor<std::chrono::milliseconds>(clock_.wall_now() + after);
}

void Deployer::start_expiring() {
  if (is_expiring_ || !next_expiry()) return;
  is_expiring_ = true;
  tasks_.spawn("expiry", [this] { return expire(); });
}

/// Removes services at the end of their time, also those whose time ended while Bellows was down.
http::Awaitable<void> Deployer::expire() {
  while (const auto next = next_expiry()) {
    const Duration left = std::max(*next - clock_.wall_now(), Duration::zero());
    const bool has_failed = left == Duration::zero() && !remove_expired();
    const bool slept =
        co_await http::sleep_for(has_failed ? kExpiryInterval : std::min(left, kExpiryInterval));
    if (!slept) break;
  }
  is_expiring_ = false;
}

std::optional<WallTime> Deployer::next_expiry() const {
  std::optional<WallTime> next;
  for (const auto& [name, record] : store_.records()) {
    if (record.expires && (!next || *record.expires < *next)) next = record.expires;
  }
  return next;
}

/// Returns false if one cannot be removed, for instance as the fallback-service of another.
bool Deployer::remove_expired() {
  std::vector<RevisionId> due;
  for (const auto& [name, record] : store_.records()) {
    if (record.expires && *record.expires <= clock_.wall_now()) due.push_back(name);
  }
  bool are_removed = true;
  for (const RevisionId& service : due) {
    const auto removed = orders_.remove(service, {});
    if (removed) {
      not_removed_.erase(service);
      sys::log::info("service removed",
                     {{"service", service.text()}, {"because", "its --ttl ended"}});
      continue;
    }
    are_removed = false;
    std::string error = to_string(removed.error());
    std::string& logged = not_removed_[service];
    if (logged == error) continue;
    sys::log::warning("service not removed at the end of its --ttl",
                      {{"service", service.text()}, {"error", error}});
    logged = std::move(error);
  }
  start_watching();
  return are_removed;
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
  store_.close();
}

}  // namespace bellows::machine
