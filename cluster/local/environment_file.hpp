// A file of environment variables for an app. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bellows::cluster {

/// Reads lines of NAME=VALUE. Skips empty lines and those that begin with #; removes one pair of
/// single or double quotes around a value, and replaces nothing else. kInvalidSetting naming `name`
/// and the line: no =, an invalid name, PORT (Bellows sets it).
Result<std::map<std::string, std::string>> parse_environment_file(std::string_view text,
                                                                  const std::string& name);

}  // namespace bellows::cluster
