// Profiles: named sets of settings that lie below everything the user says.
#pragma once

#include <string_view>

#include "config/layer.hpp"

namespace bellows::config {

/// What profile `name` sets, as the layer below all others: texts under the names of settings of
/// revision_schema(). "bellows" is empty, since its values are the defaults.
///   knative  Knative HEAD (knative/serving 98e5ef90, 21 Aug 2026)
///   seed     the autoscaler of 5 June 2018 (knative/serving ea02baa) and its document
Layer profile_layer(std::string_view name);

}  // namespace bellows::config
