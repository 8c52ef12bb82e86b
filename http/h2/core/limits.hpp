// Limits of the cost of one HTTP/2 connection, whatever its peer sends. Pure.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.hpp"

namespace bellows::http2 {

/// Allowed rate of an action that costs us more than the peer: `burst` times at once, and
/// `per_second` in the long run.
struct Rate {
  std::uint32_t burst = 0;
  std::uint32_t per_second = 0;
};

/// Limits of one connection, the same for both sides.
struct Limits {
  std::uint32_t max_streams = 100;              ///< concurrent streams that the peer may open
  std::uint32_t stream_window = 65'535;         ///< bytes of a body that its reader has not read
  std::uint32_t connection_window = 1U << 20U;  ///< bytes in transit on all streams
  std::uint32_t unsent = 64 * 1024;   ///< bytes of a body that a stream buffers beyond its window
  std::uint32_t unsent_interims = 8;  ///< interim heads that a stream buffers until they are sent
  std::uint32_t interim_bytes = 256 * 1024;  ///< interim heads that the reader has not read
  std::uint32_t header_bytes = 32 * 1024;    ///< field list: names, values, 32 for each field
  std::uint32_t header_fields = 100;
  std::uint32_t trailer_bytes = 8 * 1024;  ///< field list of trailers, the same way
  std::uint32_t continuations = 16;        ///< CONTINUATION frames of one field block
  Rate peer_resets{1000, 33};   ///< RST_STREAM by the peer for its own streams (CVE-2023-44487)
  Rate caused_resets{100, 10};  ///< resets that the peer provoked (CVE-2025-8671)
  Rate settings{20, 1};
  Rate pings{50, 5};                ///< beyond FramesEarned
  Rate priorities{500, 50};         ///< PRIORITY and PRIORITY_UPDATE
  Rate window_updates{4000, 1000};  ///< beyond FramesEarned, less than a kilobyte each
  Rate empty_data{200, 20};         ///< DATA frames without a byte that end no stream
  Rate unknown_frames{200, 20};     ///< types unknown to this version of the protocol
  Duration head_time = std::chrono::seconds(10);    ///< to complete the preface or a field block
  Duration stall_time = std::chrono::seconds(60);   ///< to read any byte that was sent
  Duration unread_time = std::chrono::seconds(30);  ///< for the end of a response whose session has
                                                    ///< ended, while its window is closed
  Duration idle_time = std::chrono::seconds(75);    ///< without a stream, before a GOAWAY
};

}  // namespace bellows::http2
