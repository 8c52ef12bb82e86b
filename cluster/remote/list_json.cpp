#include "cluster/remote/list_json.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "config/revision_schema.hpp"
#include "config/route_json.hpp"
#include "json/error_page.hpp"
#include "json/object.hpp"
#include "json/texts.hpp"
#include "json/writer.hpp"

namespace bellows::cluster {

namespace {

// Writing.

double milliseconds(Duration duration) {
  return static_cast<double>(duration.count()) / 1e6;
}

void write_start(json::Writer& out, const StartTimes& start, TimePoint now) {
  out.open("start").number("ordered_age_ms", milliseconds(now - start.ordered));
  if (start.process_started) {
    out.number("process_started_age_ms", milliseconds(now - *start.process_started));
  }
  if (start.ready) out.number("ready_age_ms", milliseconds(now - *start.ready));
  out.close();
}

void write_size(json::Writer& out, const ReplicaSize& size) {
  out.open("size");
  if (size.cpu) out.integer("cpu_millicores", size.cpu->value);
  if (size.memory) out.integer("memory_bytes", size.memory->value);
  if (size.memory_limit) out.integer("memory_limit_bytes", size.memory_limit->value);
  out.close();
}

void write_replica(json::Writer& out, const Replica& replica, TimePoint now) {
  out.open()
      .text("name", replica.name.text())
      .text("phase", to_string(replica.phase))
      .text("address", replica.address.empty() ? "" : to_string(replica.address));
  write_start(out, replica.start, now);
  out.integer("restarts", replica.restarts).text("trouble", replica.failure_message);
  if (!replica.restarted_because.empty()) {
    out.text("restarted_because", replica.restarted_because);
  }
  if (!replica.app_protocol.empty()) out.text("app_protocol", replica.app_protocol);
  if (replica.usage) {
    out.open("usage")
        .integer("cpu_millicores", replica.usage->cpu.value)
        .integer("memory_bytes", replica.usage->memory.value)
        .close();
  }
  if (!replica.stat_secret.empty()) out.text("stat_secret", replica.stat_secret);
  if (!replica.size.empty()) write_size(out, replica.size);
  out.close();
}

void write_revision(json::Writer& out, const Revision& revision, TimePoint now) {
  out.open().text("name", revision.id.text());
  config::write_route(out, revision.route);
  if (!revision.service.empty()) {
    out.text("service", revision.service.text()).integer("share", revision.share);
  }
  out.open("settings");
  for (const auto& [key, text] : config::revision_schema().texts(revision.settings)) {
    out.text(key, text);
  }
  out.close();
  const config::MinScaleFrom from = revision.settings.min_scale_from;
  if (from != config::MinScaleFrom::kSetting) {
    out.text("min_scale_from", to_string(from));
  }
  out.integer("requested", revision.requested).flag("retired", revision.is_retired());
  if (revision.is_paused()) out.flag("paused", true);
  if (revision.learned_target) out.number("learned_target", *revision.learned_target);
  out.text("trouble", revision.failure_message).open_list("replicas");
  for (const ReplicaPtr& replica : revision.replicas) write_replica(out, *replica, now);
  out.close().close();
}

// Reading.

template <class Integer>
Result<Integer> count_at(const json::Object& object, std::string_view key) {
  constexpr auto kMax = static_cast<std::int64_t>(std::numeric_limits<Integer>::max());
  BELLOWS_TRY(const std::int64_t count, object.integer(key, 0, kMax));
  return static_cast<Integer>(count);
}

/// nullopt if there is no such member.
Result<std::optional<TimePoint>> time_at(const json::Object& object, std::string_view key,
                                         TimePoint now) {
  if (!object.has(key)) return std::nullopt;
  constexpr double kMaxMs = 1e12;  // thirty years
  BELLOWS_TRY(const double age_ms, object.number(key, {-kMaxMs, kMaxMs}));
  return now - Duration(std::llround(age_ms * 1e6));
}

Result<ReplicaPhase> phase_at(const json::Object& object) {
  BELLOWS_TRY(const std::string text, object.text("phase"));
  for (const ReplicaPhase phase :
       {ReplicaPhase::kPending, ReplicaPhase::kStarting, ReplicaPhase::kReady,
        ReplicaPhase::kFailed, ReplicaPhase::kDraining, ReplicaPhase::kGone}) {
    if (text == to_string(phase)) return phase;
  }
  return fail(object.invalid("phase", "pending, starting, ready, failed, draining or gone"));
}

Result<StartTimes> read_start(const json::Object& object, TimePoint now) {
  BELLOWS_TRY(const auto ordered, time_at(object, "ordered_age_ms", now));
  if (!ordered) return fail(object.invalid("ordered_age_ms", "milliseconds"));
  StartTimes start{*ordered, {}, {}};
  BELLOWS_TRY(start.process_started, time_at(object, "process_started_age_ms", now));
  BELLOWS_TRY(start.ready, time_at(object, "ready_age_ms", now));
  return start;
}

template <class Amount>
Result<std::optional<Amount>> amount_at(const json::Object& object, std::string_view key) {
  if (!object.has(key)) return std::nullopt;
  BELLOWS_TRY(const auto value, count_at<std::int64_t>(object, key));
  return Amount{value};
}

Result<ReplicaSize> read_size(const json::Object& object) {
  ReplicaSize size;
  BELLOWS_TRY(size.cpu, amount_at<Millicores>(object, "cpu_millicores"));
  BELLOWS_TRY(size.memory, amount_at<Bytes>(object, "memory_bytes"));
  BELLOWS_TRY(size.memory_limit, amount_at<Bytes>(object, "memory_limit_bytes"));
  return size;
}

Result<Usage> read_usage(const json::Object& object) {
  BELLOWS_TRY(const auto cpu, count_at<std::int64_t>(object, "cpu_millicores"));
  BELLOWS_TRY(const auto memory, count_at<std::int64_t>(object, "memory_bytes"));
  return Usage{{cpu}, {memory}};
}

Result<Replica> read_replica(const json::Object& object, TimePoint now) {
  Replica replica;
  BELLOWS_TRY(std::string name, object.text("name"));
  replica.name = PodName(std::move(name));
  BELLOWS_TRY(replica.phase, phase_at(object));
  BELLOWS_TRY(const std::string address, object.text("address"));
  if (!address.empty()) {
    BELLOWS_TRY(replica.address, parse_endpoint(address));
  }
  BELLOWS_TRY(const json::Object start, object.object("start"));
  BELLOWS_TRY(replica.start, read_start(start, now));
  BELLOWS_TRY(replica.restarts, count_at<int>(object, "restarts"));
  BELLOWS_TRY(replica.failure_message, object.text("trouble"));
  if (object.has("restarted_because")) {
    BELLOWS_TRY(replica.restarted_because, object.text("restarted_because"));
  }
  if (object.has("app_protocol")) {
    BELLOWS_TRY(replica.app_protocol, object.text("app_protocol"));
  }
  if (object.has("stat_secret")) {
    BELLOWS_TRY(replica.stat_secret, object.text("stat_secret"));
  }
  if (object.has("usage")) {
    BELLOWS_TRY(const json::Object usage, object.object("usage"));
    BELLOWS_TRY(replica.usage, read_usage(usage));
  }
  if (object.has("size")) {
    BELLOWS_TRY(const json::Object size, object.object("size"));
    BELLOWS_TRY(replica.size, read_size(size));
  }
  return replica;
}

/// What a newer Bellows may say else counts as the setting.
Result<config::MinScaleFrom> read_min_scale_from(const json::Object& revision) {
  if (!revision.has("min_scale_from")) return config::MinScaleFrom::kSetting;
  BELLOWS_TRY(const std::string text, revision.text("min_scale_from"));
  return config::read_min_scale_from(text).value_or(config::MinScaleFrom::kSetting);
}

/// Ignores the settings of a newer Bellows.
Result<config::RevisionSettings> read_settings(const json::Object& revision) {
  BELLOWS_TRY(const json::Object object, revision.object("settings"));
  const auto& schema = config::revision_schema();
  config::Layer layer;
  for (const std::string_view key : object.keys()) {
    const std::string name(key);
    if (config::find(schema.declarations(), name) == nullptr) continue;
    BELLOWS_TRY(std::string text, object.text(name));
    layer.push_back(config::flag(name, std::move(text)));
  }
  auto settings = schema.apply({layer});
  if (settings) {
    BELLOWS_TRY(settings->min_scale_from, read_min_scale_from(revision));
    return std::move(*settings);
  }
  const Error& first = settings.error().front();
  return fail(ErrorKind::kMalformed,
              revision.invalid("settings", "").culprit() + "." + first.culprit(), first.message());
}

const std::string& name_of(const Replica& replica) {
  return replica.name.text();
}
const std::string& name_of(const RevisionPtr& revision) {
  return revision->id.text();
}

/// Sorts by name, because lookups rely on it.
template <class Named>
Result<void> sort_by_name(const json::Object& object, std::string_view key,
                          std::vector<Named>& all) {
  const auto name = [](const Named& each) -> const std::string& { return name_of(each); };
  std::ranges::sort(all, {}, name);
  const auto twice = std::ranges::adjacent_find(all, {}, name);
  if (twice == all.end()) return {};
  return fail(ErrorKind::kMalformed, object.invalid(key, "").culprit(),
              "names " + name(*twice) + " twice, want each once");
}

Result<RevisionState> state_at(const json::Object& object) {
  BELLOWS_TRY(const bool is_retired, object.flag("retired"));
  if (is_retired) return RevisionState::kRetired;
  bool is_paused = false;
  if (object.has("paused")) {
    BELLOWS_TRY(is_paused, object.flag("paused"));
  }
  return is_paused ? RevisionState::kPaused : RevisionState::kActive;
}

Result<std::optional<double>> learned_target_at(const json::Object& object) {
  if (!object.has("learned_target")) return std::nullopt;
  BELLOWS_TRY(const double target,
              object.number("learned_target", {kLeastLearnedTarget, kMostLearnedTarget}));
  return target;
}

/// A revision whose replicas are not shared yet.
struct ReadRevision {
  Revision revision;
  std::vector<Replica> replicas;  // by name
};

Result<ReadRevision> read_revision(const json::Object& object, TimePoint now) {
  ReadRevision read;
  Revision& revision = read.revision;
  BELLOWS_TRY(std::string name, object.text("name"));
  revision.id = RevisionId(std::move(name));
  BELLOWS_TRY(revision.route, config::read_route(object));
  if (object.has("service")) {
    BELLOWS_TRY(std::string service, object.text("service"));
    revision.service = RevisionId(std::move(service));
    BELLOWS_TRY(revision.share, count_at<std::int32_t>(object, "share"));
  }
  BELLOWS_TRY(revision.settings, read_settings(object));
  BELLOWS_TRY(revision.requested, count_at<PodCount>(object, "requested"));
  BELLOWS_TRY(revision.state, state_at(object));
  BELLOWS_TRY(revision.learned_target, learned_target_at(object));
  BELLOWS_TRY(revision.failure_message, object.text("trouble"));
  BELLOWS_TRY(const std::vector<json::Object> replicas, object.objects("replicas"));
  for (const json::Object& each : replicas) {
    BELLOWS_TRY(Replica replica, read_replica(each, now));
    read.replicas.push_back(std::move(replica));
  }
  BELLOWS_CHECKED(sort_by_name(object, "replicas", read.replicas));
  return read;
}

// Following.

/// The longest delay of a list on its way (a poll of RemoteCluster times out earlier). A greater
/// difference means another replica with the same name.
constexpr Duration kMaxDelay = std::chrono::seconds(30);
/// More than the rounding error of fractional milliseconds, and less than the difference between
/// the steps of two starts.
constexpr Duration kRounding = std::chrono::microseconds(1);

void keep_step(std::optional<TimePoint>& step, const std::optional<TimePoint>& before,
               Duration shift) {
  if (!step) return;
  *step += shift;
  if (before && std::chrono::abs(*step - *before) <= kRounding) step = before;
}

/// All ages of a list are relative to the same time, so all are corrected by the same shift.
void keep_start(Replica& replica, const Replica& before) {
  StartTimes& start = replica.start;
  const Duration shift = before.start.ordered - start.ordered;
  if (replica.restarts != before.restarts || std::chrono::abs(shift) > kMaxDelay) return;
  start.ordered = before.start.ordered;
  keep_step(start.process_started, before.start.process_started, shift);
  keep_step(start.ready, before.start.ready, shift);
}

RevisionPtr following(ReadRevision read, const RevisionList& list) {
  const RevisionPtr known = list.find(read.revision.id);
  const std::vector<ReplicaPtr> none;
  const std::vector<ReplicaPtr>& before = known ? known->replicas : none;
  auto same = before.begin();
  for (Replica& replica : read.replicas) {
    while (same != before.end() && (*same)->name < replica.name) ++same;
    if (same != before.end() && (*same)->name == replica.name) keep_start(replica, **same);
  }
  read.revision.replicas = next_replicas(std::move(read.replicas), before);
  if (known && read.revision == *known) return known;
  return std::make_shared<const Revision>(std::move(read.revision));
}

}  // namespace

std::string list_json(const RevisionList& list, TimePoint now,
                      const std::string& activator_secret) {
  json::Writer out;
  out.integer("version", list.version());
  if (!activator_secret.empty()) out.text("activator_secret", activator_secret);
  out.open_list("revisions");
  for (const RevisionPtr& revision : list) write_revision(out, *revision, now);
  return out.close().end();
}

Result<ReceivedList> parse_list(std::string_view text, TimePoint now, const RevisionList& before) {
  BELLOWS_TRY(const json::Object root, json::parse(text, "cluster"));
  ReceivedList list;
  BELLOWS_TRY(const auto version, count_at<std::int64_t>(root, "version"));
  list.version = static_cast<std::uint64_t>(version);
  if (root.has("activator_secret")) {
    BELLOWS_TRY(list.activator_secret, root.text("activator_secret"));
  }
  BELLOWS_TRY(const std::vector<json::Object> revisions, root.objects("revisions"));
  for (const json::Object& each : revisions) {
    BELLOWS_TRY(ReadRevision read, read_revision(each, now));
    list.revisions.push_back(following(std::move(read), before));
  }
  BELLOWS_CHECKED(sort_by_name(root, "revisions", list.revisions));
  return list;
}

std::string report_json(const Report& report) {
  json::Writer out;
  if (report.learned_target) out.number("learned_target", *report.learned_target);
  return out.end();
}

Result<Report> parse_report(std::string_view text) {
  BELLOWS_TRY(const json::Object root, json::parse(text, "report"));
  Report report;
  BELLOWS_TRY(report.learned_target, learned_target_at(root));
  return report;
}

std::string order_json(const ScaleOrder& order) {
  json::Writer out;
  out.integer("want", order.desired).open_list("drain_first");
  for (const PodName& name : order.drain_first) out.text(name.text());
  out.close().text("reason", order.reason);
  if (order.keep.empty()) return out.end();
  out.open_list("keep");
  for (const PodName& name : order.keep) out.text(name.text());
  return out.close().end();
}

static Result<std::vector<PodName>> names_at(const json::Object& root, std::string_view key) {
  BELLOWS_TRY(const std::vector<std::string> texts, json::texts(root, key));
  return std::vector<PodName>(texts.begin(), texts.end());
}

Result<ScaleOrder> parse_order(std::string_view text) {
  BELLOWS_TRY(const json::Object root, json::parse(text, "order"));
  ScaleOrder order;
  BELLOWS_TRY(order.desired, count_at<PodCount>(root, "want"));
  BELLOWS_TRY(order.drain_first, names_at(root, "drain_first"));
  if (root.has("keep")) {
    BELLOWS_TRY(order.keep, names_at(root, "keep"));
  }
  BELLOWS_TRY(order.reason, root.text("reason"));
  return order;
}

std::string error_json(const Error& error) {
  std::string message = error.message();
  if (error.cause() != nullptr) message += " (because " + to_string(*error.cause()) + ")";
  json::Writer out;
  json::write_error(out, Error(error.kind(), error.culprit(), std::move(message)));
  return out.end();
}

Error parse_error(std::string_view text) {
  auto root = json::parse(text, "error");
  if (!root) return std::move(root).error();
  Result<Error> error = json::read_error(*root);
  return error ? std::move(*error) : std::move(error).error();
}

}  // namespace bellows::cluster
