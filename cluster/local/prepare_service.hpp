// Finds the programs, folders and accounts of a service before its first replica starts.
#pragma once

#include <string>

#include "base/result.hpp"
#include "config/service.hpp"

namespace bellows::cluster {

/// Names or numbers; empty: that of Bellows.
struct Account {
  std::string user;
  std::string group;
};

/// Splits "USER:GROUP"; each part, and the colon with the second one, may be missing.
Account account_of(const std::string& text);

/// Returns `given`, or the program `name` that belongs to this one (sys::sibling_program). Fails
/// unless it is executable.
Result<std::string> own_program(const std::string& given, const std::string& name);

/// Replaces command[0] and stop[0] by the paths of their files, makes the working directory
/// absolute, adds the variables of the environment file, and replaces user and group by their
/// numbers. The error names the service, the program, the folder, or the file and its line.
Result<config::Service> prepared(config::Service service);

}  // namespace bellows::cluster
