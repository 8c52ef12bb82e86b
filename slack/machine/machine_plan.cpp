#include "slack/machine/machine_plan.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/check.hpp"
#include "slack/core/guarantee.hpp"
#include "slack/core/planner.hpp"
#include "slack/machine/machine_text.hpp"

namespace bellows::slack {

namespace {

constexpr const char* kMachine = "machine";

Settings of_one_node() {
  Settings settings;
  settings.rate.millionths = 0;        // no room but what is requested
  settings.scale_down_candidates = 0;  // the one node stays
  return settings;
}

/// A service during the decision on who is scaled down.
struct Candidate {
  const MachineService* service;
  std::vector<const MachineReplica*> replicas;  // by name
  std::int64_t stay;                            // number of them that stay
};

/// The machine and its replicas for the planner.
class Room {
 public:
  explicit Room(const MachineInput& input) : planner_(of_one_node()) {
    NodeSpec node;
    node.name = kMachine;
    node.type = kMachine;
    node.allocatable = input.capacity;
    node.can_remove = false;
    CHECK(planner_.cluster().put_node(node), "a machine has no negative amounts");
  }

  void add(const MachineService& service, const MachineReplica& replica) {
    CHECK(planner_.cluster().put_pod(
              {name_of(service, replica), shape_of(service, replica.size), kMachine}),
          "the machine of a replica is there");
  }
  void remove(const MachineService& service, const MachineReplica& replica) {
    CHECK(planner_.cluster().remove_pod(name_of(service, replica)), "a replica is taken out twice");
  }
  void keep_room_for(const MachineService& service) {
    planner_.set_wanted({{.name = service.name,
                          .why = "its next replica",
                          .shape = shape_of(service, service.next),
                          .count = 1,
                          .is_part_of_rate = false}});
  }
  /// Returns true if all replicas fit, and the next one for which room is reserved.
  bool has_room() { return planner_.loop().unmet.empty() && !is_over_committed(); }
  std::int64_t fit_more(const MachineService& service) {
    const ShapeId shape = shape_of(service, service.next);
    return planner_.cluster().fitting(shape, node_id(), Holder::kPod, kNotCounted);
  }
  Resources used() const { return node().used; }
  bool is_over_committed() const { return !fits({}, node().free_for_pods()); }

 private:
  static std::string name_of(const MachineService& service, const MachineReplica& replica) {
    return service.name + "/" + replica.name;
  }
  ShapeId shape_of(const MachineService& service, Resources size) {
    size.pods = 1;
    Shape shape = probe_shape(size);
    shape.name = service.name;
    return planner_.cluster().intern(std::move(shape));
  }
  NodeId node_id() const { return planner_.cluster().find_node(kMachine); }
  const Node& node() const { return planner_.cluster().node(node_id()); }

  Planner planner_;
};

std::vector<Candidate> candidates_of(const MachineInput& input) {
  std::vector<Candidate> all;
  for (const MachineService& service : input.services) {
    Candidate one{&service, {}, static_cast<std::int64_t>(service.replicas.size())};
    for (const MachineReplica& replica : service.replicas) one.replicas.push_back(&replica);
    std::ranges::sort(one.replicas, {}, [](const MachineReplica* r) { return r->name; });
    all.push_back(std::move(one));
  }
  std::ranges::sort(all, {}, [](const Candidate& one) { return one.service->name; });
  return all;
}

/// Returns true if more load would take more replicas.
bool may_grow(const Candidate& one) {
  return one.service->max_scale == 0 || one.service->needed < one.service->max_scale;
}

const Candidate* busiest_of(const std::vector<Candidate>& all, const std::string& before) {
  const Candidate* busiest = nullptr;
  double most = 0;
  for (const Candidate& one : all) {
    if (one.service->demand <= 0 || !may_grow(one)) continue;
    const bool was_busiest = one.service->name == before;
    const double demand = one.service->demand * (was_busiest ? 1 + kClearlyBusier : 1);
    if (demand <= most) continue;
    most = demand;
    busiest = &one;
  }
  return busiest;
}

/// Returns the service to scale down next: an idle one, then the one with most replicas that it
/// does not need.
Candidate* next_to_come_down(std::vector<Candidate>& all, const MachineService* busiest) {
  Candidate* next = nullptr;
  const auto rank = [](const Candidate& one) {
    return std::tuple(one.service->demand <= 0, one.stay - one.service->needed);
  };
  for (Candidate& one : all) {
    if (one.service == busiest || one.stay <= one.service->needed) continue;
    if (next == nullptr || rank(*next) < rank(one)) next = &one;
  }
  return next;
}

/// Removes replicas one by one until there is room, and restores those whose removal was
/// unnecessary. Returns false if there is no room even then.
bool make_room(Room& room, std::vector<Candidate>& all, const MachineService* busiest) {
  std::vector<Candidate*> out;
  const auto take_out = [&room](Candidate& one) {
    --one.stay;
    room.remove(*one.service, *one.replicas[static_cast<std::size_t>(one.stay)]);
  };
  while (!room.has_room()) {
    Candidate* const one = next_to_come_down(all, busiest);
    if (one == nullptr) break;
    take_out(*one);
    out.push_back(one);
  }
  const bool has_room = room.has_room();
  for (auto at = out.rbegin(); at != out.rend(); ++at) {
    Candidate& one = **at;
    const bool was_over = room.is_over_committed();
    room.add(*one.service, *one.replicas[static_cast<std::size_t>(one.stay)]);
    ++one.stay;
    const bool had_no_effect = !has_room && !was_over && !room.is_over_committed();
    if (room.has_room() || had_no_effect) continue;
    take_out(one);
  }
  return has_room;
}

}  // namespace

MachinePlan plan_machine(const MachineInput& input) {
  Room room(input);
  std::vector<Candidate> all = candidates_of(input);
  for (const Candidate& one : all) {
    for (const MachineReplica* replica : one.replicas) room.add(*one.service, *replica);
  }
  MachinePlan plan{.capacity = input.capacity, .used = room.used()};
  for (const Candidate& one : all) {
    plan.services.push_back({.name = one.service->name,
                             .service = one.service->service,
                             .replicas = one.stay,
                             .next = one.service->next,
                             .fit_more = room.fit_more(*one.service),
                             .limit = std::nullopt});
  }
  const Candidate* const busiest = busiest_of(all, input.busiest_before);
  if (busiest != nullptr) {
    plan.busiest = busiest->service->name;
    // A replica beyond the needed ones is its next one, and it runs already.
    if (busiest->stay <= busiest->service->needed) room.keep_room_for(*busiest->service);
  }
  const MachineService* const kept_for = busiest == nullptr ? nullptr : busiest->service;
  const bool has_room = make_room(room, all, kept_for);
  plan.is_room_kept = busiest != nullptr && has_room;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].stay < plan.services[i].replicas) plan.services[i].limit = all[i].stay;
  }
  plan.unmet = machine_unmet(input, plan);
  return plan;
}

}  // namespace bellows::slack
