// What the main of every program does around its own work.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "http/io/net.hpp"

namespace bellows::http {

/// Prepares the process (a write to a closed connection is an error instead of SIGPIPE; as many
/// descriptors as the hard limit allows), runs `body` on one io_context in this thread, and returns
/// the exit code: what the body returns, or 1 after logging an exception that left it. What is
/// still running on the io_context when the body has ended is freed, not finished.
int run_program(const std::function<Awaitable<int>(net::io_context&)>& body);

/// How many descriptors the process might have open (soft RLIMIT_NOFILE) before run_program()
/// raised that: what its child processes expect. nullopt: it was not raised.
std::optional<std::uint64_t> descriptors_before();

}  // namespace bellows::http
