// What the admin pages of all programs answer when they refuse.
#pragma once

#include <optional>
#include <string_view>

#include "base/error.hpp"

namespace bellows::replay {

/// Reads {"error":{"kind":"not-found","culprit":"shop","message":"..."}}; a kind that is not known
/// here is kUnavailable. Nothing: it is something else.
std::optional<Error> read_refusal(std::string_view page);

}  // namespace bellows::replay
