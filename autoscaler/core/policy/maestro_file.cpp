#include "autoscaler/core/policy/maestro_file.hpp"

#include <algorithm>
#include <vector>

#include "autoscaler/core/policy/registry.hpp"
#include "autoscaler/triggers/trigger_config.hpp"
#include "config/autoscaling_text.hpp"

namespace bellows::autoscaler {
namespace {

using Kind = DocumentNode::Kind;

/// Returns why a key is not converted, for those of which more is known than the comment says.
std::string_view reason_of(std::string_view path) {
  if (path == "autoscaling") return " (enabled is false, so roomsReplicas decides)";
  if (path.starts_with("autoscaling.") && path.ends_with(".delta")) {
    return " (only triggers of type legacy have one)";
  }
  if (path.starts_with("autoscaling.") && path.ends_with(".trigger")) {
    return " (metricsTrigger replaces it)";
  }
  const bool is_limits = path == "limits" || path.ends_with(".limits");
  return is_limits ? " (cpu-limit and memory-limit, which need control groups)" : "";
}

/// A scheduler's file, and which of its values were taken.
class Scheduler {
 public:
  explicit Scheduler(const Document& document) : document_(document) {}

  const DocumentNode& root() const { return document_.root; }

  /// Returns the value of a key without taking it; nullptr if there is none.
  static const DocumentNode* find(const DocumentNode& map, std::string_view key) {
    const auto member = std::ranges::find(map.members, key, &DocumentMember::key);
    return member == map.members.end() ? nullptr : &member->value;
  }
  /// Returns the value of a key; nullptr if there is none.
  const DocumentNode* take(const DocumentNode& map, std::string_view key) {
    const DocumentNode* value = find(map, key);
    if (value != nullptr) taken_.push_back(value);
    return value;
  }
  /// Takes a scalar.
  std::string text(const DocumentNode& map, std::string_view key, const std::string& fallback) {
    const DocumentNode* value = take(map, key);
    return value != nullptr && value->kind == Kind::kText ? value->text : fallback;
  }

  /// Returns a comment with the line and path of each key that was not taken; empty without one.
  std::string rest() const {
    std::string lines;
    add_rest(root(), "", lines);
    if (lines.empty()) return {};
    return "# Not converted, because Bellows has nothing like it or it is set elsewhere:\n" + lines;
  }

  /// Returns the error with the line of its key, which begins with "autoscaling.".
  tl::unexpected<Error> at_line(const DocumentNode& autoscaling, const Error& error) const {
    constexpr std::string_view kPrefix = "autoscaling.";
    const std::string& key = error.culprit();
    const int line =
        key.starts_with(kPrefix)
            ? config::line_of(autoscaling, std::string_view(key).substr(kPrefix.size()))
            : autoscaling.line;
    return fail(error.kind(), document_.file + ":" + std::to_string(line) + ": " + key,
                error.message());
  }
  tl::unexpected<Error> missing_number(const DocumentNode& enabled) const {
    return fail(ErrorKind::kMalformed,
                document_.file + ":" + std::to_string(enabled.line) + ": autoscaling.enabled",
                "false: want roomsReplicas, the number of rooms without autoscaling");
  }
  tl::unexpected<Error> missing_autoscaling() const {
    return fail(ErrorKind::kMalformed, document_.file + ":1: autoscaling",
                "it is missing; want a scheduler's YAML");
  }

 private:
  bool is_taken(const DocumentNode& node) const {
    return std::ranges::find(taken_, &node) != taken_.end();
  }
  bool has_taken(const DocumentNode& node) const {
    const auto has = [this](const DocumentNode& each) { return is_taken(each) || has_taken(each); };
    return std::ranges::any_of(node.items, has) ||
           std::ranges::any_of(node.members, has, &DocumentMember::value);
  }
  void add_rest(const DocumentNode& node, const std::string& path, std::string& lines) const {
    const auto add = [&](const DocumentNode& each, const std::string& name, int line) {
      if (is_taken(each)) return;
      if (has_taken(each)) return add_rest(each, name, lines);
      lines += "#   " + document_.file + ":" + std::to_string(line) + ": " + name +
               std::string(reason_of(name)) + "\n";
    };
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      add(node.items[i], path + "[" + std::to_string(i) + "]", node.items[i].line);
    }
    for (const DocumentMember& member : node.members) {
      add(member.value, (path.empty() ? "" : path + ".") + member.key, member.line);
    }
  }

  const Document& document_;
  std::vector<const DocumentNode*> taken_;
};

/// Returns the first container: of `spec` in v10, of the scheduler or the scheduler itself in v9.
const DocumentNode& container_of(const Scheduler& scheduler) {
  const DocumentNode* spec = Scheduler::find(scheduler.root(), "spec");
  const DocumentNode* list =
      Scheduler::find(spec != nullptr ? *spec : scheduler.root(), "containers");
  return list != nullptr && !list->items.empty() ? list->items.front() : scheduler.root();
}

/// Returns the program of a container, its `cmd` or `command`, or its image without one.
std::string command_of(Scheduler& scheduler, const DocumentNode& container) {
  for (const std::string_view key : {"cmd", "command"}) {
    const DocumentNode* command = Scheduler::find(container, key);
    if (command == nullptr || command->kind != Kind::kList || command->items.empty()) continue;
    return config::json_text(*scheduler.take(container, key));
  }
  return "[" + json::quoted(scheduler.text(container, "image", "PROGRAM")) + "]";
}

/// Returns the variables that have a value, `env` or `environment`, as a map; empty without any.
std::string environment_of(Scheduler& scheduler, const DocumentNode& container) {
  json::Writer map;
  bool has_any = false;
  for (const std::string_view key : {"env", "environment"}) {
    const DocumentNode* list = Scheduler::find(container, key);
    if (list == nullptr) continue;
    for (const DocumentNode& variable : list->items) {
      const DocumentNode* value = Scheduler::find(variable, "value");
      if (value == nullptr || value->kind != Kind::kText) continue;
      has_any = true;
      scheduler.take(variable, "value");
      map.text(scheduler.text(variable, "name", ""), value->text);
    }
  }
  return has_any ? map.end() : std::string();
}

/// Takes what triggers use: a delta is one of type legacy or of the panic scale, and a list of
/// triggers replaces the older one.
void take_direction(Scheduler& scheduler, const DocumentNode& direction, bool has_panic) {
  const bool has_list = Scheduler::find(direction, "metricsTrigger") != nullptr;
  for (const DocumentMember& member : direction.members) {
    const bool is_of_panic = has_panic && (member.key == "delta" || member.key == "trigger");
    if (member.key == "delta" && !is_of_panic) continue;
    if (member.key == "trigger" && has_list && !is_of_panic) continue;
    if (member.key != "metricsTrigger" || member.value.items.empty()) {
      scheduler.take(direction, member.key);
      continue;
    }
    for (const DocumentNode& trigger : member.value.items) {
      const DocumentNode* type = Scheduler::find(trigger, "type");
      const bool has_delta = type != nullptr && type->text == "legacy";
      for (const DocumentMember& part : trigger.members) {
        if (part.key != "delta" || has_delta) scheduler.take(trigger, part.key);
      }
    }
  }
}

void take_triggers(Scheduler& scheduler, const DocumentNode& autoscaling, bool has_panic) {
  if (autoscaling.members.empty()) scheduler.take(scheduler.root(), "autoscaling");
  for (const DocumentMember& member : autoscaling.members) {
    const bool is_direction = member.key == "up" || member.key == "down";
    if (is_direction && !member.value.members.empty()) {
      take_direction(scheduler, member.value, has_panic && member.key == "up");
    } else {
      scheduler.take(autoscaling, member.key);
    }
  }
}

/// Returns the lines of v9's triggers.
Result<std::string> triggers_of(Scheduler& scheduler, const DocumentNode& autoscaling) {
  const auto object = json::parse(config::json_text(autoscaling), "autoscaling");
  if (!object) return scheduler.at_line(autoscaling, object.error());
  const auto read = triggers::read_config(*object);
  if (!read) return scheduler.at_line(autoscaling, read.error());
  json::Writer config;
  triggers::write_config(config, *read);
  take_triggers(scheduler, autoscaling, read->panic.has_value());
  return "    policy: triggers\n    autoscaling: " + config.end() + "\n";
}

/// A policy of v10 under its name here.
struct NewPolicy {
  std::string_view type;
  std::string_view name;
};

Result<NewPolicy> new_policy_of(Scheduler& scheduler, const DocumentNode& autoscaling,
                                const DocumentNode& policy) {
  const std::string type = scheduler.text(policy, "type", "");
  for (const NewPolicy& each :
       {NewPolicy{"roomOccupancy", "roomOccupancy"}, NewPolicy{"fixedBuffer", "buffer"}}) {
    if (each.type == type) return each;
  }
  return scheduler.at_line(autoscaling,
                           {ErrorKind::kMalformed, "autoscaling.policy.type",
                            json::quoted(type) + ": want roomOccupancy or fixedBuffer"});
}

/// Returns the parameters of v10's policy as an object of JSON.
std::string parameters_of(Scheduler& scheduler, const DocumentNode& autoscaling,
                          const DocumentNode* given) {
  json::Writer parameters;
  if (given != nullptr) {
    for (const DocumentMember& member : given->members) {
      scheduler.take(*given, member.key);
      parameters.raw(member.key, config::json_text(member.value));
    }
  }
  if (const DocumentNode* cooldown = scheduler.take(autoscaling, "cooldown")) {
    parameters.raw("cooldown", config::json_text(*cooldown));
  }
  return parameters.end();
}

/// Returns the lines of v10's limits: -1 means none there, and 0 here.
std::string limits_of(Scheduler& scheduler, const DocumentNode& autoscaling) {
  const std::string max = scheduler.text(autoscaling, "max", "0");
  return "    min-scale: " + scheduler.text(autoscaling, "min", "1") +
         "\n    max-scale: " + (max == "-1" ? "0" : max) + "\n";
}

/// Returns the lines of a policy of v10.
Result<std::string> policy_of(Scheduler& scheduler, const DocumentNode& autoscaling,
                              const DocumentNode& policy) {
  scheduler.take(autoscaling, "enabled");
  BELLOWS_TRY(const NewPolicy chosen, new_policy_of(scheduler, autoscaling, policy));
  const DocumentNode* all = Scheduler::find(policy, "parameters");
  const DocumentNode* own = all != nullptr ? Scheduler::find(*all, chosen.type) : nullptr;
  const std::string parameters = parameters_of(scheduler, autoscaling, own);
  const auto object =
      json::parse(parameters, "autoscaling.policy.parameters." + std::string(chosen.type));
  if (!object) return scheduler.at_line(autoscaling, object.error());
  const auto made = find_policy(policy_types(), chosen.name)->make(*object);
  if (!made) return scheduler.at_line(autoscaling, made.error());
  json::Writer named;
  named.raw(chosen.name, parameters);
  return limits_of(scheduler, autoscaling) + "    policy: " + std::string(chosen.name) +
         "\n    autoscaling: " + named.end() + "\n";
}

/// Returns the lines of a fixed number of rooms, as v10 has them without autoscaling.
/// `enabled`: false, as it is written; nullptr: there is no autoscaling.
Result<std::string> fixed_number_of(Scheduler& scheduler, const DocumentNode* enabled) {
  const std::string rooms = scheduler.text(scheduler.root(), "roomsReplicas", "");
  if (rooms.empty() && enabled != nullptr) return scheduler.missing_number(*enabled);
  if (rooms.empty()) return scheduler.missing_autoscaling();
  return "    min-scale: " + rooms + "\n    max-scale: " + rooms + "\n";
}

Result<std::string> scaling_of(Scheduler& scheduler) {
  const DocumentNode* autoscaling = Scheduler::find(scheduler.root(), "autoscaling");
  if (autoscaling == nullptr) return fixed_number_of(scheduler, nullptr);
  const DocumentNode* enabled = Scheduler::find(*autoscaling, "enabled");
  if (enabled != nullptr && enabled->text == "false") {
    return fixed_number_of(scheduler, enabled);
  }
  const DocumentNode* policy = Scheduler::find(*autoscaling, "policy");
  return policy != nullptr ? policy_of(scheduler, *autoscaling, *policy)
                           : triggers_of(scheduler, *autoscaling);
}

}  // namespace

Result<std::string> converted_scheduler(const Document& document) {
  Scheduler scheduler(document);
  BELLOWS_TRY(const std::string scaling, scaling_of(scheduler));
  const DocumentNode& container = container_of(scheduler);
  std::string yaml = "services:\n  - name: " + scheduler.text(scheduler.root(), "name", "rooms") +
                     "\n    command: " + command_of(scheduler, container) + "\n";
  if (const std::string environment = environment_of(scheduler, container); !environment.empty()) {
    yaml += "    environment: " + environment + "\n";
  }
  if (const DocumentNode* requests = scheduler.take(container, "requests")) {
    yaml += "    requests: " + config::json_text(*requests) + "\n";
  }
  return scheduler.rest() + yaml + scaling;
}

}  // namespace bellows::autoscaler
