// What one connection of HTTP/2 may cost, whatever its peer sends. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.hpp"

namespace bellows::http2 {

/// How often a peer may do something that costs us more than it. `burst` times at once, and
/// `per_second` times a second for ever.
struct Rate {
  std::uint32_t burst = 0;
  std::uint32_t per_second = 0;
};

/// Of one connection. The same for both sides.
struct Limits {
  std::uint32_t max_streams = 100;              ///< open at once, that the peer may begin
  std::uint32_t stream_window = 65'535;         ///< bytes of a body that wait for their reader
  std::uint32_t connection_window = 1U << 20U;  ///< bytes on their way, of all streams
  std::uint32_t unsent = 64 * 1024;   ///< bytes of a body that a stream takes beyond its window
  std::uint32_t unsent_interims = 8;  ///< interim heads that a stream takes beyond what is sent
  std::uint32_t interim_bytes = 256 * 1024;  ///< of interim heads that wait for their reader
  std::uint32_t header_bytes = 32 * 1024;    ///< of a field list: names, values, 32 for each field
  std::uint32_t header_fields = 100;
  std::uint32_t trailer_bytes = 8 * 1024;  ///< likewise
  std::uint32_t continuations = 16;        ///< CONTINUATION frames of one field block
  Rate peer_resets{1000, 33};  ///< RST_STREAM by the peer of streams that it began (CVE-2023-44487)
  Rate caused_resets{100, 10};  ///< of streams that the peer made us reset (CVE-2025-8671)
  Rate settings{20, 1};
  Rate pings{50, 5};                ///< beyond FramesEarned, as window_updates
  Rate priorities{500, 50};         ///< PRIORITY and PRIORITY_UPDATE
  Rate window_updates{4000, 1000};  ///< of less than a kilobyte each
  Rate empty_data{200, 20};         ///< DATA frames without a byte that end no stream
  Rate unknown_frames{200, 20};     ///< of types that this version of the protocol does not have
  Duration head_time = std::chrono::seconds(10);    ///< for the preface, and a field block
  Duration stall_time = std::chrono::seconds(60);   ///< for a peer that takes no byte of ours
  Duration unread_time = std::chrono::seconds(30);  ///< for the end of a response whose session has
                                                    ///< ended, while its window is closed
  Duration idle_time = std::chrono::seconds(75);    ///< without a stream, then GOAWAY
};

}  // namespace bellows::http2
