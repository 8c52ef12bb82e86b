// Why the user of an app cannot execute its program.
#pragma once

#include <string>

namespace bellows::cluster {

/// Returns "user nobody may not enter the folder /srv/a, which is on the path of /srv/a/app", or
/// "user nobody may not execute /srv/a/app"; empty: it may, or that is not known. `user`: "UID:GID"
/// of an app, which has no other groups; empty: that of Bellows, not checked. It reads owners and
/// modes; an access control list is taken for one that allows.
std::string access_problem(const std::string& program, const std::string& user);

/// Returns the same about the user of Bellows and the folders on the path, as the kernel decides.
std::string own_access_problem(const std::string& program);

/// Returns why exec has failed with the errno `name`, with the program, and the folder, the user or
/// the interpreter as far as they can be found out: "/srv/app: no such program (ENOENT)".
std::string exec_problem(const std::string& name, const std::string& program,
                         const std::string& user);

}  // namespace bellows::cluster
