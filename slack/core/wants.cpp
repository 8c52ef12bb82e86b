// Determines the placeholders that a planner wants: the extra capacity of the rate, the biggest
// pods, mirrors.
#include <algorithm>
#include <tuple>

#include "base/quantity_text.hpp"
#include "slack/core/planner.hpp"

namespace bellows::slack {

namespace {

/// Adds a want. Two wants of one shape are merged: k pods of it find room (E9).
void add_want(std::vector<Want>& wants, Want more) {
  for (Want& want : wants) {
    if (want.shape != more.shape) continue;
    want.count = std::max(want.count, more.count);
    return;
  }
  wants.push_back(std::move(more));
}

}  // namespace

void Planner::keep_average() {
  const Average now{.total = cluster_.capacity(), .nodes = cluster_.counted_nodes()};
  std::vector<std::string> types = cluster_.types();
  if (average_ && types == average_types_ && !is_outgrown(*average_, now)) return;
  average_ = now;
  average_types_ = std::move(types);
}

std::vector<Want> Planner::wants() {
  notes_.clear();
  keep_average();
  base_ = settings_.base == Base::kCapacity ? cluster_.capacity() : cluster_.requested();
  extra_ = extra_capacity(settings_.rate, base_);
  std::vector<Want> wants;
  add_standard(wants);
  add_mirrors(wants);
  for (const Want& one : wanted_) add_want(wants, one);
  return wants;
}

void Planner::add_standard(std::vector<Want>& wants) {
  std::vector<Resources> taken;
  StandardInput input{.average = *average_,
                      .granularity = settings_.granularity,
                      .rate = settings_.rate,
                      .base = base_,
                      .types = types_,
                      .biggest = {}};
  if (settings_.sizing != Sizing::kAverage && settings_.rate.millionths > 0) {
    add_biggest(wants, taken);
    for (ShapeId shape = 0; shape < cluster_.shapes().size(); ++shape) {
      if (cluster_.pods_of(shape) > 0 && !cluster_.shapes()[shape].is_daemon)
        input.biggest = max_of(input.biggest, cluster_.shapes()[shape].requests);
    }
    for (const Resources& pod : taken) input.taken += pod;
  }
  for (const Want& one : wanted_) {
    if (!one.is_part_of_rate) continue;
    const Resources& requests = cluster_.shapes()[one.shape].requests;
    input.taken += requests * one.count;
    input.biggest = max_of(input.biggest, requests);
  }
  const Standard standard = standard_placeholder(input);
  if (settings_.rate.millionths == 0 || standard.count == 0) return;
  const ShapeId shape =
      cluster_.intern({.name = "standard",
                       .requests = {standard.size.cpu_millicores, standard.size.memory_bytes, 1}});
  wants.push_back({"standard", "extra capacity", shape, standard.count});
}

/// Returns the pods with most CPU and with most memory; one pod may be both (E7).
std::vector<ShapeId> Planner::biggest_pods() const {
  std::vector<ShapeId> found;
  const auto find = [&](auto less) {
    std::optional<ShapeId> best;
    for (ShapeId shape = 0; shape < cluster_.shapes().size(); ++shape) {
      ++cluster_.work.shapes_visited;
      const Shape& one = cluster_.shapes()[shape];
      if (cluster_.pods_of(shape) == 0 || one.is_daemon || one.is_exempt || !one.unchecked.empty())
        continue;
      if (!best || less(cluster_.shapes()[*best], one)) best = shape;
    }
    if (best && std::find(found.begin(), found.end(), *best) == found.end()) found.push_back(*best);
  };
  // If the first amount is equal, the other one decides, then the name, so that the order of the
  // input has no effect.
  find([](const Shape& a, const Shape& b) {
    return std::tuple(a.requests.cpu_millicores, a.requests.memory_bytes,
                      std::string_view(b.name)) <
           std::tuple(b.requests.cpu_millicores, b.requests.memory_bytes, std::string_view(a.name));
  });
  find([](const Shape& a, const Shape& b) {
    return std::tuple(a.requests.memory_bytes, a.requests.cpu_millicores,
                      std::string_view(b.name)) <
           std::tuple(b.requests.memory_bytes, b.requests.cpu_millicores, std::string_view(a.name));
  });
  return found;
}

void Planner::add_biggest(std::vector<Want>& wants, std::vector<Resources>& taken) {
  const std::vector<ShapeId> biggest = biggest_pods();
  if (settings_.sizing == Sizing::kOneBiggest && biggest.size() > 1) {
    add_one_biggest(biggest, wants, taken);
    if (!taken.empty()) return;
  }
  for (const ShapeId shape : biggest) {
    add_want(wants, {cluster_.shapes()[shape].name, "biggest pod", shape, 1});
    taken.push_back(cluster_.shapes()[shape].requests);
  }
}

/// Adds one pod of the most CPU and the most memory, which holds any pod. It is used if the
/// cheapest node that takes each real pod takes it too; otherwise it would make nodes larger than
/// any pod needs (E8, R5).
void Planner::add_one_biggest(const std::vector<ShapeId>& biggest, std::vector<Want>& wants,
                              std::vector<Resources>& taken) {
  Resources whole;
  std::vector<Resources> pods;
  for (const ShapeId shape : biggest) {
    pods.push_back(cluster_.shapes()[shape].requests);
    whole = max_of(whole, pods.back());
  }
  const NodeType* type = cheapest_for_all(types_, pods);
  if (type == nullptr || !fits(whole, type->room())) {
    notes_.push_back(
        {.object = "placeholder biggest",
         .field = "size",
         .value = to_string(Millicores{whole.cpu_millicores}) + " " +
                  to_string(Bytes{whole.memory_bytes}),
         .reason = std::string("one pod with the most CPU and the most memory does not fit ") +
                   (type == nullptr ? "a type of node that takes every pod"
                                    : "the cheapest type that takes every pod, " + type->name) +
                   ": room is kept for the two biggest pods instead, and a pod between them may "
                   "find none (R7)"});
    return;
  }
  const ShapeId shape = cluster_.intern({.name = "biggest", .requests = whole});
  add_want(wants, {"biggest", "any pod up to the biggest", shape, 1});
  taken.push_back(whole);
}

void Planner::add_mirrors(std::vector<Want>& wants) const {
  for (const ShapeId shape : cluster_.mirrored()) {
    ++cluster_.work.shapes_visited;
    const Shape& one = cluster_.shapes()[shape];
    if (cluster_.pods_of(shape) > 0) add_want(wants, {one.name, "mirror", shape, one.mirrors});
  }
}

}  // namespace bellows::slack
