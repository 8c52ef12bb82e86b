// What `recommender --help` prints, and each of its commands.
#pragma once

#include <string>
#include <string_view>

namespace bellows::recommender {

/// All commands, a line each.
std::string overview();
/// Of "replay", "explain" or "score"; `serve` has its own.
std::string help_of(std::string_view command);
/// Every setting of the policies: keys of `config` lines, and flags of every command.
std::string settings_help();

}  // namespace bellows::recommender
