// The line that an app wrote last, within the text that says how the app ended. Pure.
#pragma once

#include <string>
#include <string_view>

namespace bellows::cluster {

/// Returns "exited with code 3, last line: no database". The line may contain anything, secrets
/// too.
std::string with_app_line(std::string how, std::string_view line);

/// Removes each such line, and the rest of its string, from a page: JSON, lines of JSON or series
/// of metrics.
void withhold_app_lines(std::string& page);

}  // namespace bellows::cluster
