// The names of this machine, for AccessRules.
#pragma once

#include <string>
#include <vector>

namespace bellows::http {

/// Returns own_names() of the current host name and /etc/hosts.
std::vector<std::string> names_of_this_machine();

}  // namespace bellows::http
