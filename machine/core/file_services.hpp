// The services of a settings file, which share equal parts with what runs. Pure.
#pragma once

#include <vector>

#include "config/service.hpp"
#include "config/shared_service.hpp"

namespace bellows::machine {

using config::SharedService;

/// The services of a settings file, by name.
using FileServices = std::vector<SharedService>;

/// Services that equal one of `known` share it.
FileServices file_services(std::vector<config::Service> services, const FileServices& known = {});

}  // namespace bellows::machine
