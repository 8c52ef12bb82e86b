// Kinds of abuse by a peer, and their counts. Pure.
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

/// Reasons to end a connection or to reject a request. The connection ends with ENHANCE_YOUR_CALM,
/// except for the last five.
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
  kHeaderBlock,    ///< a field list many times larger than its limit
  kUnreadReplies,  ///< PING and SETTINGS whose acknowledgements the peer does not read
  kLateHead,       ///< a preface or a field block that is not completed
  kStalled,        ///< the peer reads none of the bytes it requested
  kClosedWindow,   ///< a stream whose peer opens no window for the end of a response
  kProtocolError,  ///< a connection error of the RFC
  kLargeHead,      ///< one request is rejected with 431
  kMalformed,      ///< one message is reset with RST_STREAM
};
inline constexpr std::size_t kAbuses = 17;
using AbuseCounts = std::array<std::uint64_t, kAbuses>;  ///< indexed by kind

/// Returns the value of a label, and of a field of a log line: "peer_resets".
std::string_view abuse_name(Abuse abuse);

/// Meters the rate of each kind of frame. Owner: a connection.
class AbuseMeter {
 public:
  explicit AbuseMeter(const Limits& limits);

  /// Counts one more at `now`. Returns true if the rate exceeds its limit.
  bool note(Abuse abuse, TimePoint now);

 private:
  static constexpr std::size_t kMetered = 8;
  std::array<RateLimit, kMetered> buckets_;
};

/// Exempts PING and WINDOW_UPDATE frames that follow messages from the rates: gRPC measures its
/// round trip after each message, and many clients return the window after each DATA frame. Each
/// HEADERS or DATA frame, of either side, allows one PING and two WINDOW_UPDATEs that do not count.
/// Owner: a connection.
class FramesEarned {
 public:
  void note_message_frame() {
    has_ping_ = true;
    updates_ = std::min(updates_ + 2, kMostUpdates);
  }
  bool take_ping() { return std::exchange(has_ping_, false); }
  bool take_update() { return updates_ > 0 && updates_-- > 0; }

 private:
  // Answers may be late, and then arrive together.
  static constexpr std::uint32_t kMostUpdates = 1000;
  std::uint32_t updates_ = 0;
  bool has_ping_ = false;
};

/// Counts each kind on all connections of an owner, and limits the log lines about them.
class AbuseCounters {
 public:
  static constexpr Duration kLogInterval = std::chrono::minutes(1);

  /// Counts one. If a log line is due, returns the number since the last line, this one included.
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
