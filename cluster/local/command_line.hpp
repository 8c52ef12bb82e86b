// The command of a service, made ready for one replica.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace bellows::cluster {

/// Replaces $PORT and ${PORT} by the number, nothing else: $PORTX, ${PORT:-1}, $$PORT and $port
/// stay as they are. Pure.
std::vector<std::string> with_port(const std::vector<std::string>& command, std::uint16_t port);

/// The file that exec would take for `program`: itself if it has a slash (seen from
/// `working_directory`, empty: here), else the first executable file of that name in `search_path`
/// (as PATH). kNotFound or kSystem: "nonexistent: no such program in PATH", "./app: not
/// executable".
Result<std::string> find_program(std::string_view program, std::string_view working_directory,
                                 std::string_view search_path);

}  // namespace bellows::cluster
