// Settings as somebody wrote them, before they are understood.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/field.hpp"

namespace bellows::config {

/// Where an entry stands.
enum class Source : std::uint8_t { kFile, kEnvironment, kFlag, kArgument, kProfile, kJson };

/// One value under the name that its author used for it.
struct Entry {
  Source source = Source::kFlag;
  std::string key;           ///< name or alias (without "--"), or the environment variable
  std::string value;         ///< its text, not yet read
  std::string place;         ///< "bellows.yaml:12"; "profile knative"; of JSON "line 3: spec."
  std::string problem = {};  ///< why there is no value to read, or empty
};

/// All entries of one origin. Later layers win: profile < file < environment < flag.
using Layer = std::vector<Entry>;

/// The culprit of an error about `entry`: "bellows.yaml:12: target", "environment USER_PORT",
/// "--target", "argument target", "profile knative: target", "line 3: spec.target".
std::string origin(const Entry& entry);

/// "--key value" as an entry.
Entry flag(std::string key, std::string value);

using Environment = std::map<std::string, std::string>;

/// The variables that belong to the declared settings. An empty variable counts as not set. A
/// variable that nobody declared, starts with BELLOWS_ and is nearly one of these is taken along,
/// so that the schema reports it as misspelt; all others belong to somebody else.
Layer environment_layer(const std::vector<Declaration>& declarations,
                        const Environment& environment);

}  // namespace bellows::config
