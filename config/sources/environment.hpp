// The environment of this process.
#pragma once

#include <string>

#include "config/layer.hpp"

namespace bellows::config {

/// Copies all variables. Call it before any thread that may change them starts.
Environment read_environment();

/// Returns XDG_RUNTIME_DIR, the folder of this user's sockets; empty: there is none.
std::string runtime_folder();

/// Returns the folder of this user's logs: bellows in XDG_STATE_HOME, or in ~/.local/state.
std::string state_folder();

}  // namespace bellows::config
