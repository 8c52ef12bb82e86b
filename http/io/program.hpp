// What the main function of every program does around its own work.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "http/io/net.hpp"

namespace bellows::http {

/// Prepares the process (a write to a closed connection is an error instead of SIGPIPE; as many
/// descriptors as the hard limit allows), runs `body` on one io_context in this thread, and returns
/// the exit code: what the body returns, or 1 after logging an exception that left it. What still
/// runs on the io_context when the body has ended is freed, not finished.
int run_program(const std::function<Awaitable<int>(net::io_context&)>& body);

/// The soft RLIMIT_NOFILE before run_program() raised it, for child processes. nullopt if it was
/// not raised.
std::optional<std::uint64_t> initial_descriptor_limit();

}  // namespace bellows::http
