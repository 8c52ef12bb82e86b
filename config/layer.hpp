// Settings as text with its origin, before they are parsed.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/field.hpp"

namespace bellows::config {

/// The origin of an entry.
enum class Source : std::uint8_t { kFile, kEnvironment, kFlag, kArgument, kProfile, kJson };

/// The text of one value, under the name that the user wrote.
struct Entry {
  Source source = Source::kFlag;
  std::string key;           ///< name or alias (without "--"), or the environment variable
  std::string value;         ///< its text, not yet parsed
  std::string place;         ///< "bellows.yaml:12"; "profile knative"; of JSON "line 3: spec."
  std::string problem = {};  ///< the reason that there is no value, or empty
};

/// All entries of one origin. Later layers override earlier ones: profile < file < environment <
/// flag.
using Layer = std::vector<Entry>;

/// Returns the culprit of an error about `entry`: "bellows.yaml:12: target", "environment
/// USER_PORT", "--target", "argument target", "profile knative: target", "line 3: spec.target".
std::string origin(const Entry& entry);

/// Returns "--key value" as an entry.
Entry flag(std::string key, std::string value);

using Environment = std::map<std::string, std::string>;

/// Returns the variables of the declared settings. An empty variable counts as unset. The layer
/// also has undeclared variables that start with BELLOWS_ and are similar to a declared one, so
/// that the schema reports them as misspelt. All others are ignored.
Layer environment_layer(const std::vector<Declaration>& declarations,
                        const Environment& environment);

/// Returns the variables that look like settings of Bellows and have no effect on a program with
/// these settings: another program reads them, or none. The apps' own ones are left out.
std::vector<std::string> variables_without_effect(const std::vector<Declaration>& declarations,
                                                  const Environment& environment);

}  // namespace bellows::config
