#include "slack/machine/machine_text.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/quantity_text.hpp"

namespace bellows::slack {

namespace {

/// One of the two configurable amounts.
struct Dimension {
  const char* name;
  std::int64_t Resources::*amount;
  std::string (*text)(std::int64_t);
};

std::string cpu_text(std::int64_t millicores) {
  return to_string(Millicores{millicores});
}

/// Formats whole mebibytes if that is exact, because an advice of 34359738 bytes is hard to read.
std::string memory_text(std::int64_t bytes) {
  constexpr std::int64_t kMebibyte = std::int64_t{1} << 20U;
  const bool is_large = bytes >= 16 * kMebibyte;
  return to_string(Bytes{is_large ? bytes / kMebibyte * kMebibyte : bytes});
}

constexpr std::array<Dimension, 2> kDimensions = {
    {{"cpu", &Resources::cpu_millicores, cpu_text},
     {"memory", &Resources::memory_bytes, memory_text}}};

std::string replicas_text(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " replica" : " replicas");
}

Unmet over_committed(const MachinePlan& plan, const Dimension& of) {
  return {.object = "machine",
          .field = of.name,
          .value = of.text(plan.used.*of.amount),
          .reason = "its replicas take more than the " + of.text(plan.capacity.*of.amount) +
                    " it has: want fewer of them (max-scale), or smaller ones"};
}

/// Returns how many replicas of a service fit beside those of the others.
std::int64_t fit_in_all(const MachinePlan& plan, const MachineService& service) {
  Resources own;
  for (const MachineReplica& replica : service.replicas) own += replica.size;
  Resources one = service.next;
  one.pods = 0;
  return how_many(one, plan.capacity - (plan.used - own));
}

/// Returns the largest size with which all replicas and one more fit.
std::int64_t size_that_fits(const MachinePlan& plan, const MachineService& service,
                            const Dimension& of) {
  std::int64_t own = 0;
  for (const MachineReplica& replica : service.replicas) own += replica.size.*of.amount;
  const std::int64_t room = plan.capacity.*of.amount - (plan.used.*of.amount - own);
  return room / (static_cast<std::int64_t>(service.replicas.size()) + 1);
}

/// Returns the text for a replica that is larger than the whole machine, so that no start of it
/// ever fits.
std::string too_large(const MachinePlan& plan, const Dimension& of) {
  const std::string most = of.text(plan.capacity.*of.amount);
  return "a replica takes more than the machine has: want " + std::string(of.name) +
         " of at most " + most;
}

std::string no_room(const MachinePlan& plan, const MachineService& service, const Dimension& of) {
  const std::int64_t free =
      std::max<std::int64_t>(0, plan.capacity.*of.amount - plan.used.*of.amount);
  const std::int64_t all = std::max<std::int64_t>(0, fit_in_all(plan, service));
  std::string text = "its next replica would not fit: " + of.text(free) + " of " +
                     of.text(plan.capacity.*of.amount) + " are free; " + replicas_text(all) +
                     (all == 1 ? " of this size fits" : " of this size fit") +
                     " beside the other services";
  const std::int64_t smaller = size_that_fits(plan, service, of);
  if (smaller > 0)
    text += ", and one more with " + std::string(of.name) + " of at most " + of.text(smaller);
  return text;
}

/// Returns the text about services that are scaled down.
std::string who_comes_down(const MachinePlan& plan) {
  std::string text;
  for (const ServiceRoom& one : plan.services) {
    if (!one.limit) continue;
    text += (text.empty() ? "; room is made: " : ", ") + one.service + " is reduced from " +
            std::to_string(one.replicas) + " to " + replicas_text(*one.limit);
  }
  return text;
}

std::optional<Unmet> unmet_of(const MachineService& service, const MachinePlan& plan,
                              const Dimension& of) {
  const std::int64_t want = service.next.*of.amount;
  Unmet unmet{.object = "service " + service.service, .field = of.name, .value = of.text(want)};
  if (want > plan.capacity.*of.amount) {
    unmet.reason = too_large(plan, of);
    return unmet;
  }
  const bool may_grow = service.max_scale == 0 ||
                        static_cast<std::int64_t>(service.replicas.size()) < service.max_scale;
  const bool fits_now = plan.used.*of.amount + want <= plan.capacity.*of.amount;
  if (want == 0 || fits_now || !may_grow) return std::nullopt;
  unmet.reason = no_room(plan, service, of);
  if (plan.busiest == service.name) unmet.reason += who_comes_down(plan);
  return unmet;
}

}  // namespace

std::vector<Unmet> machine_unmet(const MachineInput& input, const MachinePlan& plan) {
  std::vector<Unmet> all;
  for (const Dimension& of : kDimensions) {
    if (plan.used.*of.amount > plan.capacity.*of.amount) all.push_back(over_committed(plan, of));
  }
  std::vector<const MachineService*> services;
  for (const MachineService& service : input.services) services.push_back(&service);
  std::ranges::sort(services, {}, [](const MachineService* service) { return service->name; });
  for (const MachineService* service : services) {
    for (const Dimension& of : kDimensions) {
      if (auto unmet = unmet_of(*service, plan, of)) all.push_back(std::move(*unmet));
    }
  }
  return all;
}

std::string to_line(const Unmet& unmet) {
  return unmet.object + ": " + unmet.field + " " + unmet.value + ": " + unmet.reason;
}

}  // namespace bellows::slack
