#include "autoscaler/service/scale_applier.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/sys/log.hpp"

namespace bellows::autoscaler {
namespace {

namespace log = sys::log;

constexpr Duration kFirstDelay = std::chrono::milliseconds(100);
/// Short enough that orders are sent within 5 s of the end of an outage, which adds 3 s of its own.
constexpr Duration kMaxDelay = std::chrono::seconds(2);

bool is_final(const Error& error) {
  return error.kind() == ErrorKind::kNotFound || error.kind() == ErrorKind::kGone;
}

}  // namespace

ScaleApplier::ScaleApplier(http::TaskGroup& tasks, cluster::Cluster& cluster,
                           const sys::Clock& clock)
    : tasks_(tasks), cluster_(cluster), clock_(clock) {}

bool ScaleApplier::is_settled(const RevisionId& revision, PodCount requested, PodCount want) {
  const auto it = states_.find(revision);
  if (it == states_.end()) return requested == want;
  OrderState& state = it->second;
  const bool is_asked_for = requested == want && state.accepted.value_or(want) == want;
  if (!is_asked_for || state.is_under_way) return false;
  state.next.reset();
  return true;
}

void ScaleApplier::apply(const RevisionId& revision, PodCount requested,
                         cluster::ScaleOrder order) {
  if (is_settled(revision, requested, order.desired)) return;
  OrderState& state = states_[revision];
  state.next = Order{.from = requested, .order = std::move(order)};
  if (state.is_under_way) return;  // settle() sends the next
  if (state.not_before <= clock_.now() && cluster_.takes_orders()) {
    send(revision, state);
  } else {
    waiting_.insert(revision);
  }
}

void ScaleApplier::drop(const RevisionId& revision) {
  const auto it = states_.find(revision);
  if (it == states_.end()) return;
  it->second.next.reset();
  waiting_.erase(revision);
}

void ScaleApplier::retry_due() {
  if (!cluster_.takes_orders()) return;
  const TimePoint now = clock_.now();
  std::vector<RevisionId> due;
  for (const RevisionId& revision : waiting_) {
    if (states_.at(revision).not_before <= now) due.push_back(revision);
  }
  for (const RevisionId& revision : due) {
    waiting_.erase(revision);
    OrderState& state = states_.at(revision);
    if (state.next && !state.is_under_way) send(revision, state);
  }
}

void ScaleApplier::forget(const RevisionId& revision) {
  const auto it = states_.find(revision);
  if (it == states_.end()) return;
  it->second.next.reset();
  waiting_.erase(revision);
  // The state of a sent order stays, so that no second order starts if the name is listed again.
  if (!it->second.is_under_way) states_.erase(it);
}

std::string ScaleApplier::trouble(const RevisionId& revision) const {
  const auto it = states_.find(revision);
  return it == states_.end() ? std::string() : it->second.trouble;
}

void ScaleApplier::send(const RevisionId& revision, OrderState& state) {
  state.is_under_way = true;
  Order order = std::move(*state.next);
  state.next.reset();
  const PodCount from = state.accepted.value_or(order.from);
  const bool is_first_attempt = state.delay == Duration::zero();
  if (from != order.order.desired && is_first_attempt) {
    log::info("scaling", {{"service", cluster::service_of(cluster_.revisions(), revision).text()},
                          {"revision", revision.text()},
                          {"from", from},
                          {"to", order.order.desired},
                          {"because", order.order.reason}});
  }
  tasks_.spawn("scale " + revision.text(),
               [this, revision, order]() { return send_and_wait(revision, order); });
}

http::Awaitable<void> ScaleApplier::send_and_wait(RevisionId revision, Order order) {
  const Result<void> result = co_await cluster_.scale(revision, order.order);
  settle(revision, std::move(order), result);
}

void ScaleApplier::settle(const RevisionId& revision, Order order, const Result<void>& result) {
  const auto it = states_.find(revision);
  if (it == states_.end()) return;
  OrderState& state = it->second;
  state.is_under_way = false;
  if (!result) {
    handle_rejection(revision, state, std::move(order), result.error());
    return;
  }
  state.accepted = order.order.desired;
  state.delay = Duration::zero();
  state.not_before = {};
  state.trouble.clear();
  if (state.next) send(revision, state);
}

void ScaleApplier::handle_rejection(const RevisionId& revision, OrderState& state, Order order,
                                    const Error& error) {
  ++rejected_;
  state.trouble = to_string(error);
  const bool is_first = state.delay == Duration::zero();
  if (is_first) {
    const RevisionId service = cluster::service_of(cluster_.revisions(), revision);
    log::warning("the cluster rejected a scale order", {{"service", service.text()},
                                                        {"revision", revision.text()},
                                                        {"want", order.order.desired},
                                                        {"error", state.trouble},
                                                        {"retry", !is_final(error)}});
  }
  state.delay = is_first ? kFirstDelay : std::min(2 * state.delay, kMaxDelay);
  state.not_before = clock_.now() + state.delay;
  if (is_final(error)) {
    state.next.reset();
    return;
  }
  if (!state.next) state.next = std::move(order);
  waiting_.insert(revision);
}

}  // namespace bellows::autoscaler
