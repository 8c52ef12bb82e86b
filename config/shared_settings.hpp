// One copy of settings that many revisions have. Pure.
#pragma once

#include <cstddef>
#include <memory>

#include "config/revision_settings.hpp"

namespace bellows::config {

/// Settings that never change. Owners: all who use them.
using SettingsPtr = std::shared_ptr<const RevisionSettings>;

/// Returns a copy of `settings`, or this thread's copy of equal ones. A thread keeps the last
/// kRememberedSettings different ones, because thousands of services have the same few.
SettingsPtr shared_settings(const RevisionSettings& settings);
inline constexpr std::size_t kRememberedSettings = 16;

}  // namespace bellows::config
