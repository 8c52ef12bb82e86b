#include "cluster/snapshot_json.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "config/revision_schema.hpp"

namespace bellows::cluster {

namespace {

namespace json = boost::json;

// Writing.

double milliseconds(Duration duration) {
  return static_cast<double>(duration.count()) / 1e6;
}

json::object start_value(const StartTimes& start, TimePoint now) {
  json::object value{{"ordered_age_ms", milliseconds(now - start.ordered)}};
  if (start.process_started) {
    value["process_started_age_ms"] = milliseconds(now - *start.process_started);
  }
  if (start.ready) value["ready_age_ms"] = milliseconds(now - *start.ready);
  return value;
}

json::object size_value(const ReplicaSize& size) {
  json::object value;
  if (size.cpu) value["cpu_millicores"] = size.cpu->value;
  if (size.memory) value["memory_bytes"] = size.memory->value;
  if (size.memory_limit) value["memory_limit_bytes"] = size.memory_limit->value;
  return value;
}

json::object replica_value(const Replica& replica, TimePoint now) {
  json::object value{{"name", replica.name.text()},
                     {"phase", to_string(replica.phase)},
                     {"address", replica.address.empty() ? "" : to_string(replica.address)},
                     {"start", start_value(replica.start, now)},
                     {"restarts", replica.restarts},
                     {"trouble", replica.trouble}};
  if (replica.usage) {
    value["usage"] = json::object{{"cpu_millicores", replica.usage->cpu.value},
                                  {"memory_bytes", replica.usage->memory.value}};
  }
  if (!replica.size.empty()) value["size"] = size_value(replica.size);
  return value;
}

json::object revision_value(const Revision& revision, TimePoint now) {
  json::object settings;
  for (const auto& [key, text] : config::revision_schema().texts(revision.settings)) {
    settings[key] = text;
  }
  json::array replicas;
  for (const Replica& replica : revision.replicas) replicas.push_back(replica_value(replica, now));
  return {{"name", revision.id.text()},
          {"host", revision.route.host},
          {"path_prefix", revision.route.path_prefix},
          {"settings", std::move(settings)},
          {"requested", revision.requested},
          {"retired", revision.retired},
          {"trouble", revision.trouble},
          {"replicas", std::move(replicas)}};
}

// Reading.

/// An object under its name, for errors: "replica.start".
struct Node {
  const json::object& object;
  std::string name;

  Error wrong(std::string_view key, std::string_view want) const {
    return Error(ErrorKind::kMalformed, name + "." + std::string(key),
                 "missing or wrong, want " + std::string(want));
  }
};

Result<json::value> parse(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse({text.data(), text.size()}, error);
  if (error || !value.is_object()) {
    return fail(ErrorKind::kMalformed, "JSON",
                "\"" + std::string(text.substr(0, 100)) + "\" is not an object");
  }
  return value;
}

Result<std::string> text_at(const Node& node, std::string_view key) {
  const json::value* value = node.object.if_contains(key);
  if (value == nullptr || !value->is_string()) return fail(node.wrong(key, "a text"));
  return std::string(value->get_string());
}

Result<bool> flag_at(const Node& node, std::string_view key) {
  const json::value* value = node.object.if_contains(key);
  if (value == nullptr || !value->is_bool()) return fail(node.wrong(key, "true or false"));
  return value->get_bool();
}

template <class Integer>
Result<Integer> integer_at(const Node& node, std::string_view key) {
  const json::value* value = node.object.if_contains(key);
  boost::system::error_code error;
  const Integer number = value == nullptr ? Integer() : value->to_number<Integer>(error);
  if (value == nullptr || error || number < 0) {
    return fail(node.wrong(key, "a whole number of at least 0"));
  }
  return number;
}

Result<Node> object_at(const Node& node, std::string_view key) {
  const json::value* value = node.object.if_contains(key);
  if (value == nullptr || !value->is_object()) return fail(node.wrong(key, "an object"));
  return Node{value->get_object(), node.name + "." + std::string(key)};
}

Result<const json::array*> array_at(const Node& node, std::string_view key) {
  const json::value* value = node.object.if_contains(key);
  if (value == nullptr || !value->is_array()) return fail(node.wrong(key, "an array"));
  return &value->get_array();
}

/// nullopt if there is no such field.
Result<std::optional<TimePoint>> instant_at(const Node& node, std::string_view key, TimePoint now) {
  const json::value* value = node.object.if_contains(key);
  if (value == nullptr) return std::nullopt;
  boost::system::error_code error;
  const double age_ms = value->to_number<double>(error);
  constexpr double kMax = 1e12;  // thirty years
  if (error || std::abs(age_ms) > kMax) return fail(node.wrong(key, "milliseconds"));
  return now - Duration(std::llround(age_ms * 1e6));
}

Result<ReplicaPhase> phase_at(const Node& node) {
  BELLOWS_TRY(const std::string text, text_at(node, "phase"));
  for (const ReplicaPhase phase :
       {ReplicaPhase::kPending, ReplicaPhase::kStarting, ReplicaPhase::kReady,
        ReplicaPhase::kFailed, ReplicaPhase::kDraining, ReplicaPhase::kGone}) {
    if (text == to_string(phase)) return phase;
  }
  return fail(node.wrong("phase", "pending, starting, ready, failed, draining or gone"));
}

Result<StartTimes> start_times(const Node& node, TimePoint now) {
  BELLOWS_TRY(const auto ordered, instant_at(node, "ordered_age_ms", now));
  if (!ordered) return fail(node.wrong("ordered_age_ms", "milliseconds"));
  StartTimes start{*ordered, {}, {}};
  BELLOWS_TRY(start.process_started, instant_at(node, "process_started_age_ms", now));
  BELLOWS_TRY(start.ready, instant_at(node, "ready_age_ms", now));
  return start;
}

template <class Amount>
Result<std::optional<Amount>> amount_at(const Node& node, std::string_view key) {
  if (!node.object.contains(key)) return std::nullopt;
  BELLOWS_TRY(const auto value, integer_at<std::int64_t>(node, key));
  return Amount{value};
}

Result<ReplicaSize> read_size(const Node& node) {
  ReplicaSize size;
  BELLOWS_TRY(size.cpu, amount_at<Millicores>(node, "cpu_millicores"));
  BELLOWS_TRY(size.memory, amount_at<Bytes>(node, "memory_bytes"));
  BELLOWS_TRY(size.memory_limit, amount_at<Bytes>(node, "memory_limit_bytes"));
  return size;
}

Result<Replica> read_replica(const Node& node, TimePoint now) {
  Replica replica;
  BELLOWS_TRY(std::string name, text_at(node, "name"));
  replica.name = PodName(std::move(name));
  BELLOWS_TRY(replica.phase, phase_at(node));
  BELLOWS_TRY(const std::string address, text_at(node, "address"));
  if (!address.empty()) {
    BELLOWS_TRY(replica.address, parse_endpoint(address));
  }
  BELLOWS_TRY(const Node start, object_at(node, "start"));
  BELLOWS_TRY(replica.start, start_times(start, now));
  BELLOWS_TRY(replica.restarts, integer_at<int>(node, "restarts"));
  BELLOWS_TRY(replica.trouble, text_at(node, "trouble"));
  if (node.object.contains("usage")) {
    BELLOWS_TRY(const Node usage, object_at(node, "usage"));
    BELLOWS_TRY(const auto cpu, integer_at<std::int64_t>(usage, "cpu_millicores"));
    BELLOWS_TRY(const auto memory, integer_at<std::int64_t>(usage, "memory_bytes"));
    replica.usage = Usage{{cpu}, {memory}};
  }
  if (node.object.contains("size")) {
    BELLOWS_TRY(const Node size, object_at(node, "size"));
    BELLOWS_TRY(replica.size, read_size(size));
  }
  return replica;
}

/// A key that only a newer Bellows knows is passed over.
Result<config::RevisionSettings> read_settings(const Node& node) {
  const auto& schema = config::revision_schema();
  config::Layer layer;
  for (const auto& [key, value] : node.object) {
    const std::string name(key);
    if (config::find(schema.declarations(), name) == nullptr) continue;
    BELLOWS_TRY(std::string text, text_at(node, name));
    layer.push_back(config::flag(name, std::move(text)));
  }
  auto settings = schema.apply({layer});
  if (settings) return std::move(*settings);
  const Error& first = settings.error().front();
  return fail(ErrorKind::kMalformed, node.name + "." + first.culprit(), first.message());
}

const std::string& name_of(const Replica& replica) {
  return replica.name.text();
}
const std::string& name_of(const std::shared_ptr<const Revision>& revision) {
  return revision->id.text();
}

/// By name, as everybody who looks one up relies on.
template <class Named>
Result<void> sort_by_name(const Node& node, std::string_view key, std::vector<Named>& all) {
  const auto name = [](const Named& each) -> const std::string& { return name_of(each); };
  std::ranges::sort(all, {}, name);
  const auto twice = std::ranges::adjacent_find(all, {}, name);
  if (twice == all.end()) return {};
  return fail(ErrorKind::kMalformed, node.name + "." + std::string(key),
              "names " + name(*twice) + " twice, want each once");
}

Result<Revision> read_revision(const Node& node, TimePoint now) {
  Revision revision;
  BELLOWS_TRY(std::string name, text_at(node, "name"));
  revision.id = RevisionId(std::move(name));
  BELLOWS_TRY(revision.route.host, text_at(node, "host"));
  BELLOWS_TRY(revision.route.path_prefix, text_at(node, "path_prefix"));
  BELLOWS_TRY(const Node settings, object_at(node, "settings"));
  BELLOWS_TRY(revision.settings, read_settings(settings));
  BELLOWS_TRY(revision.requested, integer_at<PodCount>(node, "requested"));
  BELLOWS_TRY(revision.retired, flag_at(node, "retired"));
  BELLOWS_TRY(revision.trouble, text_at(node, "trouble"));
  BELLOWS_TRY(const json::array* replicas, array_at(node, "replicas"));
  for (const json::value& value : *replicas) {
    if (!value.is_object()) return fail(node.wrong("replicas", "objects"));
    BELLOWS_TRY(Replica replica, read_replica({value.get_object(), "replica"}, now));
    revision.replicas.push_back(std::move(replica));
  }
  BELLOWS_CHECKED(sort_by_name(node, "replicas", revision.replicas));
  return revision;
}

// Following.

/// Longer is no list on its way (RemoteCluster waits for none that long): another replica of that
/// name.
constexpr Duration kLongestWay = std::chrono::seconds(30);
/// What milliseconds with a fraction may lose, with room to spare: the steps of two starts differ
/// by more.
constexpr Duration kRounding = std::chrono::microseconds(1);

void keep_step(std::optional<TimePoint>& step, const std::optional<TimePoint>& before,
               Duration shift) {
  if (!step) return;
  *step += shift;
  if (before && std::chrono::abs(*step - *before) <= kRounding) step = before;
}

/// All ages of a list are as of one moment of its writer, so only that moment has to be put right.
void keep_start(Replica& replica, const Replica& before) {
  StartTimes& start = replica.start;
  const Duration shift = before.start.ordered - start.ordered;
  if (replica.restarts != before.restarts || std::chrono::abs(shift) > kLongestWay) return;
  start.ordered = before.start.ordered;
  keep_step(start.process_started, before.start.process_started, shift);
  keep_step(start.ready, before.start.ready, shift);
}

std::shared_ptr<const Revision> following(Revision revision, const Snapshot& before) {
  const auto id_of = [](const auto& each) -> const RevisionId& { return each->id; };
  const auto known = std::ranges::lower_bound(before.revisions, revision.id, {}, id_of);
  const bool is_known = known != before.revisions.end() && (*known)->id == revision.id;
  if (!is_known) return std::make_shared<const Revision>(std::move(revision));
  const std::vector<Replica>& listed = (*known)->replicas;
  for (Replica& replica : revision.replicas) {
    const auto same = std::ranges::lower_bound(listed, replica.name, {}, &Replica::name);
    if (same != listed.end() && same->name == replica.name) keep_start(replica, *same);
  }
  return revision == **known ? *known : std::make_shared<const Revision>(std::move(revision));
}

Result<ErrorKind> kind_at(const Node& node) {
  BELLOWS_TRY(const std::string text, text_at(node, "kind"));
  for (int i = 0; i <= static_cast<int>(ErrorKind::kSystem); ++i) {
    const auto kind = static_cast<ErrorKind>(i);
    if (text == to_string(kind)) return kind;
  }
  return fail(node.wrong("kind", "a kind of docs/errors.md"));
}

Result<Error> read_error(std::string_view text) {
  BELLOWS_TRY(const json::value value, parse(text));
  const Node node{value.get_object(), "error"};
  BELLOWS_TRY(const ErrorKind kind, kind_at(node));
  BELLOWS_TRY(std::string culprit, text_at(node, "culprit"));
  BELLOWS_TRY(std::string message, text_at(node, "message"));
  return Error(kind, std::move(culprit), std::move(message));
}

}  // namespace

std::string snapshot_json(const Snapshot& snapshot, TimePoint now) {
  json::array revisions;
  for (const auto& revision : snapshot.revisions) {
    revisions.push_back(revision_value(*revision, now));
  }
  return json::serialize(
      json::object{{"version", snapshot.version}, {"revisions", std::move(revisions)}});
}

Result<Snapshot> parse_snapshot(std::string_view text, TimePoint now, const Snapshot& before) {
  BELLOWS_TRY(const json::value value, parse(text));
  const Node node{value.get_object(), "cluster"};
  Snapshot snapshot;
  BELLOWS_TRY(snapshot.version, integer_at<std::uint64_t>(node, "version"));
  BELLOWS_TRY(const json::array* revisions, array_at(node, "revisions"));
  for (const json::value& entry : *revisions) {
    if (!entry.is_object()) return fail(node.wrong("revisions", "objects"));
    BELLOWS_TRY(Revision revision, read_revision({entry.get_object(), "revision"}, now));
    snapshot.revisions.push_back(following(std::move(revision), before));
  }
  BELLOWS_CHECKED(sort_by_name(node, "revisions", snapshot.revisions));
  return snapshot;
}

std::string order_json(const ScaleOrder& order) {
  json::array drain_first;
  for (const PodName& name : order.drain_first) drain_first.push_back(json::string(name.text()));
  return json::serialize(json::object{
      {"want", order.want}, {"drain_first", std::move(drain_first)}, {"reason", order.reason}});
}

Result<ScaleOrder> parse_order(std::string_view text) {
  BELLOWS_TRY(const json::value value, parse(text));
  const Node node{value.get_object(), "order"};
  ScaleOrder order;
  BELLOWS_TRY(order.want, integer_at<PodCount>(node, "want"));
  BELLOWS_TRY(const json::array* drain_first, array_at(node, "drain_first"));
  for (const json::value& name : *drain_first) {
    if (!name.is_string()) return fail(node.wrong("drain_first", "names"));
    order.drain_first.emplace_back(std::string(name.get_string()));
  }
  BELLOWS_TRY(order.reason, text_at(node, "reason"));
  return order;
}

std::string error_json(const Error& error) {
  std::string message = error.message();
  if (error.cause() != nullptr) message += " (because " + to_string(*error.cause()) + ")";
  return json::serialize(json::object{
      {"kind", to_string(error.kind())}, {"culprit", error.culprit()}, {"message", message}});
}

Error parse_error(std::string_view text) {
  Result<Error> error = read_error(text);
  return error ? std::move(*error) : std::move(error).error();
}

}  // namespace bellows::cluster
