// The X-Bellows-* header fields, by which the hops of Bellows (activator and queue-proxy) exchange
// what callers and apps never see: their names, one writer and one reader. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "http/core/head.hpp"

namespace bellows::proxy {

/// The name of a header field: as it is written, and in lower case for Fields::find().
struct HopHeaderName {
  std::string_view written;
  std::string_view lower;
};

/// Why Bellows replied itself: the kind of an error, "probe", "max-forwards", "https",
/// "challenge". Callers get it too.
inline constexpr HopHeaderName kReasonHeader{"X-Bellows-Reason", "x-bellows-reason"};
/// How many milliseconds the request waited in queues. Callers get it if they ask for it.
inline constexpr HopHeaderName kQueueTimeHeader{"X-Bellows-Queue-Ms", "x-bellows-queue-ms"};
/// How many requests the replica runs and queues, this one included.
inline constexpr HopHeaderName kInFlightHeader{"X-Bellows-In-Flight", "x-bellows-in-flight"};
/// "elsewhere": another replica may be tried.
inline constexpr HopHeaderName kRetryHeader{"X-Bellows-Retry", "x-bellows-retry"};
/// How often the app may have received the request. Without it, once if the reason is a reset.
inline constexpr HopHeaderName kRunsHeader{"X-Bellows-Runs", "x-bellows-runs"};
/// "timeout": the request timed out in the queue of the replica.
inline constexpr HopHeaderName kQueueHeader{"X-Bellows-Queue", "x-bellows-queue"};

/// Of a request: how long it may wait for a slot of the replica, which refuses it then with
/// kRetryHeader. Absent: as long as the queue of the replica allows.
inline constexpr HopHeaderName kWaitHeader{"X-Bellows-Wait", "x-bellows-wait"};

/// The whole text of a local reply, for the log of the hop before.
inline constexpr HopHeaderName kDetailHeader{"X-Bellows-Detail", "x-bellows-detail"};

/// Names a request in logs; in lower case. Callers choose it, or get one with an error.
inline constexpr std::string_view kRequestIdHeader = "x-request-id";

/// What an inner hop reports with a response. Absent fields are not written.
struct HopHeaders {
  std::optional<std::int32_t> in_flight = std::nullopt;
  std::optional<std::int64_t> queue_ms = std::nullopt;
  std::optional<std::string_view> reason = std::nullopt;
  /// The app never received the request (it could not be reached, or `reason` is "overloaded": no
  /// slot was free), or the request is idempotent and the app closed the connection before it
  /// responded. `reason` says which.
  bool may_retry_elsewhere = false;
  /// Of such a reply: how often the app may have received the request.
  std::optional<std::int32_t> runs = std::nullopt;
  /// The app is not to blame for the timeout.
  bool timed_out_in_queue = false;
  std::optional<std::string_view> detail = std::nullopt;  ///< printable
};

/// Appends the header lines, each with its CRLF.
void append_hop_headers(const HopHeaders& headers, std::string& lines);

/// Reads the fields of a response. A number that is malformed, negative or above 2^31 - 1 counts as
/// absent. The views point into `fields`.
HopHeaders read_hop_headers(const http::Fields& fields);

/// True if the response has a kRetryHeader. Cheaper than read_hop_headers().
bool is_retryable_rejection(const http::Fields& fields);

/// True if the request asks how long it waits (X-Bellows-Queue-Ms, with any value).
bool asks_for_queue_time(const http::Fields& fields);

/// What a kWaitHeader says.
enum class SlotWait : std::uint8_t {
  kUnbounded,  ///< there is none
  kNone,       ///< "none": a slot at once, or a refusal
  kBrief,      ///< "brief": for kBriefWait
};
inline constexpr Duration kBriefWait = std::chrono::milliseconds(100);

/// The header line with its CRLF; empty for kUnbounded.
std::string_view slot_wait_line(SlotWait wait);
SlotWait read_slot_wait(const http::Fields& fields);

}  // namespace bellows::proxy
