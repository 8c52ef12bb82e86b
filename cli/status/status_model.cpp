#include "cli/status/status_model.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "json/object.hpp"

namespace bellows::cli {

namespace {

// Every member may be missing (docs/formats/status.md): a newer or older program may have written
// the page.

std::string text_of(const json::Object& object, std::string_view key) {
  return object.text(key).value_or("");
}

std::optional<double> number_of(const json::Object& object, std::string_view key) {
  const auto number = object.number(key);
  return number ? std::optional(*number) : std::nullopt;
}

template <class T>
T whole_of(const json::Object& object, std::string_view key) {
  return static_cast<T>(number_of(object, key).value_or(0));
}

std::vector<json::Object> objects_of(const json::Object& object, std::string_view key) {
  return object.objects(key).value_or(std::vector<json::Object>());
}

std::optional<std::int64_t> amount_of(const json::Object& object, std::string_view group,
                                      std::string_view key) {
  const auto inner = object.object(group);
  const auto number = inner ? number_of(*inner, key) : std::nullopt;
  if (!number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

RangeStatus range_of(const json::Object& object, std::string_view key) {
  return {amount_of(object, "lower_bound", key), amount_of(object, "target", key),
          amount_of(object, "upper_bound", key)};
}

ResourcesStatus resources_status(const json::Object& object) {
  ResourcesStatus resources;
  resources.mode = text_of(object, "mode");
  resources.policy = text_of(object, "policy");
  resources.cpu = range_of(object, "cpu_millicores");
  resources.memory = range_of(object, "memory_bytes");
  if (const auto reason = object.object("reason")) {
    resources.because = text_of(*reason, "memory");
  }
  resources.note = text_of(object, "note");
  resources.trouble = text_of(object, "trouble");
  return resources;
}

void read_size(const json::Object& object, ReplicaStatus& replica) {
  if (const auto cpu = amount_of(object, "size", "cpu_millicores")) {
    replica.cpu_request = Millicores{*cpu};
  }
  if (const auto memory = amount_of(object, "size", "memory_bytes")) {
    replica.memory_request = Bytes{*memory};
  }
  if (const auto limit = amount_of(object, "size", "memory_limit_bytes")) {
    replica.memory_limit = Bytes{*limit};
  }
}

ReplicaStatus replica_status(const json::Object& object) {
  ReplicaStatus replica;
  replica.name = text_of(object, "name");
  replica.phase = text_of(object, "phase");
  replica.in_flight = number_of(object, "in_flight").value_or(0);
  replica.restarts = whole_of<int>(object, "restarts");
  replica.trouble = text_of(object, "trouble");
  replica.restarted_because = text_of(object, "restarted_because");
  replica.app_protocol = text_of(object, "app_protocol");
  if (const auto usage = object.object("usage")) {
    replica.cpu = Millicores{whole_of<std::int64_t>(*usage, "cpu_millicores")};
    replica.memory = Bytes{whole_of<std::int64_t>(*usage, "memory_bytes")};
  }
  read_size(object, replica);
  if (const auto start = object.object("start")) {
    if (const auto took = number_of(*start, "ready_after_ms"))
      replica.start_took = from_seconds(*took / 1e3);
  }
  return replica;
}

void read_policies(const json::Object& object, ServiceStatus& revision) {
  revision.occupied = whole_of<PodCount>(object, "occupied");
  revision.kept = whole_of<PodCount>(object, "kept");
  for (const json::Object& one : objects_of(object, "policies")) {
    PolicyStatus policy;
    policy.name = text_of(one, "policy");
    if (const auto want = number_of(one, "want")) policy.want = static_cast<PodCount>(*want);
    policy.because = text_of(one, "because");
    policy.decides = one.flag("decides").value_or(false);
    revision.policies.push_back(std::move(policy));
  }
  const auto lines = object.list("ahead");
  for (std::size_t i = 0; lines && i < lines->size(); ++i) {
    if (auto line = lines->text(i)) revision.ahead.push_back(*std::move(line));
  }
}

ServiceStatus revision_status(const json::Object& object) {
  ServiceStatus revision;
  revision.id = text_of(object, "name");
  revision.name = revision.id;
  revision.share = whole_of<std::int64_t>(object, "share");
  revision.state = text_of(object, "state");
  revision.is_paused = object.flag("paused").value_or(false);
  revision.mode = text_of(object, "mode");
  revision.stable_concurrency = number_of(object, "stable_concurrency").value_or(0);
  revision.panic_concurrency = number_of(object, "panic_concurrency").value_or(0);
  revision.target = number_of(object, "target").value_or(0);
  revision.desired = whole_of<PodCount>(object, "desired");
  revision.ready = whole_of<PodCount>(object, "ready");
  revision.starting = whole_of<PodCount>(object, "starting");
  revision.waiting = number_of(object, "waiting").value_or(0);
  revision.trouble = text_of(object, "trouble");
  revision.not_ready = text_of(object, "not_ready");
  if (const auto failed = object.object("failed_starts")) {
    revision.failed_starts = whole_of<std::int64_t>(*failed, "count");
    revision.start_failure = text_of(*failed, "last");
  }
  if (const auto path = object.object("path")) revision.path_problem = text_of(*path, "problem");
  if (const auto decision = object.object("last_decision")) {
    revision.because = text_of(*decision, "because");
  }
  for (const json::Object& replica : objects_of(object, "replicas")) {
    revision.replicas.push_back(replica_status(replica));
  }
  read_policies(object, revision);
  if (const auto resources = object.object("resources")) {
    revision.resources = resources_status(*resources);
  }
  // Sorts web-2 before web-10.
  std::ranges::sort(revision.replicas, [](const ReplicaStatus& a, const ReplicaStatus& b) {
    return std::pair(a.name.size(), a.name) < std::pair(b.name.size(), b.name);
  });
  return revision;
}

/// Returns a service that has these revisions, at least one.
ServiceStatus service_status(const std::string& name, std::vector<ServiceStatus> revisions) {
  std::ranges::sort(revisions, std::greater(), [](const ServiceStatus& revision) {
    return std::pair(revision.share, revision.name);
  });
  ServiceStatus service = revisions.front();
  service.name = name;
  if (revisions.size() == 1) return service;
  for (auto other = std::next(revisions.begin()); other != revisions.end(); ++other) {
    service.stable_concurrency += other->stable_concurrency;
    service.panic_concurrency += other->panic_concurrency;
    service.desired += other->desired;
    service.ready += other->ready;
    service.starting += other->starting;
    service.waiting += other->waiting;
    if (other->mode == "panic") service.mode = "panic";
    const bool is_felt = other->share > 0 && service.trouble.empty();
    if (is_felt) service.trouble = other->trouble;
    service.replicas.insert(service.replicas.end(), other->replicas.begin(), other->replicas.end());
  }
  for (ServiceStatus& revision : revisions) revision.of = name;
  service.revisions = std::move(revisions);
  return service;
}

template <class Amount>
std::optional<Amount> optional_of(const json::Object& object, std::string_view group,
                                  std::string_view key) {
  const auto amount = amount_of(object, group, key);
  return amount ? std::optional(Amount{*amount}) : std::nullopt;
}

MachineStatus machine_status(const json::Object& object) {
  MachineStatus machine;
  machine.cpu = optional_of<Millicores>(object, "capacity", "cpu_millicores");
  machine.memory = optional_of<Bytes>(object, "capacity", "memory_bytes");
  machine.cpu_requested = optional_of<Millicores>(object, "requested", "cpu_millicores");
  machine.memory_requested = optional_of<Bytes>(object, "requested", "memory_bytes");
  machine.busiest = text_of(object, "busiest");
  machine.is_room_kept = object.flag("room_kept").value_or(false);
  machine.note = text_of(object, "note");
  const std::vector<json::Object> rooms = objects_of(object, "services");
  for (const json::Object& service : rooms) {
    const std::string of = text_of(service, "service");
    const bool has_several = std::ranges::count_if(rooms, [&of](const json::Object& other) {
                               return text_of(other, "service") == of;
                             }) > 1;
    const std::string name = has_several ? of + " (" + text_of(service, "name") + ")" : of;
    const auto number = [&service](std::string_view key) {
      return std::to_string(whole_of<std::int64_t>(service, key));
    };
    if (service.has("fit_more")) machine.fits.push_back(number("fit_more") + " more of " + name);
    if (service.has("limit")) machine.sized_down.push_back(name + " to " + number("limit"));
  }
  for (const json::Object& unmet : objects_of(object, "unmet")) {
    machine.unmet.push_back(text_of(unmet, "object") + ": " + text_of(unmet, "field") + " " +
                            text_of(unmet, "value") + ": " + text_of(unmet, "reason"));
  }
  return machine;
}

RefusedStatus refused_status(const json::Object& object) {
  RefusedStatus refused;
  refused.total = whole_of<std::int64_t>(object, "total");
  if (const auto last = object.object("last")) {
    refused.reason = text_of(*last, "reason");
    refused.peer = text_of(*last, "peer");
    refused.of = text_of(*last, "of");
    refused.age = std::chrono::milliseconds(whole_of<std::int64_t>(*last, "age_ms"));
  }
  return refused;
}

/// Returns nullptr if there is none.
boost::json::array* list_of(boost::json::object* object, std::string_view key) {
  boost::json::value* const found =
      object == nullptr ? nullptr : object->if_contains({key.data(), key.size()});
  return found == nullptr ? nullptr : found->if_array();
}

template <class F>
void erase_where(boost::json::array& list, F&& is_left_out) {
  list.erase(std::remove_if(list.begin(), list.end(), is_left_out), list.end());
}

Error no_status() {
  return {ErrorKind::kMalformed, "status",
          "want an object with a list \"services\" (docs/formats/status.md)"};
}

}  // namespace

Result<Status> parse_status(std::string_view text) {
  const auto root = json::parse(text, "status");
  const auto services = root ? root->objects("services") : tl::unexpected(root.error());
  if (!services) return fail(no_status());
  Status status;
  if (const auto age_ms = amount_of(*root, "cluster", "unreachable_ms")) {
    status.unreachable_for = std::chrono::milliseconds(*age_ms);
  }
  if (const auto refused = root->object("refused_stats")) {
    status.refused = refused_status(*refused);
  }
  if (const auto machine = root->object("machine")) status.machine = machine_status(*machine);
  for (const json::Object& change : objects_of(*root, "under_way")) {
    status.changes.push_back({.service = text_of(change, "service"),
                              .cause = text_of(change, "cause"),
                              .message = text_of(change, "message"),
                              .goes_back_if = text_of(change, "goes_back_if")});
  }
  for (const json::Object& service : *services) {
    std::vector<ServiceStatus> revisions;
    for (const json::Object& revision : objects_of(service, "revisions")) {
      revisions.push_back(revision_status(revision));
    }
    if (revisions.empty()) continue;
    status.services.push_back(service_status(text_of(service, "name"), std::move(revisions)));
  }
  return status;
}

Result<std::string> status_page_of(std::string_view page, const Status& kept) {
  boost::system::error_code malformed;
  boost::json::value root = boost::json::parse({page.data(), page.size()}, malformed);
  boost::json::object* const object = root.if_object();
  boost::json::array* const services = list_of(object, "services");
  if (malformed || services == nullptr) return fail(no_status());
  std::set<std::string, std::less<>> ids;
  for_each_revision(kept, [&ids](const ServiceStatus& each) { ids.insert(each.id); });
  const auto is_left_out = [&ids](const boost::json::value& revision) {
    const boost::json::object* const one = revision.if_object();
    const boost::json::value* const name = one == nullptr ? nullptr : one->if_contains("name");
    return name == nullptr || !name->is_string() ||
           !ids.contains(std::string_view(name->get_string()));
  };
  erase_where(*services, [&](boost::json::value& service) {
    boost::json::array* const revisions = list_of(service.if_object(), "revisions");
    if (revisions == nullptr) return true;
    erase_where(*revisions, is_left_out);
    return revisions->empty();
  });
  return boost::json::serialize(root);
}

const ServiceStatus* find(const Status& status, std::string_view word) {
  for (const ServiceStatus& service : status.services) {
    if (service.name == word) return &service;
    if (service.revisions.empty() && service.id == word) return &service;
  }
  for (const ServiceStatus& service : status.services) {
    const auto found = std::ranges::find(service.revisions, word, &ServiceStatus::name);
    if (found != service.revisions.end()) return &*found;
  }
  return nullptr;
}

}  // namespace bellows::cli
