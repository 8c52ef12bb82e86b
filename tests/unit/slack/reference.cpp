#include "tests/unit/slack/reference.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace bellows::slack::reference {

Resources World::used(const std::string& node) const {
  Resources sum;
  for (const auto& [name, pod] : pods) {
    if (pod.node == node) sum += shapes[pod.shape].requests;
  }
  return sum;
}

Resources World::held(const std::string& node) const {
  Resources sum;
  for (const auto& [age, one] : placeholders) {
    if (one.node == node) sum += shapes[one.shape].requests;
  }
  return sum;
}

Resources World::daemons(const std::string& node) const {
  Resources sum;
  for (const auto& [name, pod] : pods) {
    if (pod.node == node && shapes[pod.shape].is_daemon) sum += shapes[pod.shape].requests;
  }
  return sum;
}

bool World::is_counted(const Node& node) const {
  return node.spec.is_schedulable && (node.spec.is_ready || node.is_upcoming);
}

Resources World::capacity() const {
  Resources sum;
  for (const auto& [name, node] : nodes) {
    if (is_counted(node)) sum += at_least_zero(node.spec.allocatable - daemons(name));
  }
  return sum;
}

std::int64_t World::counted() const {
  return std::count_if(nodes.begin(), nodes.end(),
                       [this](const auto& entry) { return is_counted(entry.second); });
}

bool World::is_together(const AntiAffinity& term, const std::string& a,
                        const std::string& b) const {
  if (term.topology_key == kHostname) return a == b;
  const auto left = find_label(nodes.at(a).spec.labels, term.topology_key);
  const auto right = find_label(nodes.at(b).spec.labels, term.topology_key);
  return left && right && *left == *right;
}

bool World::has_rival(std::size_t shape, const std::string& node, bool with_held) const {
  const auto excludes = [&](std::size_t other, const std::string& where) {
    const auto applies = [&](const Shape& from, const Shape& to) {
      return std::any_of(from.anti_affinity.begin(), from.anti_affinity.end(),
                         [&](const AntiAffinity& term) {
                           return applies_to(term, to) && is_together(term, node, where);
                         });
    };
    return applies(shapes[shape], shapes[other]) || applies(shapes[other], shapes[shape]);
  };
  for (const AntiAffinity& term : shapes[shape].anti_affinity) {
    if (nodes.at(node).is_upcoming && term.topology_key != kHostname &&
        !find_label(nodes.at(node).spec.labels, term.topology_key))
      return true;
  }
  for (const auto& [name, pod] : pods) {
    if (!pod.node.empty() && excludes(pod.shape, pod.node)) return true;
  }
  if (!with_held) return false;
  return std::any_of(placeholders.begin(), placeholders.end(), [&](const auto& entry) {
    return !entry.second.node.empty() && excludes(entry.second.shape, entry.second.node);
  });
}

bool World::may_run(std::size_t shape, const std::string& node) const {
  const NodeSpec& spec = nodes.at(node).spec;
  return may_run_on(shapes[shape], spec.labels, spec.taints);
}

std::optional<std::string> World::tightest(std::size_t shape, bool for_pod, bool over,
                                           bool upcoming,
                                           const std::vector<std::string>& closed) const {
  const Resources whole = capacity();
  const Resources& requests = shapes[shape].requests;
  const bool by_memory = static_cast<__int128>(requests.memory_bytes) * whole.cpu_millicores >
                         static_cast<__int128>(requests.cpu_millicores) * whole.memory_bytes;
  std::optional<std::pair<std::int64_t, std::string>> best;
  for (const auto& [name, node] : nodes) {
    if (node.is_upcoming != upcoming || !is_counted(node)) continue;
    if (std::find(closed.begin(), closed.end(), name) != closed.end()) continue;
    Resources free = node.spec.allocatable - used(name);
    if (!over) free -= held(name);
    if (!fits(requests, free) || !may_run(shape, name) || has_rival(shape, name, !for_pod))
      continue;
    const std::pair key{by_memory ? free.memory_bytes : free.cpu_millicores, name};
    if (!best || key < *best) best = key;
  }
  if (!best) return std::nullopt;
  return best->second;
}

bool World::is_larger(std::size_t a, std::size_t b) const {
  const Resources whole = max_of(capacity(), {1, 1, 1});
  const auto part = [&whole](const Resources& of) {
    return std::max(
        static_cast<double>(of.cpu_millicores) / static_cast<double>(whole.cpu_millicores),
        static_cast<double>(of.memory_bytes) / static_cast<double>(whole.memory_bytes));
  };
  const double left = part(shapes[a].requests);
  const double right = part(shapes[b].requests);
  return left != right ? left > right : shapes[a].name < shapes[b].name;
}

double World::utilisation(const std::string& node) const {
  const Resources room = nodes.at(node).spec.allocatable - daemons(node);
  const Resources movable = used(node) - daemons(node);
  const auto part = [](std::int64_t have, std::int64_t all) {
    return all > 0 ? static_cast<double>(have) / static_cast<double>(all) : 1.0;
  };
  return std::max(part(movable.cpu_millicores, room.cpu_millicores),
                  part(movable.memory_bytes, room.memory_bytes));
}

void World::forget_assumptions() {
  for (auto pod = pods.rbegin(); pod != pods.rend(); ++pod) {
    Pod& one = pod->second;
    if (!one.is_assumed) continue;
    const Node& node = nodes.at(one.node);
    const bool stays = is_counted(node) && fits(used(one.node), node.spec.allocatable) &&
                       may_run(one.shape, one.node);
    if (!stays) one = {one.name, one.shape, "", false};
  }
  for (auto& [name, pod] : pods) {
    if (!pod.is_assumed) continue;
    const Shape& shape = shapes[pod.shape];
    const bool has_terms =
        !shape.anti_affinity.empty() ||
        std::any_of(shapes.begin(), shapes.end(), [&shape](const Shape& other) {
          return std::any_of(other.anti_affinity.begin(), other.anti_affinity.end(),
                             [&](const AntiAffinity& term) { return applies_to(term, shape); });
        });
    if (has_terms) pod = {pod.name, pod.shape, "", false};
  }
}

void World::push_out() {
  for (auto at = placeholders.rbegin(); at != placeholders.rend(); ++at) {
    std::string& on = at->second.node;
    if (on.empty()) continue;
    const auto node = nodes.find(on);
    const bool stays = node != nodes.end() && is_counted(node->second) &&
                       fits(used(on) + held(on), node->second.spec.allocatable);
    if (!stays) on.clear();
  }
  for (auto& [age, one] : placeholders) {
    if (one.node.empty()) continue;
    if (!may_run(one.shape, one.node) || has_rival(one.shape, one.node, false)) one.node.clear();
  }
}

std::vector<std::size_t> World::waiting_pods() const {
  std::set<std::size_t> found;
  for (const auto& [name, pod] : pods) {
    if (pod.node.empty() && !shapes[pod.shape].is_daemon) found.insert(pod.shape);
  }
  std::vector<std::size_t> sorted(found.begin(), found.end());
  std::sort(sorted.begin(), sorted.end(),
            [this](std::size_t a, std::size_t b) { return is_larger(a, b); });
  return sorted;
}

std::vector<std::size_t> World::held_shapes() const {
  std::set<std::size_t> found;
  for (const auto& [age, one] : placeholders) found.insert(one.shape);
  std::vector<std::size_t> sorted(found.begin(), found.end());
  std::sort(sorted.begin(), sorted.end(),
            [this](std::size_t a, std::size_t b) { return is_larger(a, b); });
  return sorted;
}

void World::place_pods(bool upcoming) {
  for (const std::size_t shape : waiting_pods()) {
    for (const bool over : {false, true}) {
      for (auto& [name, pod] : pods) {
        if (pod.shape != shape || !pod.node.empty()) continue;
        const auto node = tightest(shape, true, over, upcoming);
        if (!node) break;
        pod.node = *node;
        pod.is_assumed = true;
      }
    }
  }
}

void World::want() {
  const Average now{capacity(), counted()};
  std::set<std::string> names;
  for (const auto& [name, node] : nodes) names.insert(node.spec.type);
  const std::vector<std::string> present(names.begin(), names.end());
  if (present != average_types_ || is_outgrown(average_, now)) {
    average_ = now;
    average_types_ = present;
  }
  const Standard standard = standard_placeholder({.average = average_,
                                                  .granularity = settings.granularity,
                                                  .rate = settings.rate,
                                                  .base = capacity(),
                                                  .types = types});
  std::optional<std::size_t> shape;
  if (settings.rate.millionths > 0 && standard.count > 0) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      if (shapes[i].name == "standard" && shapes[i].requests == standard.size) shape = i;
    }
    if (!shape) {
      shapes.push_back({.name = "standard", .requests = standard.size});
      shape = shapes.size() - 1;
    }
    if (standard_ && *standard_ != *shape) {
      for (auto& [age, one] : placeholders) {
        if (one.shape != *standard_) continue;
        const std::string node = std::exchange(one.node, "");
        one.shape = *shape;
        if (node.empty() || !is_counted(nodes.at(node))) continue;
        const Resources free = nodes.at(node).spec.allocatable - used(node) - held(node);
        if (fits(standard.size, free) && may_run(*shape, node)) one.node = node;
      }
    }
    standard_ = shape;
  }
  std::set<std::size_t> kept;
  if (shape) {
    match(*shape, standard.count, standard.count + 1);
    kept.insert(*shape);
  }
  for (const Wanted& one : wanted) {
    match(one.shape, one.count, one.count);
    kept.insert(one.shape);
  }
  std::erase_if(placeholders,
                [&kept](const auto& entry) { return !kept.contains(entry.second.shape); });
}

void World::match(std::size_t shape, std::int64_t count, std::int64_t allowed) {
  const auto have = [&] {
    return std::count_if(placeholders.begin(), placeholders.end(),
                         [shape](const auto& entry) { return entry.second.shape == shape; });
  };
  while (have() < count) placeholders[next_placeholder_++] = {shape, ""};
  if (have() <= allowed) return;
  while (have() > count) {
    std::vector<std::tuple<bool, double, std::string, int>> order;
    for (const auto& [age, one] : placeholders) {
      if (one.shape != shape) continue;
      const double utilised =
          one.node.empty() ? 0 : (nodes.at(one.node).is_upcoming ? 2.0 : utilisation(one.node));
      order.emplace_back(!one.node.empty(), utilised, one.node, -age);
    }
    placeholders.erase(-std::get<3>(*std::min_element(order.begin(), order.end())));
  }
}

void World::place_placeholders(bool upcoming) {
  for (const std::size_t shape : held_shapes()) {
    for (auto& [age, one] : placeholders) {
      if (one.shape != shape || !one.node.empty()) continue;
      const auto node = tightest(shape, false, false, upcoming);
      if (!node) break;
      one.node = *node;
    }
  }
}

bool World::order_one(std::size_t shape, bool for_pod, std::int64_t count, std::string& node) {
  const NodeType* best = nullptr;
  std::tuple<double, double> best_cost;
  const bool excludes_itself =
      std::any_of(shapes[shape].anti_affinity.begin(), shapes[shape].anti_affinity.end(),
                  [&](const AntiAffinity& term) { return applies_to(term, shapes[shape]); });
  for (const NodeType& type : types) {
    std::int64_t have = 0;
    for (const auto& [name, one] : nodes) have += one.spec.type == type.name ? 1 : 0;
    if (have >= type.max_nodes || !fits(shapes[shape].requests, type.room()) ||
        !may_run_on(shapes[shape], type.labels, type.taints))
      continue;
    const std::int64_t on_one = excludes_itself ? 1 : how_many(shapes[shape].requests, type.room());
    const auto number = static_cast<double>((count + on_one - 1) / on_one);
    const std::tuple cost{number * type.price, type.price};
    if (best == nullptr || cost < best_cost) {
      best = &type;
      best_cost = cost;
    }
  }
  if (best == nullptr) return false;
  node = "ordered/" + best->name + "/" + std::to_string(next_order_);
  NodeSpec spec;
  spec.name = node;
  spec.type = best->name;
  spec.allocatable = best->allocatable;
  spec.labels = best->labels;
  spec.taints = best->taints;
  nodes[node] = {spec, true};
  if (has_rival(shape, node, !for_pod)) {
    nodes.erase(node);
    return false;
  }
  ++next_order_;
  ordered_.push_back(node);
  return true;
}

void World::order() {
  const auto before = ordered_.size();
  const auto run = [&](std::size_t shape, bool for_pod, std::vector<std::string*> waiting) {
    while (!waiting.empty()) {
      // Nodes ordered for a larger shape first, then the one ordered last.
      auto node = ordered_.size() > before ? tightest(shape, for_pod, false, true) : std::nullopt;
      std::string fresh;
      if (!node) {
        if (!order_one(shape, for_pod, static_cast<std::int64_t>(waiting.size()), fresh)) return;
        node = fresh;
      }
      *waiting.front() = *node;
      waiting.erase(waiting.begin());
    }
  };
  for (const std::size_t shape : waiting_pods()) {
    std::vector<std::string*> waiting;
    for (auto& [name, pod] : pods) {
      if (pod.shape == shape && pod.node.empty()) waiting.push_back(&pod.node);
    }
    run(shape, true, waiting);
    for (auto& [name, pod] : pods) {
      if (pod.node.starts_with("ordered/")) pod.is_assumed = true;
    }
  }
  for (const std::size_t shape : held_shapes()) {
    std::vector<std::string*> waiting;
    for (auto& [age, one] : placeholders) {
      if (one.shape == shape && one.node.empty()) waiting.push_back(&one.node);
    }
    run(shape, false, waiting);
  }
}

bool World::empty_out(const std::string& from, const std::vector<std::string>& closed) {
  std::vector<std::pair<std::size_t, std::string*>> moving;
  for (auto& [name, pod] : pods) {
    if (pod.node == from && !shapes[pod.shape].is_daemon) moving.emplace_back(pod.shape, &pod.node);
  }
  const auto by_size = [this](const auto& a, const auto& b) { return is_larger(a.first, b.first); };
  std::stable_sort(moving.begin(), moving.end(), by_size);
  for (auto& [shape, place] : moving) {
    const auto to = tightest(shape, true, false, false, closed);
    if (!to) return false;
    *place = *to;
  }
  moving.clear();
  for (auto& [age, one] : placeholders) {
    if (one.node == from) moving.emplace_back(one.shape, &one.node);
  }
  std::stable_sort(moving.begin(), moving.end(), by_size);
  for (auto& [shape, place] : moving) {
    const auto to = tightest(shape, false, false, false, closed);
    if (!to) return false;
    *place = *to;
  }
  return true;
}

void World::scale_down() {
  std::vector<std::pair<double, std::string>> candidates;
  for (const auto& [name, node] : nodes) {
    const bool may_go = std::all_of(pods.begin(), pods.end(), [&, &name = name](const auto& entry) {
      const Shape& shape = shapes[entry.second.shape];
      return entry.second.node != name || shape.is_daemon || shape.can_move;
    });
    if (node.spec.is_ready && node.spec.is_schedulable && may_go &&
        utilisation(name) < settings.scale_down_utilisation)
      candidates.emplace_back(utilisation(name), name);
  }
  std::sort(candidates.begin(), candidates.end());
  const auto most = static_cast<std::size_t>(settings.scale_down_candidates);
  if (candidates.size() > most) candidates.resize(most);
  const auto pods_before = pods;
  const auto placeholders_before = placeholders;
  std::vector<std::string> closed;
  for (const auto& [utilised, name] : candidates) {
    const auto type = std::find_if(
        types.begin(), types.end(),
        [&, &name = name](const NodeType& one) { return one.name == nodes.at(name).spec.type; });
    if (type != types.end()) {
      std::int64_t left = -type->min_nodes;
      for (const auto& [other, node] : nodes) left += node.spec.type == type->name ? 1 : 0;
      for (const std::string& gone : closed) left -= nodes.at(gone).spec.type == type->name ? 1 : 0;
      if (left <= 0) continue;
    }
    if (counted() - static_cast<std::int64_t>(closed.size()) <= 1) break;
    const auto pods_now = pods;
    const auto placeholders_now = placeholders;
    closed.push_back(name);
    if (empty_out(name, closed)) continue;
    closed.pop_back();
    pods = pods_now;
    placeholders = placeholders_now;
  }
  pods = pods_before;
  placeholders = placeholders_before;
  removable = closed;
}

void World::loop() {
  forget_assumptions();
  push_out();
  place_pods(false);
  push_out();
  want();
  place_placeholders(false);
  place_pods(true);
  push_out();
  place_placeholders(true);
  order();
  removable.clear();
  if (ordered_.empty()) scale_down();
}

void World::remove_node(const std::string& name) {
  std::erase_if(pods, [&](const auto& entry) {
    return entry.second.node == name && shapes[entry.second.shape].is_daemon;
  });
  for (auto& [pod, one] : pods) {
    if (one.node == name) one = {one.name, one.shape, "", false};
  }
  for (auto& [age, one] : placeholders) {
    if (one.node == name) one.node.clear();
  }
  nodes.erase(name);
}

void World::arrive(const NodeSpec& spec) {
  const auto oldest = std::find_if(ordered_.begin(), ordered_.end(), [&](const std::string& name) {
    return nodes.at(name).spec.type == spec.type;
  });
  nodes[spec.name] = {spec, false};
  if (oldest == ordered_.end()) return;
  for (auto& [pod, one] : pods) {
    if (one.node == *oldest) one.node = spec.name;
  }
  for (auto& [age, one] : placeholders) {
    if (one.node == *oldest) one.node = spec.name;
  }
  nodes.erase(*oldest);
  ordered_.erase(oldest);
}

std::int64_t World::fits_now(std::size_t shape) const {
  World copy = *this;
  std::int64_t count = 0;
  while (const auto node = copy.tightest(shape, true, true, false)) {
    const std::string name = "probe-" + std::to_string(count++);
    copy.pods[name] = {name, shape, *node, false};
  }
  return count;
}

}  // namespace bellows::slack::reference
