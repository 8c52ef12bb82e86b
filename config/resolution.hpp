// Reads layers of text by declarations: the values, their origins, and every problem.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "config/field.hpp"
#include "config/layer.hpp"

namespace bellows::config {

/// A value, or every problem that was found. Each Error is kInvalidSetting with the origin of the
/// text as culprit: "bellows.yaml:12: target". A program prints all of them and exits with 2.
template <class T>
using Checked = tl::expected<T, std::vector<Error>>;

/// Returns one line per problem, for standard error. Each begins with `command`, if any:
/// "recommender replay: --policy: ...".
std::string problems_text(const std::vector<Error>& problems, std::string_view command = {});

/// The values of the declared settings in the layers, by the index of the declaration.
struct Resolution {
  struct Setting {
    Value value;
    std::string text;
    std::string origin;
  };
  std::vector<std::optional<Setting>> winners;  ///< from the last layer that has it
  std::vector<bool> broken;                     ///< invalid in some layer
  std::vector<Error> problems;
};

/// Reads every entry of every layer, including overridden ones. Problems: unknown keys (with a
/// suggestion), a setting twice in one layer, invalid values, missing required settings.
Resolution resolve(const std::vector<Declaration>& declarations, std::span<const Layer> layers);

/// Adds the settings of `below` that no layer has. `below` is a profile of our own and must be
/// valid.
void resolve_below(const std::vector<Declaration>& declarations, const Layer& below,
                   Resolution& resolution);

/// Profiles: each value of one choice selects a layer below all others.
struct Profiles {
  std::string setting;  ///< the name of the choice
  Layer (*layer)(std::string_view profile) = nullptr;
};

/// The value of one setting implies values of others that no layer has.
struct Implied {
  std::string setting;
  Layer (*layer)(std::string_view text) = nullptr;
};

/// A changed setting, as text; empty: not set.
struct Change {
  std::string name;
  std::string before;
  std::string after;
  bool operator==(const Change&) const = default;
};

/// Returns "target 10 -> 20, max-scale 8 -> 4".
std::string changes_text(const std::vector<Change>& changes);

/// Returns the declaration with the name or alias `key`, or nullptr.
const Declaration* find(const std::vector<Declaration>& declarations, std::string_view key);

/// Returns `declaration` with `prefix` before its name and without aliases; unchanged if `prefix`
/// is empty.
Declaration prefixed(Declaration declaration, const std::string& prefix);

/// Returns the error of a broken rule. Its culprit is the first of `settings` that was set
/// explicitly; the message names the other values with their origins.
Error broken_rule(const std::vector<Declaration>& declarations, const Resolution& resolution,
                  const std::vector<std::string>& settings, const std::string& want);

/// Returns true if one of `settings` is invalid in some layer, so that a rule about it adds no
/// information.
bool any_broken(const std::vector<Declaration>& declarations, const Resolution& resolution,
                const std::vector<std::string>& settings);

}  // namespace bellows::config
