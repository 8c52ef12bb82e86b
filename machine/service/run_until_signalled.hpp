// Runs a machine in the foreground until a signal stops it.
#pragma once

#include <functional>

#include "machine/service/machine.hpp"

namespace bellows::machine {

/// Runs beside the machine: the live status lines, or the script of the demonstration. The machine
/// stops when the task completes.
using BackgroundTask =
    std::function<http::Awaitable<void>(http::net::io_context&, Machine&, const MachineAddresses&)>;

/// Called on SIGHUP and by `bellows reload`: reloads the settings.
using OnReload = std::function<http::Awaitable<Reloaded>(http::net::io_context&, Machine&)>;

/// Starts the machine, runs it until SIGINT, SIGTERM (a second one kills it) or `bellows down`, and
/// stops it. Returns the error of start(), or success. SIGHUP calls `on_reload`. A SIGHUP of a
/// closed terminal, and any SIGHUP without `on_reload`, stops the machine as SIGTERM does. A SIGHUP
/// that was ignored at the start (nohup) never stops the machine.
///
/// Sockets that a service manager passes replace `listen` and `admin`, and it is notified when the
/// machine is ready, reloads and stops (base/sys/service_manager.hpp). Call it before threads
/// start.
Result<void> run_until_signalled(config::RunSettings settings,
                                 std::vector<config::Service> services, BackgroundTask background,
                                 OnReload on_reload = nullptr,
                                 ReadSettings read_settings = nullptr);

}  // namespace bellows::machine
