#include "cli/replay/replay_settings.hpp"

namespace bellows::cli {

const config::Schema<ReplaySettings>& replay_schema() {
  static const config::Schema<ReplaySettings> schema = [] {
    config::Schema<ReplaySettings> made;
    made.group("Rules");
    made.add_choice(&ReplaySettings::profile,
                    {{"bellows", ReplayProfile::kBellows},
                     {"knative", ReplayProfile::kKnative},
                     {"seed", ReplayProfile::kSeed}},
                    {.name = "profile",
                     .help = "Scaling rules: bellows; knative: exactly its arithmetic; seed: the "
                             "autoscaler of 2018."});
    return made;
  }();
  return schema;
}

}  // namespace bellows::cli
