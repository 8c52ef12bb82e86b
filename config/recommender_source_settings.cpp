#include "config/recommender_source_settings.hpp"

namespace bellows::config {

RecommenderLoopSettings one_machine_loop() {
  RecommenderLoopSettings settings;
  settings.interval = std::chrono::seconds(10);
  settings.usage_interval = std::chrono::seconds(10);
  return settings;
}

}  // namespace bellows::config
