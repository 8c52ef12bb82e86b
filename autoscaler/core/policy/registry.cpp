#include "autoscaler/core/policy/registry.hpp"

// One line a type. A type's file defines NAME_policy().
#define BELLOWS_POLICIES(REGISTER) \
  REGISTER(concurrency)            \
  REGISTER(triggers)               \
  REGISTER(schedule)               \
  REGISTER(chain)                  \
  REGISTER(webhook)                \
  REGISTER(counter)                \
  REGISTER(buffer)                 \
  REGISTER(room_occupancy)

namespace bellows::autoscaler {

#define BELLOWS_DECLARE_POLICY(name) PolicyType name##_policy();
BELLOWS_POLICIES(BELLOWS_DECLARE_POLICY)
#undef BELLOWS_DECLARE_POLICY

const PolicyTypes& policy_types() {
#define BELLOWS_LIST_POLICY(name) name##_policy(),
  static const PolicyTypes types = {BELLOWS_POLICIES(BELLOWS_LIST_POLICY)};
#undef BELLOWS_LIST_POLICY
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
