#include "activator/service/waker.hpp"

#include <utility>

#include "base/duration_text.hpp"
#include "base/sys/log.hpp"

namespace bellows::activator {

Waker::Waker(http::Reactor& reactor, cluster::Cluster& cluster, metrics::StatSink& sink,
             StatIdentity identity, std::function<bool()> autoscaler_listens)
    : reactor_(reactor),
      cluster_(cluster),
      sink_(sink),
      identity_(std::move(identity)),
      autoscaler_listens_(std::move(autoscaler_listens)),
      orders_(reactor.io()) {}

void Waker::wake(const RevisionId& revision, std::int64_t waiting, Duration woken_for) {
  sink_.accept(metrics::Wake{.revision = revision,
                             .pod = identity_.pod,
                             .boot = identity_.boot,
                             .waiting = static_cast<std::uint64_t>(waiting)});
  if (const auto outage = outages_.find(revision);
      outage != outages_.end() && woken_for == Duration::zero()) {
    outage->second.is_of_this_waking = false;
  }
  if (!autoscaler_listens_()) {
    order_one(revision, "requests wait and the autoscaler is away");
  } else if (woken_for >= kOrderAnyway) {
    order_one(revision, "requests wait and the autoscaler has ordered nothing for " +
                            rounded_duration_text(woken_for));
  }
}

void Waker::order_one(const RevisionId& revision, std::string why) {
  const cluster::SnapshotPtr snapshot = cluster_.snapshot();
  const cluster::Revision* known = snapshot->find(revision);
  if (known == nullptr || known->requested > 0) return;
  if (!under_way_.insert(revision).second) return;
  orders_.spawn("order a replica of " + revision.text(),
                [this, revision, why = std::move(why)] { return order(revision, why); });
}

http::Awaitable<void> Waker::order(RevisionId revision, std::string why) {
  cluster::ScaleOrder one;
  one.want = 1;
  one.reason = why;
  const Result<void> ordered = co_await cluster_.scale(revision, std::move(one));
  under_way_.erase(revision);
  if (ordered) {
    outages_.erase(revision);
    sys::log::info("ordered a replica without the autoscaler",
                   {{"service", revision.text()}, {"because", why}});
  } else if (is_to_be_told(revision)) {
    sys::log::warning(
        "could not order a replica without the autoscaler",
        {{"service", revision.text()}, {"because", why}, {"error", to_string(ordered.error())}});
  }
}

bool Waker::is_to_be_told(const RevisionId& revision) {
  const TimePoint now = reactor_.now();
  const auto outage = outages_.find(revision);
  if (outage != outages_.end() &&
      (outage->second.is_of_this_waking || now - outage->second.told < kTellAgainAfter)) {
    return false;
  }
  // Services that are gone would stay for ever.
  const cluster::SnapshotPtr snapshot = cluster_.snapshot();
  std::erase_if(outages_,
                [&](const auto& known) { return snapshot->find(known.first) == nullptr; });
  outages_[revision] = {.told = now};
  return true;
}

http::Awaitable<void> Waker::stop(TimePoint deadline) {
  orders_.stop();
  const auto joined = co_await orders_.join(deadline);
  if (!joined) sys::log::warning("left behind", {{"error", to_string(joined.error())}});
}

}  // namespace bellows::activator
