// The frame of every program's main function.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "http/io/net.hpp"

namespace bellows::http {

/// Prepares the process (a write to a closed connection is an error instead of SIGPIPE; as many
/// descriptors as the hard limit allows), runs `body` on one io_context in this thread, and returns
/// the exit code: the result of the body, or 1 after logging an exception that left it. Operations
/// that are still pending on the io_context when the body has ended are freed without running.
int run_program(const std::function<Awaitable<int>(net::io_context&)>& body);

/// Returns the soft RLIMIT_NOFILE before run_program() raised it, for child processes. Returns
/// nullopt if it was not raised.
std::optional<std::uint64_t> initial_descriptor_limit();

}  // namespace bellows::http
