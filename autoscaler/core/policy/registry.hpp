// The policy types that Bellows knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/core/policy/policy.hpp"

namespace bellows::autoscaler {

using PolicyTypes = std::vector<PolicyType>;

/// All of them, in the order of the documentation.
const PolicyTypes& policy_types();

/// nullptr: there is none of that name.
const PolicyType* find_policy(const PolicyTypes& types, std::string_view name);

/// "concurrency, triggers, ...".
std::string names_of(const PolicyTypes& types);

/// A policy from {"type":NAME,...parameters}: an entry of a chain.
Result<PolicyPtr> make_policy(const json::Object& entry);

}  // namespace bellows::autoscaler
