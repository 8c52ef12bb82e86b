// The environment of this process.
#pragma once

#include "config/layer.hpp"

namespace bellows::config {

/// A copy of all variables. Call before any thread that might change them.
Environment read_environment();

}  // namespace bellows::config
