#include "kubernetes/core/condition.hpp"

#include <algorithm>

#include "base/timestamp_text.hpp"
#include "json/writer.hpp"
#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

std::string_view to_string(ConditionStatus status) {
  switch (status) {
    case ConditionStatus::kTrue:
      return "True";
    case ConditionStatus::kFalse:
      return "False";
    case ConditionStatus::kUnknown:
      break;
  }
  return "Unknown";
}

ConditionStatus condition_status(std::string_view text) {
  if (text == "True") return ConditionStatus::kTrue;
  return text == "False" ? ConditionStatus::kFalse : ConditionStatus::kUnknown;
}

Condition read_condition(const Fields& condition) {
  return {.type = condition.text("type"),
          .status = condition_status(condition.view("status")),
          .reason = condition.text("reason"),
          .message = condition.text("message"),
          .last_transition = condition.time("lastTransitionTime").value_or(WallTime()),
          .observed_generation = condition.integer("observedGeneration")};
}

std::vector<Condition> read_conditions(const Fields& object, std::string_view key) {
  std::vector<Condition> conditions;
  object.each(key, [&conditions](const Fields& condition) {
    conditions.push_back(read_condition(condition));
  });
  conditions.shrink_to_fit();
  return conditions;
}

const Condition* find_condition(const std::vector<Condition>& conditions, std::string_view type) {
  const auto at = std::find_if(conditions.begin(), conditions.end(),
                               [type](const Condition& one) { return one.type == type; });
  return at == conditions.end() ? nullptr : &*at;
}

bool merge_condition(std::vector<Condition>& conditions, Condition wanted, WallTime now) {
  const auto at = std::find_if(conditions.begin(), conditions.end(),
                               [&wanted](const Condition& one) { return one.type == wanted.type; });
  if (at == conditions.end()) {
    wanted.last_transition = now;
    conditions.push_back(std::move(wanted));
    return true;
  }
  wanted.last_transition = wanted.status == at->status ? at->last_transition : now;
  if (wanted == *at) return false;
  *at = std::move(wanted);
  return true;
}

void write_conditions(json::Writer& writer, const std::vector<Condition>& conditions) {
  writer.open_list("conditions");
  for (const Condition& condition : conditions) {
    writer.open()
        .text("type", condition.type)
        .text("status", to_string(condition.status))
        .text("reason", condition.reason)
        .text("message", condition.message)
        .text("lastTransitionTime", timestamp_text(condition.last_transition));
    if (condition.observed_generation > 0) {
      writer.integer("observedGeneration", condition.observed_generation);
    }
    writer.close();
  }
  writer.close();
}

}  // namespace bellows::kubernetes
