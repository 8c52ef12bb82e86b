// Running a machine in the foreground until a signal ends it.
#pragma once

#include <functional>

#include "cli/machine/machine.hpp"

namespace bellows::cli {

/// What happens beside the machine while it runs: the live line, or the demonstration's story. When
/// it ends by itself, the machine is stopped.
using Beside =
    std::function<http::Awaitable<void>(http::net::io_context&, Machine&, const MachineAddresses&)>;

/// What SIGHUP asks for: the settings are read again.
using OnHangUp = std::function<void(Machine&)>;

/// Starts the machine, runs it until SIGINT or SIGTERM (a second one kills), and stops it.
/// The error of start(), or nothing. With `on_hang_up` SIGHUP calls it, except when it came because
/// the terminal was closed: that ends the machine as SIGTERM does. Without it SIGHUP ends the
/// process at once.
Result<void> run_until_told(config::RunSettings settings, std::vector<config::Service> services,
                            Beside beside, OnHangUp on_hang_up = nullptr);

}  // namespace bellows::cli
