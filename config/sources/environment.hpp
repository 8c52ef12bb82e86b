// The environment of this process.
#pragma once

#include "config/layer.hpp"

namespace bellows::config {

/// A copy of all variables. Call it before any thread that may change them starts.
Environment read_environment();

}  // namespace bellows::config
