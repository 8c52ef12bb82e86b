// The line that an app wrote last, in the text that says how the app ended. Pure.
#pragma once

#include <string>
#include <string_view>

namespace bellows::cluster {

/// "exited with code 3, last line: no database". The line may hold anything, secrets too.
std::string with_app_line(std::string how, std::string_view line);

/// Removes each such line, and what follows it in its string, from a page: JSON, lines of JSON or
/// series of metrics.
void withhold_app_lines(std::string& page);

}  // namespace bellows::cluster
