// Writes a plan as JSON (docs/slack.md).
#pragma once

#include <string>

#include "json/writer.hpp"
#include "slack/core/plan.hpp"

namespace bellows::slack {

/// Returns one object and a line break. A plan with an error scales nothing: its lists are empty.
std::string plan_json(const Plan& plan);

/// Returns true if an input error forbids scaling.
bool has_error(const Plan& plan);

/// Writes the members "cpu-millicores" and "memory-bytes".
void write_amount(json::Writer& out, const Resources& amount);

}  // namespace bellows::slack
