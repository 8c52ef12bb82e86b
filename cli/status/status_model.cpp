#include "cli/status/status_model.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <utility>

namespace bellows::cli {

namespace {

namespace json = boost::json;

const json::value* member(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* value = member(object, key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::optional<double> number_of(const json::object& object, std::string_view key) {
  const json::value* value = member(object, key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

template <class T>
T whole_of(const json::object& object, std::string_view key) {
  return static_cast<T>(number_of(object, key).value_or(0));
}

const json::object* object_of(const json::object& object, std::string_view key) {
  const json::value* value = member(object, key);
  return value == nullptr ? nullptr : value->if_object();
}

const json::array* array_of(const json::object& object, std::string_view key) {
  const json::value* value = member(object, key);
  return value == nullptr ? nullptr : value->if_array();
}

std::optional<std::int64_t> amount_of(const json::object& object, std::string_view group,
                                      std::string_view key) {
  const json::object* inner = object_of(object, group);
  const auto number = inner == nullptr ? std::nullopt : number_of(*inner, key);
  if (!number) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

RangeStatus range_of(const json::object& object, std::string_view key) {
  return {amount_of(object, "lower_bound", key), amount_of(object, "target", key),
          amount_of(object, "upper_bound", key)};
}

ResourcesStatus resources_status(const json::object& object) {
  ResourcesStatus resources;
  resources.mode = text_of(object, "mode");
  resources.policy = text_of(object, "policy");
  resources.cpu = range_of(object, "cpu_millicores");
  resources.memory = range_of(object, "memory_bytes");
  if (const json::object* reason = object_of(object, "reason")) {
    resources.because = text_of(*reason, "memory");
  }
  resources.note = text_of(object, "note");
  resources.trouble = text_of(object, "trouble");
  return resources;
}

void read_size(const json::object& object, ReplicaStatus& replica) {
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

ReplicaStatus replica_status(const json::object& object) {
  ReplicaStatus replica;
  replica.name = text_of(object, "name");
  replica.phase = text_of(object, "phase");
  replica.in_flight = number_of(object, "in_flight").value_or(0);
  replica.restarts = whole_of<int>(object, "restarts");
  replica.trouble = text_of(object, "trouble");
  if (const json::object* usage = object_of(object, "usage")) {
    replica.cpu = Millicores{whole_of<std::int64_t>(*usage, "cpu_millicores")};
    replica.memory = Bytes{whole_of<std::int64_t>(*usage, "memory_bytes")};
  }
  read_size(object, replica);
  if (const json::object* start = object_of(object, "start")) {
    if (const auto took = number_of(*start, "ready_after_ms"))
      replica.start_took = from_seconds(*took / 1e3);
  }
  return replica;
}

RevisionStatus revision_status(const json::object& object) {
  RevisionStatus revision;
  revision.name = text_of(object, "name");
  revision.state = text_of(object, "state");
  revision.mode = text_of(object, "mode");
  revision.stable_concurrency = number_of(object, "stable_concurrency").value_or(0);
  revision.panic_concurrency = number_of(object, "panic_concurrency").value_or(0);
  revision.target = number_of(object, "target").value_or(0);
  revision.desired = whole_of<PodCount>(object, "desired");
  revision.ready = whole_of<PodCount>(object, "ready");
  revision.starting = whole_of<PodCount>(object, "starting");
  revision.waiting = number_of(object, "waiting").value_or(0);
  revision.trouble = text_of(object, "trouble");
  if (const json::object* decision = object_of(object, "last_decision")) {
    revision.because = text_of(*decision, "because");
  }
  if (const json::array* replicas = array_of(object, "replicas")) {
    for (const json::value& replica : *replicas) {
      if (replica.is_object()) revision.replicas.push_back(replica_status(replica.get_object()));
    }
  }
  if (const json::object* resources = object_of(object, "resources")) {
    revision.resources = resources_status(*resources);
  }
  // web-2 before web-10.
  std::ranges::sort(revision.replicas, [](const ReplicaStatus& a, const ReplicaStatus& b) {
    return std::pair(a.name.size(), a.name) < std::pair(b.name.size(), b.name);
  });
  return revision;
}

}  // namespace

Result<Status> parse_status(std::string_view text) {
  boost::system::error_code code;
  const json::value root = json::parse(text, code);
  const json::array* revisions =
      !code && root.is_object() ? array_of(root.get_object(), "revisions") : nullptr;
  if (revisions == nullptr) {
    return fail(ErrorKind::kMalformed, "status",
                "want an object with a list \"revisions\" (docs/status.md)");
  }
  Status status;
  for (const json::value& revision : *revisions) {
    if (revision.is_object()) status.revisions.push_back(revision_status(revision.get_object()));
  }
  return status;
}

}  // namespace bellows::cli
