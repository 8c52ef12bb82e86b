// Makes the plan of a loop from the state after it.
#include <algorithm>
#include <string_view>

#include "slack/core/guarantee.hpp"
#include "slack/core/planner.hpp"

namespace bellows::slack {

std::string Planner::name_of(ShapeId shape) const {
  for (const Want& want : wants_) {
    if (want.shape == shape) return want.name;
  }
  return cluster_.shapes()[shape].name;
}

void Planner::describe() {
  plan_.desired = extra_;
  plan_.ordered_now.clear();
  for (const auto& [type, count] : ordered_now_) plan_.ordered_now.push_back({type, count});
  describe_shapes();
  describe_unmet();
  plan_.free_for_placeholders = cluster_.room();
  plan_.work = cluster_.work;
}

void Planner::describe_shapes() {
  plan_.placeholders.clear();
  plan_.held = {};
  for (const Want& want : wants_) {
    const Resources& requests = cluster_.shapes()[want.shape].requests;
    ShapePlan row{.shape = want.name, .why = want.why, .requests = requests};
    row.count = placeholders_.count(want.shape);
    row.pending = placeholders_.pending(want.shape);
    for (const NodeId id : upcoming_) {
      const auto& held = cluster_.node(id).held_shapes;
      row.pending += std::count(held.begin(), held.end(), want.shape);
    }
    row.placed = row.count - row.pending;
    row.moved = placeholders_.take_moved(want.shape);
    plan_.held += requests * row.placed;
    plan_.placeholders.push_back(std::move(row));
  }
}

void Planner::describe_unmet() {
  plan_.unmet = notes_;
  const auto add = [this](ShapeId shape, const std::string& object, std::int64_t count) {
    const Shape& one = cluster_.shapes()[shape];
    if (!one.unchecked.empty()) {
      plan_.unmet.push_back({object, one.unchecked, one.name,
                             "it is not checked, so nothing is planned for it", count});
      return;
    }
    std::vector<Unmet> reasons = no_type_takes(cluster_, shape, types_);
    if (reasons.empty()) {
      reasons.push_back({"", "anti-affinity", one.name,
                         "the zone of a node is not known before it is there: want a type of node "
                         "whose labels name its zone"});
    }
    for (Unmet& unmet : reasons) {
      unmet.object = object;
      unmet.count = count;
      plan_.unmet.push_back(std::move(unmet));
    }
  };
  for (const auto& [shape, pods] : cluster_.pending()) {
    std::string_view first;
    for (const PodId pod : pods) {
      const std::string_view name = cluster_.pod(pod).name.view();
      if (first.empty() || name < first) first = name;
    }
    add(shape, "pod " + std::string(first), static_cast<std::int64_t>(pods.size()));
  }
  for (const Want& want : wants_) {
    const std::int64_t nowhere = placeholders_.pending(want.shape);
    if (nowhere > 0) add(want.shape, "placeholder " + want.name, nowhere);
  }
  std::sort(plan_.unmet.begin(), plan_.unmet.end(), [](const Unmet& a, const Unmet& b) {
    return a.object != b.object ? a.object < b.object : a.field < b.field;
  });
}

}  // namespace bellows::slack
