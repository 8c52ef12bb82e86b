// What kind of socket a caller uses.
#pragma once

#include <cstdint>

namespace bellows::proxy {

enum class DownstreamKind : std::uint8_t {
  kTcp,
  kUnix,  ///< has no address and no reset: its end looks the same however it comes
};

}  // namespace bellows::proxy
