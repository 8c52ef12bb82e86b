// A plan as JSON (docs/slack.md).
#pragma once

#include <string>

#include "json/writer.hpp"
#include "slack/core/plan.hpp"

namespace bellows::slack {

/// One object and a line break. A plan with an error scales nothing: its lists are empty.
std::string plan_json(const Plan& plan);

/// True if the input is wrong in a way that forbids scaling.
bool has_error(const Plan& plan);

/// The members "cpu-millicores" and "memory-bytes".
void write_amount(json::Writer& out, const Resources& amount);

}  // namespace bellows::slack
