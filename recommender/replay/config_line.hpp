// The `config` object of a replay: settings by name, container policies, annotations.
#pragma once

#include "base/result.hpp"
#include "config/layer.hpp"
#include "json/object.hpp"
#include "recommender/core/workload_settings.hpp"

namespace bellows::recommender {

/// The settings of the config lines so far. A later line changes only the settings that it names;
/// container policies and annotations are replaced as a whole.
class ReplayConfig {
 public:
  /// `flags` take precedence over the lines.
  explicit ReplayConfig(config::Layer flags) : flags_(std::move(flags)) {}

  /// Applies a line. After an error (kMalformed: line, key, value, valid values) nothing has
  /// changed.
  Result<void> take(const json::Object& config);
  Result<WorkloadSettings> settings() const;

 private:
  config::Layer flags_;
  std::vector<config::Layer> lines_;
  std::vector<ContainerPolicy> containers_;
  std::map<std::string, std::string> annotations_;
};

}  // namespace bellows::recommender
