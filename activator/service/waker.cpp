#include "activator/service/waker.hpp"

#include <utility>

#include "base/sys/log.hpp"

namespace bellows::activator {

Waker::Waker(http::net::io_context& io, cluster::Cluster& cluster, metrics::StatSink& sink,
             StatIdentity identity, std::function<bool()> autoscaler_listens)
    : cluster_(cluster),
      sink_(sink),
      identity_(std::move(identity)),
      autoscaler_listens_(std::move(autoscaler_listens)),
      orders_(io) {}

void Waker::wake(const RevisionId& revision, std::int64_t waiting) {
  sink_.accept(metrics::Wake{.revision = revision,
                             .pod = identity_.pod,
                             .boot = identity_.boot,
                             .waiting = static_cast<std::uint64_t>(waiting)});
  if (!autoscaler_listens_()) order_one(revision);
}

void Waker::order_one(const RevisionId& revision) {
  const cluster::SnapshotPtr snapshot = cluster_.snapshot();
  const cluster::Revision* known = snapshot->find(revision);
  if (known == nullptr || known->requested > 0) return;
  if (!under_way_.insert(revision).second) return;
  orders_.spawn("order a replica of " + revision.text(),
                [this, revision] { return order(revision); });
}

http::Task<void> Waker::order(RevisionId revision) {
  cluster::ScaleOrder one;
  one.want = 1;
  one.reason = "requests wait and the autoscaler is away";
  const Result<void> ordered = co_await cluster_.scale(revision, std::move(one));
  under_way_.erase(revision);
  if (ordered) {
    sys::log::info("ordered a replica while the autoscaler is away",
                   {{"revision", revision.text()}});
  } else {
    sys::log::warning("could not order a replica while the autoscaler is away",
                      {{"revision", revision.text()}, {"error", to_string(ordered.error())}});
  }
}

http::Task<void> Waker::stop(TimePoint deadline) {
  orders_.stop();
  const auto joined = co_await orders_.join(deadline);
  if (!joined) sys::log::warning("left behind", {{"error", to_string(joined.error())}});
}

}  // namespace bellows::activator
