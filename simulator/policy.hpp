// Policies to compare: a profile and settings that override it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/revision_settings.hpp"
#include "config/schema.hpp"
#include "simulator/app_model.hpp"

namespace bellows::simulator {

struct Policy {
  std::string name;  ///< as written: "bellows:waiting-percentage=1"
  config::RevisionSettings settings;
};

/// Returns the content of a file.
using ReadFile = std::function<Result<std::string>(const std::string& path)>;

/// Parses `list`, policies separated by commas; each is a profile, followed by settings after
/// colons: "bellows,knative,bellows:waiting-percentage=1:window=30s". `common` has settings of all
/// policies, "min-scale=2,max-scale=50"; the settings of a policy override them. A simulation has
/// some defaults of its own (docs/simulate.md). A value @FILE is what `read` returns for FILE:
/// autoscaling=@triggers.json. On error it returns all problems, each with the text and what is
/// valid.
config::Checked<std::vector<Policy>> read_policies(std::string_view list, std::string_view common,
                                                   const ReadFile& read = {});

/// Returns an error for every setting that a simulation does not support: scaling by memory,
/// scaling by CPU if requests of `app` need none, and too many replicas.
std::vector<Error> not_simulated(const std::vector<Policy>& policies, const AppModel& app);

}  // namespace bellows::simulator
