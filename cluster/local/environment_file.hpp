// A file of environment variables for an app. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bellows::cluster {

/// Reads lines of NAME=VALUE. Empty lines and those that begin with # are skipped; a value in one
/// pair of single or double quotes loses them; nothing else is replaced. kInvalidSetting naming
/// `name` and the line: no =, a name that is not one, PORT (Bellows sets it).
Result<std::map<std::string, std::string>> parse_environment_file(std::string_view text,
                                                                  const std::string& name);

}  // namespace bellows::cluster
