// What a peer may overdo, and how much of each it has done. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/rate_limit.hpp"
#include "base/time.hpp"
#include "http/h2/core/limits.hpp"

namespace bellows::http2 {

/// Why a connection was ended, or a request rejected. The connection ends with ENHANCE_YOUR_CALM
/// but for the last five.
enum class Abuse : std::uint8_t {
  kPeerResets,
  kCausedResets,
  kSettings,
  kPings,
  kPriorities,
  kWindowUpdates,
  kEmptyData,
  kUnknownFrames,
  kContinuations,
  kHeaderBlock,    ///< a field list many times over its limit
  kUnreadReplies,  ///< PING and SETTINGS whose acknowledgements it does not read
  kLateHead,       ///< a preface or a field block that does not end
  kStalled,        ///< it takes no byte of what it has asked for
  kClosedWindow,   ///< of one stream: the end of a response that it gives no window for
  kProtocolError,  ///< of the connection: the RFC has it ended
  kLargeHead,      ///< of one request: 431
  kMalformed,      ///< one message: RST_STREAM
};
inline constexpr std::size_t kAbuses = 17;
using AbuseCounts = std::array<std::uint64_t, kAbuses>;  ///< by kind

/// "peer_resets": the value of a label, and of a field of a log line.
std::string_view abuse_name(Abuse abuse);

/// How often each kind of frame came. Owner: a connection.
class AbuseMeter {
 public:
  explicit AbuseMeter(const Limits& limits);

  /// Counts one more at `now`. True if that is too many.
  bool note(Abuse abuse, TimePoint now);

 private:
  static constexpr std::size_t kMetered = 8;
  std::array<RateLimit, kMetered> buckets_;
};

/// PING and WINDOW_UPDATE that come because bytes came are no flood: gRPC measures its round trip
/// after each message, and many clients give back each DATA frame at once. So each HEADERS or DATA
/// frame, of either side, allows one PING and two WINDOW_UPDATEs that do not count. Owner: a
/// connection.
class FramesEarned {
 public:
  void note_message_frame() {
    has_ping_ = true;
    updates_ = std::min(updates_ + 2, kMostUpdates);
  }
  bool take_ping() { return std::exchange(has_ping_, false); }
  bool take_update() { return updates_ > 0 && updates_-- > 0; }

 private:
  static constexpr std::uint32_t kMostUpdates = 1000;  // answers come late, and then together
  std::uint32_t updates_ = 0;
  bool has_ping_ = false;
};

/// How many of each there were on all connections of an owner, and which the log should tell.
class AbuseCounters {
 public:
  static constexpr Duration kLogInterval = std::chrono::minutes(1);

  /// Counts one. If a line is due, returns how many there were since the last one, this included.
  std::optional<std::uint64_t> note(Abuse abuse, TimePoint now);
  std::uint64_t count(Abuse abuse) const { return rows_[index(abuse)].count; }
  AbuseCounts counts() const;

 private:
  struct Row {
    std::uint64_t count = 0;
    std::uint64_t told = 0;
    RateLimit lines{1, kLogInterval};
  };
  static std::size_t index(Abuse abuse) { return static_cast<std::size_t>(abuse); }
  std::array<Row, kAbuses> rows_{};
};

}  // namespace bellows::http2
