// The flags of `recommender explain`.
#pragma once

#include <optional>
#include <vector>

#include "base/endpoint.hpp"
#include "config/schema.hpp"

namespace bellows::recommender {

struct ExplainSettings {
  std::optional<Endpoint> admin;  ///< of a running program; unset: FILE is read
};

const config::Schema<ExplainSettings>& explain_schema();

/// Returns the settings of the command: its own, and those of the policies.
const std::vector<config::Declaration>& explain_declarations();

}  // namespace bellows::recommender
