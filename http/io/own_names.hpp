// The names of this machine, for AccessRules.
#pragma once

#include <string>
#include <vector>

namespace bellows::http {

/// own_names() of the host name and of /etc/hosts as they are now.
std::vector<std::string> names_of_this_machine();

}  // namespace bellows::http
