// The declarations of RevisionSettings.
#pragma once

#include "config/revision_settings.hpp"
#include "config/schema.hpp"

namespace bellows::config {

/// Returns every per-revision setting, with Knative's key, spellings, bounds and default;
/// max-scale-up-rate is 10, as in the seed, where Knative has 1000.
const Schema<RevisionSettings>& revision_schema();

/// Returns the defaults of `bellows run` and `bellows up`: target 10, max-scale 8, and no replica
/// before the first request (initial-scale 0).
RevisionSettings one_machine_settings();

/// Returns that a queue-age other than the default leaves no time for the request itself, because
/// revision-timeout includes the wait; empty: it does.
std::string queue_age_note(const RevisionSettings& settings);

}  // namespace bellows::config
