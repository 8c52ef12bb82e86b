// The policy types that Bellows knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/core/policy/policy.hpp"

namespace bellows::autoscaler {

using PolicyTypes = std::vector<PolicyType>;

// Each is defined in the file of its type.
PolicyType buffer_policy();
PolicyType chain_policy();
PolicyType concurrency_policy();
PolicyType counter_policy();
PolicyType room_occupancy_policy();
PolicyType schedule_policy();
PolicyType triggers_policy();
PolicyType webhook_policy();

/// Returns all of them, in the order of the documentation.
const PolicyTypes& policy_types();

/// nullptr: there is none of that name.
const PolicyType* find_policy(const PolicyTypes& types, std::string_view name);

/// "concurrency, triggers, ...".
std::string names_of(const PolicyTypes& types);

/// A policy from {"type":NAME,...parameters}: an entry of a chain.
Result<PolicyPtr> make_policy(const json::Object& entry);

}  // namespace bellows::autoscaler
