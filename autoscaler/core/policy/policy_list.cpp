#include "autoscaler/core/policy/policy_list.hpp"

#include <algorithm>
#include <utility>

#include "autoscaler/triggers/trigger_config.hpp"

namespace bellows::autoscaler {
namespace {

constexpr std::string_view kConcurrency = "concurrency";
constexpr std::string_view kTriggers = "triggers";

std::vector<std::string> split(std::string_view names) {
  std::vector<std::string> parts;
  std::string part;
  for (const char letter : names) {
    if (letter == ',') {
      parts.push_back(std::exchange(part, {}));
    } else if (letter != ' ') {
      part += letter;
    }
  }
  if (!part.empty() || !parts.empty()) parts.push_back(part);
  return parts;
}

Result<json::Object> parse_parameters(std::string_view autoscaling) {
  return json::parse(autoscaling.empty() ? "{}" : autoscaling, "autoscaling");
}

bool has_trigger_keys(const json::Object& parameters) {
  return std::ranges::any_of(triggers::config_keys(),
                             [&](std::string_view key) { return parameters.has(key); });
}

Result<void> check_names(const std::vector<std::string>& names, const PolicyTypes& types) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (find_policy(types, names[i]) == nullptr) {
      return fail(
          ErrorKind::kMalformed, "policy",
          "\"" + names[i] + "\": want names of " + names_of(types) + ", separated by commas");
    }
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i)) {
      return fail(ErrorKind::kMalformed, "policy", "\"" + names[i] + "\": want each name once");
    }
  }
  return {};
}

/// Parameters of a policy that does not decide are a mistake.
Result<void> check_keys(const json::Object& parameters, const std::vector<std::string>& names,
                        const PolicyTypes& types) {
  const auto is_named = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto& of_triggers = triggers::config_keys();
  std::vector<std::string_view> known = of_triggers;
  for (const PolicyType& type : types) known.push_back(type.name);
  BELLOWS_CHECKED(triggers::only_known(parameters, known));
  for (const std::string_view key : parameters.keys()) {
    const bool is_of_triggers =
        std::find(of_triggers.begin(), of_triggers.end(), key) != of_triggers.end();
    const std::string_view owner = is_of_triggers ? kTriggers : key;
    if (!is_named(owner)) {
      return fail(parameters.invalid(
          key, "it left out, or " + std::string(owner) + " among the names of policy"));
    }
  }
  return {};
}

}  // namespace

bool PolicySlot::operator==(const PolicySlot& other) const {
  const auto written = [](const PolicySlot& slot) {
    json::Writer out;
    slot.memory.write(out, TimePoint{});
    return out.end();
  };
  return policy == other.policy && written(*this) == written(other);
}

Result<PolicyList> PolicyList::make(std::string_view names, std::string_view autoscaling,
                                    const PolicyTypes& types) {
  BELLOWS_TRY(const json::Object parameters, parse_parameters(autoscaling));
  std::vector<std::string> chosen = split(names);
  if (chosen.empty()) {
    chosen.emplace_back(has_trigger_keys(parameters) ? kTriggers : kConcurrency);
  }
  BELLOWS_CHECKED(check_names(chosen, types));
  BELLOWS_CHECKED(check_keys(parameters, chosen, types));
  PolicyList list;
  if (chosen == std::vector<std::string>{std::string(kConcurrency)}) return list;
  std::vector<Named> named;
  for (const std::string& name : chosen) {
    const PolicyType& type = *find_policy(types, name);
    if (type.needs_parameters && name != kTriggers && !parameters.has(name)) {
      return fail(parameters.invalid(name, "its parameters, because policy names it"));
    }
    std::optional<json::Object> own = parameters;
    if (name != kTriggers && parameters.has(name)) {
      BELLOWS_TRY(own, parameters.object(name));
    }
    if (name != kTriggers && !parameters.has(name)) {
      BELLOWS_TRY(own, json::parse("{}", "autoscaling." + name));
    }
    BELLOWS_TRY(PolicyPtr policy, type.make(*own));
    named.push_back({name, std::move(policy)});
  }
  std::vector<WebhookQuestion> questions;
  for (const Named& each : named) each.policy->add_questions(questions);
  list.made_ = std::make_shared<const Made>(Made{
      std::string(names) + "\n" + std::string(autoscaling), std::move(named), !questions.empty()});
  return list;
}

bool PolicyList::operator==(const PolicyList& other) const {
  if (made_ == other.made_) return true;
  return made_ && other.made_ && made_->source == other.made_->source;
}

bool PolicyList::uses_load() const {
  return is_plain() ||
         std::ranges::any_of(named(), [](const Named& each) { return each.policy->uses_load(); });
}

Duration PolicyList::period(const PolicyMemories& memories, TimePoint at) const {
  if (is_plain()) return kEvaluationPeriod;
  static const PolicyMemory none{};
  Duration period = Duration::max();
  for (std::size_t i = 0; i < named().size(); ++i) {
    const PolicyMemory& memory = fits(memories, i) ? memories[i].memory : none;
    period = std::min(period, named()[i].policy->period(memory, at));
  }
  return period;
}

std::vector<std::string> PolicyList::names() const {
  if (is_plain()) return {std::string(kConcurrency)};
  std::vector<std::string> names;
  for (const Named& each : named()) names.push_back(each.name);
  return names;
}

PolicyMemory PolicyList::begun(const PolicyMemories& memories, std::size_t index) const {
  const auto slot = std::ranges::find(memories, named()[index].name, &PolicySlot::policy);
  PolicyMemory memory = slot == memories.end() ? PolicyMemory() : slot->memory;
  named()[index].policy->fit(memory);
  return memory;
}

bool PolicyList::fits(const PolicyMemories& memories, std::size_t index) const {
  return index < memories.size() && memories[index].owner == named()[index].policy;
}

PolicyOutcome PolicyList::propose(const PolicyInput& input, const PolicyMemories& memories) const {
  PolicyOutcome outcome;
  outcome.proposals.reserve(named().size());
  PodCount best = -1;
  for (std::size_t i = 0; i < named().size(); ++i) {
    const Policy& policy = *named()[i].policy;
    Proposal proposal = fits(memories, i) ? policy.propose(input, memories[i].memory)
                                          : policy.propose(input, begun(memories, i));
    if (proposal.replicas && *proposal.replicas > best) {
      best = *proposal.replicas;
      outcome.winner = static_cast<std::int32_t>(i);
      outcome.name = named()[i].name;
      outcome.is_by_load = proposal.is_by_load;
    }
    outcome.proposals.push_back(std::move(proposal));
  }
  return outcome;
}

void PolicyList::remember(PolicyMemories& memories, const PolicyInput& input,
                          const PolicyOutcome& outcome) const {
  PolicyMemories next;
  for (std::size_t i = 0; i < named().size(); ++i) {
    const auto& [name, policy] = named()[i];
    PolicyMemory memory = fits(memories, i) ? std::move(memories[i].memory) : begun(memories, i);
    policy->remember(memory, input, outcome.proposals[i]);
    next.push_back({name, std::move(memory), policy});
  }
  memories = std::move(next);
}

std::vector<std::string> PolicyList::ahead(const PolicySeen& seen) const {
  std::vector<std::string> lines;
  for (const Named& each : named()) {
    if (std::string line = each.policy->ahead(seen); !line.empty()) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::vector<WebhookQuestion> PolicyList::questions() const {
  std::vector<WebhookQuestion> questions;
  for (const Named& each : named()) each.policy->add_questions(questions);
  return questions;
}

}  // namespace bellows::autoscaler
