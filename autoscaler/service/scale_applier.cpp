#include "autoscaler/service/scale_applier.hpp"

#include <algorithm>
#include <utility>

#include "base/sys/log.hpp"

namespace bellows::autoscaler {
namespace {

namespace log = sys::log;

constexpr Duration kFirstDelay = std::chrono::milliseconds(100);
constexpr Duration kMaxDelay = std::chrono::seconds(5);

bool is_final(const Error& error) {
  return error.kind() == ErrorKind::kNotFound || error.kind() == ErrorKind::kGone;
}

}  // namespace

ScaleApplier::ScaleApplier(http::TaskGroup& tasks, cluster::Cluster& cluster,
                           const sys::Clock& clock)
    : tasks_(tasks), cluster_(cluster), clock_(clock) {}

void ScaleApplier::apply(const RevisionId& revision, PodCount requested,
                         cluster::ScaleOrder order) {
  Lane& lane = lanes_[revision];
  const bool is_asked_for =
      requested == order.want && lane.accepted.value_or(order.want) == order.want;
  if (is_asked_for && !lane.is_under_way) {
    lane.next.reset();
    return;
  }
  lane.next = Order{.from = requested, .order = std::move(order)};
  if (!lane.is_under_way && lane.not_before <= clock_.now()) send(revision, lane);
}

void ScaleApplier::retry_due() {
  const TimePoint now = clock_.now();
  for (auto& [revision, lane] : lanes_) {
    if (lane.next && !lane.is_under_way && lane.not_before <= now) send(revision, lane);
  }
}

void ScaleApplier::forget(const RevisionId& revision) {
  const auto it = lanes_.find(revision);
  if (it == lanes_.end()) return;
  it->second.next.reset();
  // The lane of an order under way stays, so that no second one starts should the name come back.
  if (!it->second.is_under_way) lanes_.erase(it);
}

std::string ScaleApplier::trouble(const RevisionId& revision) const {
  const auto it = lanes_.find(revision);
  return it == lanes_.end() ? std::string() : it->second.trouble;
}

void ScaleApplier::send(const RevisionId& revision, Lane& lane) {
  lane.is_under_way = true;
  Order order = std::move(*lane.next);
  lane.next.reset();
  const PodCount from = lane.accepted.value_or(order.from);
  const bool is_first_attempt = lane.delay == Duration::zero();
  if (from != order.order.want && is_first_attempt) {
    log::info("scaling", {{"service", revision.text()},
                          {"from", from},
                          {"to", order.order.want},
                          {"because", order.order.reason}});
  }
  tasks_.spawn("scale " + revision.text(),
               [this, revision, order]() { return carry(revision, order); });
}

http::Task<void> ScaleApplier::carry(RevisionId revision, Order order) {
  const Result<void> result = co_await cluster_.scale(revision, order.order);
  settle(revision, std::move(order), result);
}

void ScaleApplier::settle(const RevisionId& revision, Order order, const Result<void>& result) {
  const auto it = lanes_.find(revision);
  if (it == lanes_.end()) return;
  Lane& lane = it->second;
  lane.is_under_way = false;
  if (!result) {
    refuse(revision, lane, std::move(order), result.error());
    return;
  }
  lane.accepted = order.order.want;
  lane.delay = Duration::zero();
  lane.not_before = {};
  lane.trouble.clear();
  if (lane.next) send(revision, lane);
}

void ScaleApplier::refuse(const RevisionId& revision, Lane& lane, Order order, const Error& error) {
  ++refused_;
  lane.trouble = to_string(error);
  const bool is_first = lane.delay == Duration::zero();
  if (is_first) {
    log::warning("scaling was refused", {{"service", revision.text()},
                                         {"want", order.order.want},
                                         {"error", lane.trouble},
                                         {"again", !is_final(error)}});
  }
  lane.delay = is_first ? kFirstDelay : std::min(2 * lane.delay, kMaxDelay);
  lane.not_before = clock_.now() + lane.delay;
  if (is_final(error)) {
    lane.next.reset();
  } else if (!lane.next) {
    lane.next = std::move(order);
  }
}

}  // namespace bellows::autoscaler
