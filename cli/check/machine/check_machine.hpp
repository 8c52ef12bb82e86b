// Checks of this machine before anything runs, for `bellows check`.
#pragma once

#include <vector>

#include "cli/check/item.hpp"
#include "config/bellows_file.hpp"
#include "http/io/net.hpp"

namespace bellows::cli {

/// Looks up the programs of the services and those of Bellows; starts nothing.
std::vector<CheckItem> program_items(const std::vector<config::Service>& services);

/// Notes time limits of services that do not fit together.
std::vector<CheckItem> time_limit_items(const std::vector<config::Service>& services);

/// Checks if the addresses can be listened on. `is_running`: a Bellows uses them already.
std::vector<CheckItem> port_items(http::net::io_context& io, const config::RunSettings& settings,
                                  bool is_running);

/// Checks if the fixed ports of services are free. `is_running`: their apps may have them.
std::vector<CheckItem> app_port_items(const std::vector<config::Service>& services,
                                      bool is_running);

/// Checks open files, control groups and swap, and which sizes are advice only and why. Only reads;
/// makes no group.
std::vector<CheckItem> limit_items(const std::vector<config::Service>& services);

/// Does the same for one limit of open files. Pure.
CheckItem open_files_item(std::size_t limit, const std::vector<config::Service>& services);

/// Checks if sizes of `services` are applied. `groups`: the error if there are no control groups.
/// Pure.
std::vector<CheckItem> size_items(const std::vector<config::Service>& services,
                                  const Result<void>& groups);

/// `swaps` is the text of /proc/swaps. Pure.
CheckItem swap_item(std::string_view swaps);

}  // namespace bellows::cli
