// The declarations behind RevisionSettings.
#pragma once

#include "config/revision_settings.hpp"
#include "config/schema.hpp"

namespace bellows::config {

/// Every per-revision setting with Knative's key, spellings, bounds and default (max-scale-up-rate
/// excepted: 10, from the seed, where Knative has 1000).
const Schema<RevisionSettings>& revision_schema();

/// What `bellows run` and `bellows up` start from on one machine: target 10, max-scale 8, and no
/// replica before the first request (initial-scale 0, which is allowed).
RevisionSettings one_machine_settings();

}  // namespace bellows::config
