#include "activator/service/scale_from_zero_notifier.hpp"

#include <utility>

#include "base/duration_text.hpp"
#include "base/sys/log.hpp"

namespace bellows::activator {

ScaleFromZeroNotifier::ScaleFromZeroNotifier(http::Reactor& reactor, cluster::Cluster& cluster,
                                             metrics::StatSink& sink, StatIdentity identity,
                                             std::function<bool()> is_autoscaler_connected)
    : reactor_(reactor),
      cluster_(cluster),
      sink_(sink),
      identity_(std::move(identity)),
      is_autoscaler_connected_(std::move(is_autoscaler_connected)),
      orders_(reactor.io()) {}

void ScaleFromZeroNotifier::trigger(const RevisionId& revision, std::int64_t waiting,
                                    Duration triggered_for) {
  sink_.accept(metrics::ScaleFromZeroTrigger{.revision = revision,
                                             .pod = identity_.pod,
                                             .boot = identity_.boot,
                                             .waiting = static_cast<std::uint64_t>(waiting)});
  if (const auto outage = outages_.find(revision);
      outage != outages_.end() && triggered_for == Duration::zero()) {
    outage->second.is_logged_for_this_start = false;
  }
  if (!is_autoscaler_connected_()) {
    order_one(revision, "requests wait and the autoscaler is disconnected");
  } else if (triggered_for >= kAutoscalerTimeout) {
    order_one(revision, "requests wait and the autoscaler has ordered nothing for " +
                            rounded_duration_text(triggered_for));
  }
}

void ScaleFromZeroNotifier::order_one(const RevisionId& revision, std::string why) {
  const cluster::RevisionPtr known = cluster_.revisions().find(revision);
  if (known == nullptr || known->requested > 0 || known->is_paused()) return;
  if (!in_flight_.insert(revision).second) return;
  orders_.spawn("order a replica of " + revision.text(),
                [this, revision, why = std::move(why)] { return order(revision, why); });
}

http::Awaitable<void> ScaleFromZeroNotifier::order(RevisionId revision, std::string why) {
  cluster::ScaleOrder one;
  one.desired = 1;
  one.reason = why;
  const Result<void> ordered = co_await cluster_.scale(revision, std::move(one));
  in_flight_.erase(revision);
  const RevisionId service = cluster::service_of(cluster_.revisions(), revision);
  if (ordered) {
    outages_.erase(revision);
    sys::log::info("ordered a replica without the autoscaler",
                   {{"service", service.text()}, {"revision", revision.text()}, {"because", why}});
  } else if (take_log_permission(revision)) {
    sys::log::warning("could not order a replica without the autoscaler",
                      {{"service", service.text()},
                       {"revision", revision.text()},
                       {"because", why},
                       {"error", to_string(ordered.error())}});
  }
}

bool ScaleFromZeroNotifier::take_log_permission(const RevisionId& revision) {
  const TimePoint now = reactor_.now();
  const auto outage = outages_.find(revision);
  if (outage != outages_.end() &&
      (outage->second.is_logged_for_this_start || now - outage->second.logged_at < kLogInterval)) {
    return false;
  }
  // Entries of removed services would stay forever.
  std::erase_if(outages_, [&](const auto& known) {
    return cluster_.revisions().find(known.first) == nullptr;
  });
  outages_[revision] = {.logged_at = now};
  return true;
}

http::Awaitable<void> ScaleFromZeroNotifier::stop(TimePoint deadline) {
  orders_.stop();
  const auto joined = co_await orders_.join(deadline);
  if (!joined) sys::log::warning("order still running", {{"error", to_string(joined.error())}});
}

}  // namespace bellows::activator
