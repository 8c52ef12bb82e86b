// main() of a program that makes one file of this repository: settings_page, crd_manifest.
#pragma once

#include <string_view>

namespace bellows::sys {

/// Writes `content` to the file named by the only argument, or to standard output without an
/// argument. Any flag, `--help` included, prints the usage and writes nothing. Returns the exit
/// code: 0; 1 if the file cannot be written; 2 if the arguments are wrong.
int write_generated_file(int argc, char** argv, std::string_view content);

}  // namespace bellows::sys
