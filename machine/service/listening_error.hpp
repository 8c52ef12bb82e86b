// What a user does when a listener cannot be opened. Pure.
#pragma once

#include <string_view>

#include "base/error.hpp"

namespace bellows::machine {

/// Returns an error that names the setting whose address cannot be listened at, the address, and
/// what helps; an error of another kind stays as it is. `cause` is one of a listener: its culprit
/// is the address.
Error listening_error(Error cause, std::string_view setting);

}  // namespace bellows::machine
