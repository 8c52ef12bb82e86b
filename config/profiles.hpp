// Profiles: named sets of default values.
#pragma once

#include <string_view>

#include "config/layer.hpp"
#include "config/revision_settings.hpp"

namespace bellows::config {

/// Returns the settings of profile `name` (names of revision_schema()) as the lowest layer.
/// "bellows" is empty, since its values are the defaults.
///   knative  Knative HEAD (knative/serving 98e5ef90, 21 Aug 2026)
///   seed     the autoscaler of 5 June 2018 (knative/serving ea02baa) and its document
Layer profile_layer(std::string_view name);

/// Sets the options that only a profile changes.
void set_rules_of(Profile profile, ScalingRules& rules);

}  // namespace bellows::config
