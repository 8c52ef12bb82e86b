#include "machine/service/room_keeper.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <limits>
#include <utility>

#include "base/quantity_text.hpp"
#include "base/sys/log.hpp"
#include "metrics/prometheus/revision_labels.hpp"
#include "slack/machine/machine_text.hpp"

namespace bellows::machine {
namespace {

using autoscaler::ScaledRevision;
using slack::Resources;

template <class Amount>
std::string too_much(const char* name, Amount set, Amount has) {
  return std::string(name) + ": " + to_string(set) + " is more than the " + to_string(has) +
         " of this machine: want at most that";
}

/// Returns the requests; without one, the hard limit, as in Kubernetes.
ReplicaSize configured(const config::ResourcesSettings& settings) {
  return {.cpu = settings.cpu ? settings.cpu : settings.cpu_limit,
          .memory = settings.memory ? settings.memory : settings.memory_limit,
          .memory_limit = std::nullopt};
}

/// Returns `size`, with `otherwise` for what it leaves open.
Resources amounts_of(const ReplicaSize& size, const ReplicaSize& otherwise) {
  const auto cpu = size.cpu ? size.cpu : otherwise.cpu;
  const auto memory = size.memory ? size.memory : otherwise.memory;
  return {cpu.value_or(Millicores{}).value, memory.value_or(Bytes{}).value, 0};
}

ReplicaSize size_of(const Resources& amounts) {
  return {.cpu = Millicores{amounts.cpu_millicores},
          .memory = Bytes{amounts.memory_bytes},
          .memory_limit = std::nullopt};
}

bool is_sized(const ReplicaSize& size) {
  return size.cpu.value_or(Millicores{}).value > 0 || size.memory.value_or(Bytes{}).value > 0;
}

bool stays(const cluster::Replica& replica) {
  using Phase = cluster::ReplicaPhase;
  return replica.phase != Phase::kDraining && replica.phase != Phase::kGone;
}

/// Returns the amounts that are counted.
boost::json::object amounts_json(const Resources& amounts, const Resources& capacity) {
  boost::json::object object;
  if (capacity.cpu_millicores < slack::kNotCounted)
    object["cpu_millicores"] = amounts.cpu_millicores;
  if (capacity.memory_bytes < slack::kNotCounted) object["memory_bytes"] = amounts.memory_bytes;
  return object;
}

/// Returns true if some number of its replicas is too many.
bool is_bounded(const slack::ServiceRoom& room) {
  return room.fit_more < std::numeric_limits<PodCount>::max();
}

boost::json::array services_json(const slack::MachinePlan& plan) {
  boost::json::array services;
  for (const slack::ServiceRoom& room : plan.services) {
    boost::json::object one{{"name", room.name},
                            {"service", room.service},
                            {"replicas", room.replicas},
                            {"next", amounts_json(room.next, plan.capacity)}};
    if (is_bounded(room)) one["fit_more"] = room.fit_more;
    if (room.limit) one["limit"] = *room.limit;
    services.push_back(std::move(one));
  }
  return services;
}

boost::json::array unmet_json(const slack::MachinePlan& plan) {
  boost::json::array all;
  for (const slack::Unmet& unmet : plan.unmet) {
    all.push_back({{"object", unmet.object},
                   {"field", unmet.field},
                   {"value", unmet.value},
                   {"reason", unmet.reason}});
  }
  return all;
}

/// `next`: the size of its next replica, as far as it is recommended.
bool has_size(const ScaledRevision& revision, const ReplicaSize& next) {
  const cluster::Revision& listed = revision.observed.listed();
  if (listed.is_retired()) return false;
  return is_sized(next) || is_sized(configured(listed.settings.resources)) ||
         std::ranges::any_of(listed.replicas, [](const cluster::ReplicaPtr& replica) {
           return stays(*replica) && is_sized(replica->size);
         });
}

}  // namespace

MachineCapacity capacity_of(std::optional<Millicores> cpu, std::optional<Bytes> memory,
                            const ReplicaSize& has) {
  MachineCapacity capacity;
  const auto set = [](const auto& setting, const auto& machine, std::int64_t& amount) {
    if (setting) {
      amount = slack::counted(setting->value);
    } else if (machine) {
      amount = machine->value;
    }
  };
  set(cpu, has.cpu, capacity.amounts.cpu_millicores);
  set(memory, has.memory, capacity.amounts.memory_bytes);
  if (cpu && has.cpu && *cpu > *has.cpu) capacity.note = too_much("machine-cpu", *cpu, *has.cpu);
  if (memory && has.memory && *memory > *has.memory) {
    capacity.note +=
        (capacity.note.empty() ? "" : "; ") + too_much("machine-memory", *memory, *has.memory);
  }
  return capacity;
}

slack::MachineService machine_service(const ScaledRevision& revision, const ReplicaSize& next) {
  const cluster::Revision& listed = revision.observed.listed();
  slack::MachineService service;
  service.name = revision.id().text();
  service.service = listed.service_id().text();
  service.next = amounts_of(next, configured(listed.settings.resources));
  service.max_scale = revision.spec.max_scale;
  for (const cluster::ReplicaPtr& replica : listed.replicas) {
    if (!stays(*replica)) continue;
    service.replicas.push_back(
        {replica->name.text(), amounts_of(replica->size, size_of(service.next))});
  }
  const bool is_decided = revision.journal.size() > 0 && !listed.is_paused();
  service.needed =
      is_decided ? revision.needed : static_cast<std::int64_t>(service.replicas.size());
  service.demand = revision.demand;
  return service;
}

RoomKeeper::RoomKeeper(const autoscaler::RevisionRegistry& registry, MachineCapacity capacity,
                       NextSize next_size, metrics::prometheus::Registry& metrics)
    : registry_(registry), capacity_(std::move(capacity)), next_size_(std::move(next_size)) {
  using metrics::prometheus::AddSeries;
  if (!capacity_.note.empty()) sys::log::warning(capacity_.note);
  const auto show = [&](const char* name, const char* help, std::int64_t Resources::*amount,
                        double unit) {
    series_.push_back(metrics.list_gauges(name, help, [this, amount, unit](const AddSeries& add) {
      if (!is_sized_ || plan_.capacity.*amount >= slack::kNotCounted) return;
      add({{"kind", "capacity"}}, static_cast<double>(plan_.capacity.*amount) / unit);
      add({{"kind", "requested"}}, static_cast<double>(plan_.used.*amount) / unit);
    }));
  };
  show("bellows_machine_memory_bytes", "Memory for replicas, and the part that they request",
       &Resources::memory_bytes, 1);
  show("bellows_machine_cpu_cores", "CPU for replicas, and the part that they request",
       &Resources::cpu_millicores, 1000);
  series_.push_back(metrics.list_gauges(
      "bellows_machine_more_replicas", "Next replicas of a service that fit on the machine",
      [this](const AddSeries& add) {
        for (const slack::ServiceRoom& room : plan_.services) {
          if (!is_sized_ || !is_bounded(room)) continue;
          add({{metrics::prometheus::kRevisionLabel, room.name},
               {metrics::prometheus::kServiceLabel, room.service}},
              static_cast<double>(room.fit_more));
        }
      }));
}

autoscaler::RoomSeen RoomKeeper::room_of(const RevisionId& revision, TimePoint now) {
  plan_if_due(now);
  const auto found = by_name_.find(revision.text());
  if (!is_sized_ || found == by_name_.end()) return {};
  const slack::ServiceRoom& room = *found->second;
  autoscaler::RoomSeen seen;
  if (room.limit) seen.limit = static_cast<PodCount>(*room.limit);
  if (is_bounded(room)) seen.more = static_cast<PodCount>(room.fit_more);
  return seen;
}

std::string RoomKeeper::status(TimePoint now) {
  plan(now);
  if (!is_sized_) return {};
  boost::json::object machine{{"capacity", amounts_json(plan_.capacity, plan_.capacity)},
                              {"requested", amounts_json(plan_.used, plan_.capacity)},
                              {"room_kept", plan_.is_room_kept},
                              {"services", services_json(plan_)},
                              {"unmet", unmet_json(plan_)}};
  if (!plan_.busiest.empty()) machine["busiest"] = by_name_.at(plan_.busiest)->service;
  if (!capacity_.note.empty()) machine["note"] = capacity_.note;
  return boost::json::serialize(machine);
}

/// The autoscaler asks about a new service before it is listed. Thousands that arrive together
/// share plans.
void RoomKeeper::plan_if_due(TimePoint now) {
  const Duration age = planned_ ? now - *planned_ : kPlanPeriod;
  const std::size_t revisions = registry_.size();
  const std::size_t more = revisions - std::min(planned_revisions_, revisions);
  const bool is_other = planned_revisions_ != revisions &&
                        (age >= kNewPlanPeriod || more * kShareOfNew >= planned_revisions_);
  if (age >= kPlanPeriod || is_other) plan(now);
}

/// Without sizes, the usual case, each of thousands of services costs one check.
void RoomKeeper::plan(TimePoint now) {
  planned_ = now;
  planned_revisions_ = registry_.size();
  is_sized_ = false;
  registry_.for_each([this](const RevisionId& id, const ScaledRevision& revision) {
    is_sized_ = is_sized_ || has_size(revision, next_size_(id));
  });
  if (!is_sized_) return;
  slack::MachineInput input{
      .capacity = capacity_.amounts, .services = {}, .busiest_before = plan_.busiest};
  registry_.for_each([&](const RevisionId& id, const ScaledRevision& revision) {
    if (revision.observed.listed().is_retired()) return;
    input.services.push_back(machine_service(revision, next_size_(id)));
  });
  plan_ = slack::plan_machine(input);
  by_name_.clear();
  for (const slack::ServiceRoom& room : plan_.services) by_name_.emplace(room.name, &room);
  tell();
}

/// Logs a problem once while it holds.
void RoomKeeper::tell() {
  std::set<std::string> holds;
  for (const slack::Unmet& unmet : plan_.unmet) {
    const std::string key = unmet.object + " " + unmet.field;
    if (!told_.contains(key))
      sys::log::warning("no room on the machine", {{"what", to_line(unmet)}});
    holds.insert(key);
  }
  told_ = std::move(holds);
}

}  // namespace bellows::machine
