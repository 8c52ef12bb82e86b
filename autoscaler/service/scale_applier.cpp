#include "autoscaler/service/scale_applier.hpp"

#include <algorithm>
#include <utility>
#include <vector>

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

bool ScaleApplier::is_settled(const RevisionId& revision, PodCount requested, PodCount want) {
  const auto it = lanes_.find(revision);
  if (it == lanes_.end()) return requested == want;
  Lane& lane = it->second;
  const bool is_asked_for = requested == want && lane.accepted.value_or(want) == want;
  if (!is_asked_for || lane.is_under_way) return false;
  lane.next.reset();
  return true;
}

void ScaleApplier::apply(const RevisionId& revision, PodCount requested,
                         cluster::ScaleOrder order) {
  if (is_settled(revision, requested, order.want)) return;
  Lane& lane = lanes_[revision];
  lane.next = Order{.from = requested, .order = std::move(order)};
  if (lane.is_under_way) return;  // its end looks for what is next
  if (lane.not_before <= clock_.now()) {
    send(revision, lane);
  } else {
    waiting_.insert(revision);
  }
}

void ScaleApplier::retry_due() {
  const TimePoint now = clock_.now();
  std::vector<RevisionId> due;
  for (const RevisionId& revision : waiting_) {
    if (lanes_.at(revision).not_before <= now) due.push_back(revision);
  }
  for (const RevisionId& revision : due) {
    waiting_.erase(revision);
    Lane& lane = lanes_.at(revision);
    if (lane.next && !lane.is_under_way) send(revision, lane);
  }
}

void ScaleApplier::forget(const RevisionId& revision) {
  const auto it = lanes_.find(revision);
  if (it == lanes_.end()) return;
  it->second.next.reset();
  waiting_.erase(revision);
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

http::Awaitable<void> ScaleApplier::carry(RevisionId revision, Order order) {
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
    return;
  }
  if (!lane.next) lane.next = std::move(order);
  waiting_.insert(revision);
}

}  // namespace bellows::autoscaler
