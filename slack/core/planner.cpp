#include "slack/core/planner.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "slack/core/placement.hpp"
#include "slack/core/scale_down.hpp"

namespace bellows::slack {

Planner::Planner(const Settings& settings) : settings_(settings) {}

void Planner::set_types(std::vector<NodeType> types) {
  std::sort(types.begin(), types.end(),
            [](const NodeType& a, const NodeType& b) { return a.name < b.name; });
  types_ = std::move(types);
  is_changed_ = true;
}

void Planner::set_wanted(std::vector<Want> wanted) {
  if (wanted == wanted_) return;
  wanted_ = std::move(wanted);
  is_changed_ = true;
}

void Planner::set_rate(Rate rate) {
  settings_.rate = rate;
  is_changed_ = true;
}

Result<void> Planner::node_arrived(const NodeSpec& spec) {
  const auto ordered = std::find_if(upcoming_.begin(), upcoming_.end(),
                                    [&](NodeId id) { return cluster_.node(id).type == spec.type; });
  if (ordered == upcoming_.end()) {
    BELLOWS_CHECKED(cluster_.put_node(spec));
    return {};
  }
  BELLOWS_CHECKED(cluster_.arrive(*ordered, spec));
  upcoming_.erase(ordered);
  return {};
}

void Planner::node_boots(const NodeType& type, const std::string& name) {
  upcoming_.push_back(cluster_.add_upcoming(type, name));
  is_changed_ = true;
}

void Planner::order_failed(std::string_view type, std::int64_t count) {
  // The youngest orders are cancelled.
  for (auto at = upcoming_.size(); at > 0 && count > 0; --at) {
    const NodeId id = upcoming_[at - 1];
    if (cluster_.node(id).type != type) continue;
    cluster_.drop_upcoming(id);
    upcoming_.erase(upcoming_.begin() + static_cast<std::ptrdiff_t>(at - 1));
    --count;
  }
}

const Plan& Planner::loop() {
  cluster_.work = {};
  ordered_now_.clear();
  if (!is_changed_ && cluster_.version() == seen_version_) {
    plan_.work = {};
    plan_.ordered_now.clear();
    for (ShapePlan& one : plan_.placeholders) one.moved = 0;
    return plan_;
  }
  is_changed_ = false;
  place_restored();
  const std::vector<NodeId> touched = cluster_.take_touched();
  recheck_assumed(touched);
  for (const NodeId id : touched) push_out_of(id);
  push_out();
  place_pods(Where::kReady);
  push_out();
  apply(wants());
  place_placeholders(Where::kReady);
  place_pods(Where::kUpcoming);
  push_out();
  place_placeholders(Where::kUpcoming);
  order_nodes();
  plan_.scale_down.clear();
  if (upcoming_.empty()) plan_.scale_down = ScaleDown(*this).removable();
  cluster_.take_touched();
  describe();
  // New nodes increase the capacity, so the next loop runs even if nothing else changes.
  is_changed_ = !ordered_now_.empty();
  seen_version_ = cluster_.version();
  seen_rivalry_ = cluster_.rivalry_version();
  return plan_;
}

void Planner::recheck_assumed(const std::vector<NodeId>& touched) {
  for (const NodeId id : touched) {
    const Node& node = cluster_.node(id);
    if (!node.is_there || node.assumed == 0) continue;
    std::vector<PodId> assumed;
    for (const PodId pod : node.pods) {
      if (cluster_.pod(pod).is_assumed) assumed.push_back(pod);
    }
    std::sort(assumed.begin(), assumed.end(), [this](PodId a, PodId b) {
      return cluster_.pod(a).name.view() > cluster_.pod(b).name.view();
    });
    for (const PodId pod : assumed) {
      const bool stays = node.is_counted() && fits({}, node.free_for_pods()) &&
                         cluster_.is_permitted(cluster_.pod(pod).shape, id);
      if (!stays) cluster_.forget_assumption(pod);
    }
  }
  // The positions of rivals change with any of their pods, so these pods are placed again.
  if (cluster_.shapes().terms() == 0) return;
  for (const PodId pod : cluster_.assumed()) {
    const ShapeId shape = cluster_.pod(pod).shape;
    const bool has_terms =
        !cluster_.shapes().carried(shape).empty() || !cluster_.shapes().matched(shape).empty();
    if (has_terms) cluster_.forget_assumption(pod);
  }
}

void Planner::place_pods(Where where) {
  std::vector<ShapeId> groups;
  for (const auto& entry : cluster_.pending()) {
    if (cluster_.shapes()[entry.first].unchecked.empty()) groups.push_back(entry.first);
  }
  std::sort(groups.begin(), groups.end(), LargestFirst(cluster_));
  for (const ShapeId shape : groups) {
    std::vector<PodId> pods = pending_of(shape);
    const Put put = assume_last_of(pods);
    auto left = static_cast<std::int64_t>(pods.size());
    left = fill(cluster_, shape, Holder::kPod, where, left, put);
    fill_over(cluster_, placeholders_, shape, where, left, put);
  }
}

std::vector<PodId> Planner::pending_of(ShapeId shape) const {
  std::vector<PodId> pods = cluster_.pending().at(shape);
  std::sort(pods.begin(), pods.end(), [this](PodId a, PodId b) {
    return cluster_.pod(a).name.view() > cluster_.pod(b).name.view();
  });
  return pods;
}

Put Planner::assume_last_of(std::vector<PodId>& pods) {
  return [this, &pods](NodeId node, std::int64_t count) {
    for (; count > 0; --count) {
      cluster_.assume(pods.back(), node);
      pods.pop_back();
    }
  };
}

void Planner::push_out() {
  for (const NodeId id : cluster_.take_touched()) push_out_of(id);
  if (cluster_.rivalry_version() == seen_rivalry_) return;
  // A pod excludes placeholders of its rivals from the whole zone, and not only from its node.
  for (const ShapeId shape : placeholders_.shapes()) {
    if (cluster_.shapes().carried(shape).empty() && cluster_.shapes().matched(shape).empty())
      continue;
    for (const PlaceholderId id : placeholders_.of(shape)) {
      const NodeId node = placeholders_[id].node;
      if (node == kNoNode || cluster_.has_no_rival(shape, node, Holder::kPod)) continue;
      placeholders_.evict(id);
      ++cluster_.work.evictions;
    }
  }
}

/// Returns true for the usual changed node: it has no placeholder, or keeps those it has.
bool Planner::is_at_peace(NodeId id) const {
  const Node& node = cluster_.node(id);
  if (!node.is_there) return false;
  const auto is_permitted = [&](ShapeId shape) { return cluster_.is_permitted(shape, id); };
  return node.held_shapes.empty() ||
         (node.is_counted() && fits({}, node.free()) &&
          std::all_of(node.held_shapes.begin(), node.held_shapes.end(), is_permitted));
}

void Planner::push_out_of(NodeId id) {
  if (is_at_peace(id)) return;
  std::vector<PlaceholderId> held = placeholders_.on(id);
  while (!held.empty()) {
    const PlaceholderId youngest = held.back();
    const Node& node = cluster_.node(id);
    const bool stays = node.is_counted() && fits({}, node.free());
    if (stays) break;
    held.pop_back();
    placeholders_.evict(youngest);
    ++cluster_.work.evictions;
  }
  for (const PlaceholderId one : held) {
    if (cluster_.is_permitted(placeholders_[one].shape, id)) continue;
    placeholders_.evict(one);
    ++cluster_.work.evictions;
  }
}

void Planner::apply(std::vector<Want> wants) {
  reshape_standard(wants);
  std::set<ShapeId> kept;
  for (const Want& want : wants) {
    kept.insert(want.shape);
    match_count(want);
  }
  for (const ShapeId shape : placeholders_.shapes()) {
    if (kept.contains(shape)) continue;
    for (const PlaceholderId id : placeholders_.of(shape)) placeholders_.remove(id);
  }
  wants_ = std::move(wants);
}

void Planner::reshape_standard(const std::vector<Want>& wants) {
  const auto now = std::find_if(wants.begin(), wants.end(),
                                [](const Want& want) { return want.name == "standard"; });
  if (now == wants.end()) return;
  const std::optional<ShapeId> before = std::exchange(standard_, now->shape);
  if (!before || *before == now->shape) return;
  for (const PlaceholderId id : placeholders_.of(*before)) {
    const NodeId node = placeholders_[id].node;
    placeholders_.reshape(id, now->shape);
    if (node == kNoNode) continue;
    if (cluster_.fitting(now->shape, node, Holder::kPlaceholder, 1) > 0)
      placeholders_.place(id, node);
  }
}

void Planner::match_count(const Want& want) {
  const std::int64_t have = placeholders_.count(want.shape);
  for (std::int64_t missing = want.count - have; missing > 0; --missing)
    placeholders_.add(want.shape);
  // One more than wanted stays, so that a node that is added and removed changes nothing.
  const bool is_standard = want.name == "standard" && want.count > 0;
  const std::int64_t allowed = want.count + (is_standard ? 1 : 0);
  if (have > allowed) remove_excess(want.shape, have - want.count);
}

void Planner::remove_excess(ShapeId shape, std::int64_t count) {
  std::vector<PlaceholderId> pending = placeholders_.pending_of(shape);
  for (; count > 0 && !pending.empty(); --count) {
    placeholders_.remove(pending.back());
    pending.pop_back();
  }
  if (count == 0) return;
  struct Placed {
    double utilisation;
    PlaceholderId id;
  };
  std::vector<Placed> placed;
  for (const PlaceholderId id : placeholders_.of(shape)) {
    const Node& node = cluster_.node(placeholders_[id].node);
    // An ordered node is empty so far, but it will be used.
    placed.push_back({node.is_upcoming ? 2.0 : node.utilisation(), id});
  }
  std::sort(placed.begin(), placed.end(), [this](const Placed& a, const Placed& b) {
    if (a.utilisation != b.utilisation) return a.utilisation < b.utilisation;
    const std::string& left = cluster_.node(placeholders_[a.id].node).name;
    const std::string& right = cluster_.node(placeholders_[b.id].node).name;
    return left != right ? left < right : a.id > b.id;
  });
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    placeholders_.remove(placed[i].id);
}

void Planner::place_placeholders(Where where) {
  std::vector<ShapeId> shapes = placeholders_.shapes();
  std::sort(shapes.begin(), shapes.end(), LargestFirst(cluster_));
  for (const ShapeId shape : shapes) {
    if (!cluster_.shapes()[shape].unchecked.empty()) continue;
    const std::vector<PlaceholderId> pending = placeholders_.pending_of(shape);
    std::size_t next = 0;
    fill(cluster_, shape, Holder::kPlaceholder, where, static_cast<std::int64_t>(pending.size()),
         [&](NodeId node, std::int64_t count) {
           for (; count > 0; --count) placeholders_.place(pending[next++], node);
         });
  }
}

SavedState Planner::save() const {
  SavedState saved;
  if (average_) saved.average = *average_;
  saved.types = average_types_;
  for (const auto& [id, one] : placeholders_.all()) {
    if (one.node == kNoNode || cluster_.node(one.node).is_upcoming) continue;
    saved.placeholders.push_back({name_of(one.shape), cluster_.node(one.node).name});
  }
  return saved;
}

void Planner::restore(const SavedState& saved) {
  if (saved.average.nodes > 0) average_ = saved.average;
  average_types_ = saved.types;
  restored_ = saved.placeholders;
  is_changed_ = true;
}

void Planner::place_restored() {
  if (restored_.empty()) return;
  const std::vector<SavedPlaceholder> restored = std::exchange(restored_, {});
  std::vector<Want> wanted = wants();
  reshape_standard(wanted);
  for (const SavedPlaceholder& one : restored) {
    const auto want = std::find_if(wanted.begin(), wanted.end(),
                                   [&](const Want& w) { return w.name == one.shape; });
    const NodeId node = cluster_.find_node(one.node);
    if (want == wanted.end() || want->count == 0) continue;
    --want->count;
    const PlaceholderId id = placeholders_.add(want->shape);
    const bool has_room =
        node != kNoNode && cluster_.fitting(want->shape, node, Holder::kPlaceholder, 1) > 0;
    if (has_room) placeholders_.place(id, node);
  }
}

}  // namespace bellows::slack
