// Flags of the replay commands.
#pragma once

#include <cstdint>

#include "config/schema.hpp"

namespace bellows::cli {

/// The scaling rules that are replayed.
enum class ReplayProfile : std::uint8_t { kBellows, kKnative, kSeed };

struct ReplaySettings {
  ReplayProfile profile = ReplayProfile::kBellows;
};

const config::Schema<ReplaySettings>& replay_schema();

}  // namespace bellows::cli
