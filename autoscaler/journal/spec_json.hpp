// The settings that decisions depend on, as the object `spec` of a line (docs/formats/replay.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/core/scaling_spec.hpp"
#include "base/result.hpp"
#include "config/field.hpp"
#include "config/layer.hpp"
#include "config/revision_settings.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::journal {

/// Returns every setting on which scaling depends, profile and rule settings included.
const std::vector<config::Declaration>& scaling_declarations();

/// Returns all keys of `spec`, one per line with valid values and default, under headings.
std::string spec_help();

/// The result of the spec lines until now.
struct Spec {
  config::RevisionSettings settings;  ///< `min-scale-from` too
  TargetOverride given;               ///< `target-value`, `total-value`
  bool is_reachable = true;           ///< `reachable`

  ScalingSpec scaling() const { return scaling_spec(settings, given); }
};

/// Reads one spec line after the other: each changes only the keys that it names; null unsets a
/// key. Owner: one replay.
class SpecReader {
 public:
  /// `profile`, a value of that setting, applies unless a line names another one.
  explicit SpecReader(std::string_view profile);

  /// Returns the spec after `line`, whose key `spec` is read. kMalformed names line, key, value and
  /// what is valid; the line changes nothing then.
  Result<Spec> take(const json::Object& line);

 private:
  config::Layer profile_;
  config::Layer named_;  // one entry for each setting, by the setting's name
  Spec spec_;
};

/// Writes member `spec` with the values that differ from the profile, and the profile. A setting
/// that only `before` has becomes null.
void write_spec(json::Writer& line, const config::RevisionSettings& settings,
                const config::RevisionSettings* before);

}  // namespace bellows::autoscaler::journal
