// The number of event loops that serve callers.
#pragma once

#include <cstddef>
#include <string>

#include "config/field.hpp"

namespace bellows::config {

/// Accepts "auto", or a whole number from 1 to 64.
TextFormat workers_format();

/// Returns the number for a text that workers_format() accepts. "auto" means `cores`, those that
/// the process may use.
std::size_t worker_count(const std::string& workers, std::size_t cores);

}  // namespace bellows::config
