// Interprets a bellows.yaml: the settings of `bellows up` and its services. docs/bellows-yaml.md
// describes the format.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/document.hpp"
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

/// Checks the policies of a service's settings; the error names key, value and what is valid, with
/// a culprit that begins "autoscaling." or is "policy".
using PolicyCheck = std::function<Result<void>(const RevisionSettings&)>;

/// Reads the file; the layers `above` (environment, then flags) override it. Per-revision settings
/// in `above` hold for every service. Returns the problems of the file and of `above` together,
/// each once. `check_policies` may be empty; its error gets the line of the key that it names.
Checked<UpSettings> read_bellows_file(const Document& document, std::span<const Layer> above,
                                      const PolicyCheck& check_policies = {});

/// Returns the service of `bellows run`, from its settings and the command after "--". An empty
/// command is a problem.
Checked<Service> single_service(const RunSettings& settings, std::vector<std::string> command);

}  // namespace bellows::config
