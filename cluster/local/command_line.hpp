// The command of a service for one replica.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bellows::cluster {

/// Replaces only $PORT and ${PORT} by the number: $PORTX, ${PORT:-1}, $$PORT and $port stay. Pure.
std::vector<std::string> with_port(const std::vector<std::string>& command, std::uint16_t port);

/// Returns the file that exec would run for `program`: itself if it has a slash (relative to
/// `working_directory`; empty: the current one), otherwise the first executable file with that name
/// in `search_path` (like PATH). kNotFound or kSystem: "nonexistent: no such program in PATH",
/// "./app: not executable".
Result<std::string> find_program(std::string_view program, std::string_view working_directory,
                                 std::string_view search_path);

}  // namespace bellows::cluster
