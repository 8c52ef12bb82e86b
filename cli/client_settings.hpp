// Flags of the commands that ask a running Bellows.
#pragma once

#include <cstdint>

#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "config/schema.hpp"

namespace bellows::cli {

enum class Output : std::uint8_t { kTable, kWide, kJson };

struct ClientSettings {
  Endpoint admin{.host = "127.0.0.1", .port = 8081, .unix_path = {}};
  Output output = Output::kTable;               ///< status
  Duration interval = std::chrono::seconds(1);  ///< top
  bool once = false;                            ///< top
};

const config::Schema<ClientSettings>& retire_schema();
const config::Schema<ClientSettings>& status_schema();
const config::Schema<ClientSettings>& top_schema();

}  // namespace bellows::cli
