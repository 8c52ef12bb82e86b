// The services of a settings file, which share equal parts with the running services. Pure.
#pragma once

#include <vector>

#include "config/service.hpp"
#include "config/shared_service.hpp"

namespace bellows::machine {

using config::SharedService;

/// The services of a settings file, by name.
using FileServices = std::vector<SharedService>;

/// Returns the services; one that equals one of `known` shares it.
FileServices file_services(std::vector<config::Service> services, const FileServices& known = {});

}  // namespace bellows::machine
