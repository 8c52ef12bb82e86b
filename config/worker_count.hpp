// The number of event loops that serve callers.
#pragma once

#include <cstddef>
#include <string>

#include "config/field.hpp"
#include "config/schema.hpp"

namespace bellows::config {

/// Accepts "auto", or a whole number from 1 to 64.
TextFormat workers_format();

/// Returns the number for a text that workers_format() accepts. `cores`: those that the process may
/// use, for "auto".
std::size_t worker_count(const std::string& workers, std::size_t cores);

template <class Settings>
void declare_workers(Schema<Settings>& schema) {
  schema.add(
      &Settings::workers,
      {.name = "workers",
       .format = workers_format(),
       .help =
           "Event loops that serve callers, each a thread with its own connections; order and "
           "slots are the same with any number. auto: as many as the processors that the process "
           "may use. Raise it if one loop needs a whole processor (docs/production.md)."});
}

}  // namespace bellows::config
