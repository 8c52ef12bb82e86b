// The scans of a simulation: room to reserve, nodes to add and remove, and the score.
#include <algorithm>

#include "slack/core/guarantee.hpp"
#include "slack/sim/world.hpp"

namespace bellows::slack::sim {

namespace {

constexpr std::int64_t kFlapSeconds = 1800;
constexpr int kGridSteps = 4;

}  // namespace

/// Returns the maximum recent growth of the demand within the start time of a node.
std::int64_t World::look_ahead(const Workload& workload) const {
  const auto scans = static_cast<std::size_t>(scenario_.start_max_seconds / settings_.scan_seconds);
  const auto past = static_cast<std::size_t>(3600 / settings_.scan_seconds);
  const auto& history = workload.history;
  const std::size_t first = history.size() > past ? history.size() - past : 0;
  std::int64_t most = 0;
  for (std::size_t i = first; i < history.size(); ++i) {
    const std::size_t before = i >= scans ? i - scans : 0;
    most = std::max(most, history[i] - history[std::max(before, first)]);
  }
  return most;
}

void World::set_wants() {
  std::vector<Want> wants;
  for (Workload& workload : workloads_) {
    workload.history.push_back(workload.demand);
    const std::string& name = planner_.cluster().shapes()[workload.planned_shape].name;
    if (baseline_ == Baseline::kShapes) {
      wants.push_back(
          {name, "replicas to come", workload.planned_shape, 1 + look_ahead(workload), true});
    } else if (baseline_ == Baseline::kBuffer) {
      // percentage: 10, replicas: 1 of a CapacityBuffer; the larger of both applies.
      wants.push_back({name, "buffer", workload.planned_shape,
                       std::max<std::int64_t>((workload.demand + 9) / 10, 1)});
    }
  }
  planner_.set_wanted(baseline_ == Baseline::kBalloon ? balloon_ : wants);
}

/// Sizes the balloon once, on the first nodes: it is what a rate would be on the day of its
/// installation.
void World::size_balloon(const Plan& plan) {
  if (baseline_ != Baseline::kBalloon || !balloon_.empty() || plan.placeholders.empty()) return;
  for (const ShapePlan& one : plan.placeholders) {
    Shape shape;
    shape.name = "balloon";
    shape.requests = one.requests;
    balloon_.push_back({"balloon", "balloon", planner_.cluster().intern(shape), one.count});
  }
  planner_.set_rate({});
}

void World::scan() {
  const std::uint64_t before = planner_.cluster().version();
  set_wants();
  const bool is_quiet = !is_changed_ && before == seen_version_;
  const Plan& plan = planner_.loop();
  if (is_quiet) score_.moves_when_quiet += plan.moved();
  score_.nodes_visited_max = std::max(score_.nodes_visited_max, plan.work.nodes_visited);
  sample(plan);
  size_balloon(plan);
  is_changed_ = !plan.ordered_now.empty();
  seen_version_ = planner_.cluster().version();
  scale(plan);
  remove_nodes(plan);
}

void World::scale(const Plan& plan) {
  for (const ScaleUp& one : plan.ordered_now) {
    for (std::int64_t i = 0; i < one.nodes; ++i) {
      const double span =
          static_cast<double>(scenario_.start_max_seconds - scenario_.start_min_seconds);
      const auto start =
          scenario_.start_min_seconds + static_cast<std::int64_t>(starts_.fraction() * span);
      const bool fails = failures_.fraction() < scenario_.order_failures;
      orders_.push_back({now_ + start, now_, one.type, fails});
      ++score_.nodes_added;
    }
  }
}

void World::remove_nodes(const Plan& plan) {
  std::map<std::string, std::int64_t> since;
  for (const std::string& name : plan.scale_down) {
    const auto known = unneeded_since_.find(name);
    since[name] = known == unneeded_since_.end() ? now_ : known->second;
  }
  unneeded_since_ = since;
  for (const std::string& name : plan.scale_down) {
    if (now_ - since[name] < settings_.unneeded_seconds) continue;
    if (now_ - machines_.at(name).ordered < kFlapSeconds && machines_.at(name).ordered > 0)
      ++score_.flapped;
    lose_node(name);
    // One removal at a time: the next loop decides whether the others are still possible.
    break;
  }
}

void World::sample(const Plan& plan) {
  ++loops_;
  const Resources asked = extra_capacity(settings_.planner.rate, planner_.cluster().capacity());
  const Resources room = plan.free_for_placeholders;
  if (room.cpu_millicores >= asked.cpu_millicores && room.memory_bytes >= asked.memory_bytes)
    ++honoured_;
  if (loops_ % 6 != 0) return;
  Resources biggest;
  for (const Workload& workload : workloads_) {
    biggest = max_of(biggest, actual_.shapes()[workload.shape].requests);
    ++probes_;
    if (guarantee(actual_, workload.shape, 1).fits_now > 0) ++probes_fit_;
  }
  for (int cpu = 1; cpu <= kGridSteps; ++cpu) {
    for (int memory = 1; memory <= kGridSteps; ++memory) {
      const ShapeId probe =
          actual_.intern(probe_shape({biggest.cpu_millicores * cpu / kGridSteps,
                                      biggest.memory_bytes / kGridSteps * memory, 1}));
      ++probes_;
      if (guarantee(actual_, probe, 1).fits_now > 0) ++probes_fit_;
    }
  }
}

void World::finish() {
  for (Workload& workload : workloads_) {
    for (const std::int64_t since : workload.unmet_since) waits_.push_back(now_ - since);
  }
  std::sort(waits_.begin(), waits_.end());
  const auto percentile = [this](std::size_t part) {
    return waits_.empty() ? 0 : waits_[std::min(waits_.size() - 1, waits_.size() * part / 100)];
  };
  score_.p50_seconds = percentile(50);
  score_.p95_seconds = percentile(95);
  score_.p99_seconds = percentile(99);
  score_.max_seconds = waits_.empty() ? 0 : waits_.back();
  for (const std::int64_t wait : waits_) {
    if (wait == 0) ++score_.at_once;
    if (wait > settings_.preemption_seconds) ++score_.for_node;
  }
  if (loops_ > 0) score_.honoured = static_cast<double>(honoured_) / static_cast<double>(loops_);
  if (probes_ > 0) score_.probes = static_cast<double>(probes_fit_) / static_cast<double>(probes_);
}

}  // namespace bellows::slack::sim
