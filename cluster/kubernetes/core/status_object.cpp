#include "cluster/kubernetes/core/status_object.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/timestamp_text.hpp"
#include "json/writer.hpp"
#include "kubernetes/core/patch.hpp"

namespace bellows::cluster {

namespace {

/// The types whose messages quote what users wrote: 5 in place of 4 is news there.
constexpr std::array<std::string_view, 3> kQuoting = {"SettingsValid", "SettingsInEffect",
                                                      "ServiceFound"};

bool is_number(std::string_view word) {
  const std::size_t first = word.find_first_not_of("+-(\"");
  return first != std::string_view::npos && word[first] >= '0' && word[first] <= '9';
}

/// Returns `message` without its numbers, which move while its cause stays: replicas, rates,
/// seconds. A number within a name counts: web-1.
std::string without_numbers(std::string_view message) {
  std::string words;
  while (!message.empty()) {
    const std::string_view word = message.substr(0, message.find(' '));
    message.remove_prefix(std::min(message.size(), word.size() + 1));
    if (!is_number(word)) words.append(word).push_back(' ');
  }
  return words;
}

/// What a user sees of a condition.
struct Seen {
  kubernetes::ConditionStatus status;
  std::string reason;
  std::string words;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> seen_by_users(const StatusObject& status) {
  std::vector<Seen> seen;
  for (const kubernetes::Condition& condition : status.conditions) {
    const bool is_quoting = std::ranges::find(kQuoting, condition.type) != kQuoting.end();
    seen.push_back({.status = condition.status,
                    .reason = condition.reason,
                    .words = is_quoting ? condition.message : without_numbers(condition.message)});
  }
  return seen;
}

void write_resting_ports(json::Writer& writer, const std::map<std::uint16_t, WallTime>& ports) {
  if (ports.empty()) return;
  writer.open_list("restingPorts");
  for (const auto& [port, since] : ports) {
    writer.open().integer("port", port).text("since", timestamp_text(since)).close();
  }
  writer.close();
}

std::string status_json(const StatusObject& status) {
  json::Writer writer;
  writer.integer("observedGeneration", status.observed_generation);
  kubernetes::write_conditions(writer, status.conditions);
  writer.integer("replicas", status.replicas).integer("readyReplicas", status.ready_replicas);
  writer.integer("desiredReplicas", status.desired_replicas);
  if (!status.mode.empty()) writer.text("mode", status.mode);
  if (!status.reason.empty()) writer.text("reason", status.reason);
  if (status.has_settings) {
    writer.open("settings");
    for (const auto& [name, text] : status.settings) writer.text(name, text);
    writer.close();
  }
  if (status.learned_target) writer.number("learnedTarget", *status.learned_target);
  if (status.activator_port != 0) writer.integer("activatorPort", status.activator_port);
  write_resting_ports(writer, status.resting_ports);
  if (!status.saved_state.empty()) writer.text("savedState", status.saved_state);
  return writer.end();
}

}  // namespace

StatusObject status_of(const Record& record, const Standing& standing,
                       const std::vector<kubernetes::Condition>& before, WallTime now) {
  StatusObject status;
  status.observed_generation = record.object->meta.generation;
  status.conditions = before;
  for (kubernetes::Condition& condition : conditions_of(standing)) {
    condition.observed_generation = status.observed_generation;
    kubernetes::merge_condition(status.conditions, std::move(condition), now);
  }
  status.replicas = standing.there;
  status.ready_replicas = standing.ready;
  status.desired_replicas = standing.report ? standing.report->desired : standing.requested;
  if (standing.report) {
    status.mode = standing.report->mode;
    status.reason = standing.report->reason;
    status.saved_state = standing.report->saved_state;
    status.learned_target = standing.report->learned_target;
  } else {
    status.saved_state = record.object->status.saved_state;
    status.learned_target = record.object->status.learned_target;
  }
  status.activator_port =
      standing.activator_port != 0 ? standing.activator_port : record.object->status.activator_port;
  status.resting_ports = standing.resting_ports;
  status.has_settings = record.has_settings;
  status.settings = record.settings_texts;
  return status;
}

std::optional<StatusChange> change_of(const StatusObject& before, const StatusObject& after,
                                      bool is_moving) {
  if (before == after) return std::nullopt;
  const bool is_seen =
      before.observed_generation != after.observed_generation ||
      before.replicas != after.replicas || before.ready_replicas != after.ready_replicas ||
      before.desired_replicas != after.desired_replicas || before.mode != after.mode ||
      before.learned_target != after.learned_target ||
      before.activator_port != after.activator_port ||
      before.resting_ports != after.resting_ports || before.settings != after.settings ||
      before.has_settings != after.has_settings || seen_by_users(before) != seen_by_users(after);
  if (!is_seen) return StatusChange::kMinor;
  return is_moving ? StatusChange::kMoving : StatusChange::kSettled;
}

std::string status_patch(const std::string& uid, const StatusObject& status) {
  return kubernetes::JsonPatch()
      .test("/metadata/uid", uid)
      .add_json("/status", status_json(status))
      .body();
}

}  // namespace bellows::cluster
