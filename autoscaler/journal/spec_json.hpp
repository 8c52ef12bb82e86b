// The settings that decisions rest on, as the object `spec` of a line (docs/replay.md).
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

/// Every setting of a revision that scaling rests on, profile and switches of rules included.
const std::vector<config::Declaration>& scaling_declarations();

/// All keys of `spec`, a line each with what is valid and the default, under headings.
std::string spec_help();

/// What the spec lines so far ask for.
struct Spec {
  config::RevisionSettings settings;
  TargetOverride given;      ///< `target-value`, `total-value`
  bool is_reachable = true;  ///< `reachable`

  ScalingSpec scaling() const { return scaling_spec(settings, given); }
};

/// Reads one spec line after the other: each changes only the keys that it names; a key that is
/// null is as if it had never been named. Owner: one replay.
class SpecReader {
 public:
  /// `profile` is the one that holds unless a line names another: a value of that setting.
  explicit SpecReader(std::string_view profile);

  /// The spec after `line`, whose key `spec` is read. kMalformed names line, key, value and what is
  /// valid; nothing is taken over then.
  Result<Spec> take(const json::Object& line);

 private:
  config::Layer profile_;
  config::Layer named_;  // one entry for each setting, by the setting's name
  Spec spec_;
};

/// Member `spec` with what differs from the profile's values, the profile itself always. What
/// `before` named and is not named any more is null.
void write_spec(json::Writer& line, const config::RevisionSettings& settings,
                const config::RevisionSettings* before);

}  // namespace bellows::autoscaler::journal
