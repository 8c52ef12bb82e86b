// Conditions of an object's status (metav1.Condition).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace bellows::json {
class Writer;
}

namespace bellows::kubernetes {

class Fields;

enum class ConditionStatus : std::uint8_t { kUnknown, kFalse, kTrue };
std::string_view to_string(ConditionStatus status);       ///< "Unknown", "False", "True"
ConditionStatus condition_status(std::string_view text);  ///< kUnknown for any other text

/// One condition. Times are whole seconds on the wire.
struct Condition {
  std::string type;
  ConditionStatus status = ConditionStatus::kUnknown;
  std::string reason;          ///< one word in CamelCase; never empty in our conditions
  std::string message;         ///< for people
  WallTime last_transition{};  ///< last change of `status`
  std::int64_t observed_generation = 0;
  bool operator==(const Condition&) const = default;
};

/// Reads one condition.
Condition read_condition(const Fields& condition);

/// Reads the list under `key` (usually "conditions").
std::vector<Condition> read_conditions(const Fields& object, std::string_view key);

const Condition* find_condition(const std::vector<Condition>& conditions, std::string_view type);

/// Replaces the condition of the type of `wanted`, or appends `wanted`. last_transition becomes
/// `now` only if the status changes, as apimachinery's SetStatusCondition does; else it stays.
/// Returns true if anything but the time changed.
bool merge_condition(std::vector<Condition>& conditions, Condition wanted, WallTime now);

/// Writes `"conditions":[{"type":...}]` as a member of the open object.
void write_conditions(json::Writer& writer, const std::vector<Condition>& conditions);

}  // namespace bellows::kubernetes
