// What a bellows.yaml means: the settings of `bellows up` and its services. The format is described
// in docs/bellows-yaml.md.
#pragma once

#include <span>
#include <vector>

#include "config/document.hpp"
#include "config/layer.hpp"
#include "config/run_settings.hpp"
#include "config/schema.hpp"
#include "config/service.hpp"

namespace bellows::config {

struct UpSettings {
  RunSettings run;
  std::vector<Service> services;  ///< in the file's order; at least one

  bool operator==(const UpSettings&) const = default;
};

/// The file below `above` (environment, then flags). Per-revision settings in `above` hold for
/// every service. All problems of the file and of `above` together, each once.
Checked<UpSettings> read_bellows_file(const Document& document, std::span<const Layer> above);

/// The one service of `bellows run`, from its settings and what stands behind "--". An empty
/// command is a problem.
Checked<Service> single_service(const RunSettings& settings, std::vector<std::string> command);

}  // namespace bellows::config
