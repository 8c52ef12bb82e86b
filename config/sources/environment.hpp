// The environment of this process.
#pragma once

#include <string>

#include "config/layer.hpp"

namespace bellows::config {

/// A copy of all variables. Call it before any thread that may change them starts.
Environment read_environment();

/// XDG_RUNTIME_DIR, where this user's sockets belong; empty: there is none.
std::string runtime_folder();

/// Where this user's logs belong: bellows in XDG_STATE_HOME, or in ~/.local/state.
std::string state_folder();

}  // namespace bellows::config
