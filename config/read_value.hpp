// Converts a text to the value of a declared setting.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "config/field.hpp"

namespace bellows::config {

/// Reads `text`, which was set under `name` (name, alias or variable). The culprit of the error
/// is `name`; the message is `"0": want a number >= 0.01`.
Result<Value> read_value(const Declaration& declaration, std::string_view name,
                         std::string_view text);

/// Returns "seconds" for REVISION_TIMEOUT_SECONDS, whose value is a bare number of that unit; empty
/// for names without a unit.
std::string_view bare_number_unit(std::string_view name);

}  // namespace bellows::config
