// A filter between a file or standard input and standard output: the body of a `replay` command.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "replay/filter.hpp"

namespace bellows::replay {

/// Reads `file`, or standard input if there is none, to its end. Returns the exit code: 0 success;
/// 2 a line could not be parsed; 1 the file could not be read. An error is one line on standard
/// error that begins with `who`: "bellows replay windows: line 3: record: ...".
int run_filter(std::string_view who, Filter& filter, const std::optional<std::string>& file);

}  // namespace bellows::replay
