#include "autoscaler/core/policy/registry.hpp"

namespace bellows::autoscaler {

const PolicyTypes& policy_types() {
  static const PolicyTypes types = {
      concurrency_policy(), triggers_policy(), schedule_policy(), chain_policy(),
      webhook_policy(),     counter_policy(),  buffer_policy(),   room_occupancy_policy(),
  };
  return types;
}

const PolicyType* find_policy(const PolicyTypes& types, std::string_view name) {
  for (const PolicyType& type : types) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

std::string names_of(const PolicyTypes& types) {
  std::string names;
  for (const PolicyType& type : types)
    names += (names.empty() ? "" : ", ") + std::string(type.name);
  return names;
}

Result<PolicyPtr> make_policy(const json::Object& entry) {
  BELLOWS_TRY(const std::string name, entry.text("type"));
  const PolicyType* type = find_policy(policy_types(), name);
  if (type == nullptr) {
    return fail(entry.invalid("type", "one of " + names_of(policy_types())));
  }
  return type->make(entry);
}

}  // namespace bellows::autoscaler
