// What is looked up before the first replica is started.
#pragma once

#include <string>

#include "base/result.hpp"
#include "config/service.hpp"

namespace bellows::cluster {

/// `given`, or `name` in the folder of the running program; an executable file in any case.
Result<std::string> own_program(const std::string& given, const std::string& name);

/// Puts the file to run in place of command[0] and makes the working directory absolute. The error
/// names the service, the program or the folder.
Result<config::Service> prepared(config::Service service);

}  // namespace bellows::cluster
