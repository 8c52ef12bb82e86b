#include "slack/sim/world.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace bellows::slack::sim {

namespace {

constexpr std::int64_t kDay = 86400;

Settings planner_settings(const Settings& given, Baseline baseline) {
  Settings settings = given;
  const bool has_rate = baseline == Baseline::kSlack || baseline == Baseline::kShapes ||
                        baseline == Baseline::kBalloon;
  if (!has_rate) settings.rate = {};
  return settings;
}

}  // namespace

World::World(const Scenario& scenario, Baseline baseline, const SimulationSettings& settings)
    : scenario_(scenario),
      baseline_(baseline),
      settings_(settings),
      starts_(settings.seed),
      failures_(settings.seed + 1),
      planner_(planner_settings(settings.planner, baseline)) {
  planner_.set_types(scenario.types);
  for (const Shape& shape : scenario.workloads) {
    Workload one;
    one.shape = actual_.intern(shape);
    one.planned_shape = planner_.cluster().intern(shape);
    workloads_.push_back(std::move(one));
  }
}

void World::set_pods(Workload& workload, std::int64_t count) {
  const auto have = [&workload] {
    return static_cast<std::int64_t>(workload.running.size() + workload.pending.size() +
                                     workload.preempting.size());
  };
  while (have() > count) remove_one_pod(workload);
  while (have() < count) {
    const std::string name = "default/pod-" + std::to_string(10'000'000 + next_name_++);
    workload.pending.push_back(name);
    CHECK(actual_.put_pod({name, workload.shape, ""}), "a new pod is put");
    CHECK(planner_.cluster().put_pod({name, workload.planned_shape, ""}), "a new pod is put");
  }
}

void World::remove_one_pod(Workload& workload) {
  std::string name;
  if (!workload.pending.empty()) {
    name = workload.pending.back();
    workload.pending.pop_back();
  } else if (!workload.preempting.empty()) {
    name = workload.preempting.back().second;
    workload.preempting.pop_back();
  } else {
    name = workload.running.back();
    workload.running.pop_back();
  }
  CHECK(actual_.remove_pod(name), "a pod that exists is removed");
  CHECK(planner_.cluster().remove_pod(name), "a pod that exists is removed");
}

void World::change_demand() {
  for (; next_step_ < scenario_.steps.size() && scenario_.steps[next_step_].second <= now_;
       ++next_step_) {
    const Step& step = scenario_.steps[next_step_];
    Workload& workload = workloads_[step.workload];
    const std::int64_t more = step.pods - workload.demand;
    workload.demand = step.pods;
    if (now_ > 0) score_.needed += std::max<std::int64_t>(more, 0);
    for (std::int64_t i = 0; i < more; ++i) workload.unmet_since.push_back(now_);
    for (std::int64_t i = more; i < 0 && !workload.unmet_since.empty(); ++i) {
      waits_.push_back(now_ - workload.unmet_since.back());
      workload.unmet_since.pop_back();
    }
    // A target utilisation of 64 % instead of 80 % means a quarter more replicas.
    const bool is_lowered = baseline_ == Baseline::kLowered;
    set_pods(workload, is_lowered ? (workload.demand * 5 + 3) / 4 : workload.demand);
  }
}

void World::nodes_arrive() {
  for (std::size_t i = 0; i < orders_.size();) {
    if (orders_[i].ready > now_) {
      ++i;
      continue;
    }
    const Order order = orders_[i];
    orders_.erase(orders_.begin() + static_cast<std::ptrdiff_t>(i));
    if (order.fails) {
      planner_.order_failed(order.type, 1);
      ++score_.failures;
      continue;
    }
    const auto type = std::find_if(scenario_.types.begin(), scenario_.types.end(),
                                   [&](const NodeType& one) { return one.name == order.type; });
    NodeSpec spec;
    spec.name = order.type + "-" + std::to_string(100'000 + next_name_++);
    spec.type = order.type;
    spec.allocatable = type->allocatable;
    spec.labels = type->labels;
    spec.labels.emplace_back(kHostname, spec.name);
    spec.labels = sorted_labels(std::move(spec.labels));
    spec.taints = type->taints;
    CHECK(actual_.put_node(spec), "a new node is put");
    CHECK(planner_.node_arrived(spec), "a new node is put");
    machines_[spec.name] = {order.type, order.ordered};
  }
}

void World::lose_node(const std::string& name) {
  CHECK(actual_.remove_node(name), "a node that exists is removed");
  CHECK(planner_.cluster().remove_node(name), "a node that exists is removed");
  machines_.erase(name);
  unneeded_since_.erase(name);
  for (Workload& workload : workloads_) {
    const auto is_lost = [&](const std::string& pod) { return !actual_.node_of(pod); };
    for (const std::string& pod : workload.running) {
      if (is_lost(pod)) workload.pending.push_back(pod);
    }
    std::erase_if(workload.running, is_lost);
    for (const auto& [until, pod] : workload.preempting) {
      if (is_lost(pod)) workload.pending.push_back(pod);
    }
    std::erase_if(workload.preempting, [&](const auto& one) { return is_lost(one.second); });
  }
}

void World::nodes_fail() {
  const double chance = scenario_.failures_per_node_day / static_cast<double>(kDay);
  std::vector<std::string> failed;
  for (const auto& [name, machine] : machines_) {
    if (failures_.fraction() < chance) failed.push_back(name);
  }
  for (const std::string& name : failed) {
    lose_node(name);
    ++score_.failures;
  }
}

/// Chooses the node with the most free CPU, as the scheduler's LeastAllocated does; it ignores
/// placeholders.
bool World::schedule_one(Workload& workload, const std::string& pod) {
  NodeId best = kNoNode;
  for (NodeId id = 0; id < actual_.nodes(); ++id) {
    if (!actual_.node(id).is_there || actual_.fitting(workload.shape, id, Holder::kPod, 1) == 0)
      continue;
    const bool is_better = best == kNoNode || actual_.node(id).free_for_pods().cpu_millicores >
                                                  actual_.node(best).free_for_pods().cpu_millicores;
    if (is_better) best = id;
  }
  if (best == kNoNode) return false;
  const std::string name = actual_.node(best).name;
  const NodeId planned = planner_.cluster().find_node(name);
  const Resources unheld =
      actual_.node(best).free_for_pods() - planner_.cluster().node(planned).held;
  const bool preempts =
      baseline_ == Baseline::kBalloon && !fits(actual_.shapes()[workload.shape].requests, unheld);
  CHECK(actual_.put_pod({pod, workload.shape, name}), "a pod that fits is bound");
  CHECK(planner_.cluster().put_pod({pod, workload.planned_shape, name}),
        "a pod that fits is bound");
  if (preempts) {
    workload.preempting.emplace_back(now_ + settings_.preemption_seconds, pod);
  } else {
    workload.running.push_back(pod);
  }
  return true;
}

void World::schedule() {
  for (Workload& workload : workloads_) {
    while (!workload.preempting.empty() && workload.preempting.front().first <= now_) {
      workload.running.push_back(workload.preempting.front().second);
      workload.preempting.pop_front();
    }
    // Pods of a workload are equal: if one does not fit, the next does not fit either.
    while (!workload.pending.empty() && schedule_one(workload, workload.pending.front()))
      workload.pending.pop_front();
  }
}

void World::measure() {
  std::int64_t waiting = 0;
  for (std::size_t i = 0; i < workloads_.size(); ++i) {
    Workload& workload = workloads_[i];
    const auto running = static_cast<std::int64_t>(workload.running.size());
    const auto missing =
        static_cast<std::size_t>(std::max<std::int64_t>(workload.demand - running, 0));
    while (workload.unmet_since.size() > missing) {
      if (now_ > 0) waits_.push_back(now_ - workload.unmet_since.front());
      workload.unmet_since.pop_front();
    }
    // A node failed or was drained: its pods are needed again.
    while (workload.unmet_since.size() < missing) {
      workload.unmet_since.push_front(now_);
      ++score_.needed;
    }
    waiting += static_cast<std::int64_t>(missing);
    if (i >= scenario_.requests.size()) continue;
    const auto second = static_cast<std::size_t>(now_);
    if (second >= scenario_.requests[i].size() || now_ == 0) continue;
    const double arrivals = scenario_.requests[i][second];
    score_.requests += scenario_.requests[i][second];
    score_.requests_waiting += arrivals * static_cast<double>(missing) /
                               static_cast<double>(std::max<std::int64_t>(workload.demand, 1));
  }
  for (const auto& [name, machine] : machines_) score_.cost += price(machine.type) / 3600;
  for (const Order& order : orders_) score_.cost += price(order.type) / 3600;
  score_.node_hours += static_cast<double>(machines_.size() + orders_.size()) / 3600;
  if (now_ % 60 == 0) {
    score_.nodes.push_back(static_cast<double>(machines_.size()));
    score_.waiting.push_back(static_cast<double>(waiting));
  }
}

double World::price(const std::string& type) const {
  for (const NodeType& one : scenario_.types) {
    if (one.name == type) return one.price;
  }
  return 0;
}

void World::add_first_nodes() {
  // All pods at the start have nodes, and so has the extra capacity.
  change_demand();
  for (int round = 0; round < 20; ++round) {
    schedule();
    set_wants();
    const Plan& plan = planner_.loop();
    if (plan.ordered_now.empty() && orders_.empty()) break;
    for (const ScaleUp& one : plan.ordered_now) {
      for (std::int64_t i = 0; i < one.nodes; ++i) orders_.push_back({0, 0, one.type, false});
    }
    nodes_arrive();
  }
  schedule();
  for (Workload& workload : workloads_) workload.unmet_since.clear();
}

Score World::run() {
  score_.baseline = to_string(baseline_);
  add_first_nodes();
  for (now_ = 1; now_ <= scenario_.seconds; ++now_) {
    nodes_arrive();
    nodes_fail();
    change_demand();
    schedule();
    measure();
    if (now_ % settings_.scan_seconds == 0) scan();
  }
  finish();
  return score_;
}

}  // namespace bellows::slack::sim
