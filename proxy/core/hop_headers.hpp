// The X-Bellows-* header fields: their names, one writer and one reader. The hops of Bellows
// (activator and queue-proxy) exchange them; most are invisible to callers and apps. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "http/core/head.hpp"

namespace bellows::proxy {

/// The name of a header field as it is written, and in lower case for Fields::find().
struct HopHeaderName {
  std::string_view written;
  std::string_view lower;
};

/// Reason of a local reply: the kind of an error, "probe", "max-forwards", "https", "challenge".
/// Callers get it too.
inline constexpr HopHeaderName kReasonHeader{"X-Bellows-Reason", "x-bellows-reason"};
/// Milliseconds that the request waited in queues. Callers get it on request.
inline constexpr HopHeaderName kQueueTimeHeader{"X-Bellows-Queue-Ms", "x-bellows-queue-ms"};
/// Number of requests that the replica runs and queues, this one included.
inline constexpr HopHeaderName kInFlightHeader{"X-Bellows-In-Flight", "x-bellows-in-flight"};
/// "elsewhere": the request may be retried on another replica.
inline constexpr HopHeaderName kRetryHeader{"X-Bellows-Retry", "x-bellows-retry"};
/// Number of times the app may have received the request. The default is one if the reason is a
/// reset.
inline constexpr HopHeaderName kRunsHeader{"X-Bellows-Runs", "x-bellows-runs"};
/// "timeout": the request timed out in the queue of the replica.
inline constexpr HopHeaderName kQueueHeader{"X-Bellows-Queue", "x-bellows-queue"};

/// Request field: maximum time to wait for a slot of the replica, which then rejects the request
/// with kRetryHeader. If absent, only the queue of the replica limits the wait.
inline constexpr HopHeaderName kWaitHeader{"X-Bellows-Wait", "x-bellows-wait"};

/// Whole text of a local reply, for the log of the previous hop.
inline constexpr HopHeaderName kDetailHeader{"X-Bellows-Detail", "x-bellows-detail"};

/// Identifies a request in logs; in lower case. A caller may choose it, or gets one with an error.
inline constexpr std::string_view kRequestIdHeader = "x-request-id";

/// Information that an inner hop reports with a response. Absent fields are not written.
struct HopHeaders {
  std::optional<std::int32_t> in_flight = std::nullopt;
  std::optional<std::int64_t> queue_ms = std::nullopt;
  std::optional<std::string_view> reason = std::nullopt;
  /// The request may be retried on another replica: the app never received it (it could not be
  /// reached, or `reason` is "overloaded": no slot was free), or it is idempotent and the app
  /// closed the connection before it responded. `reason` tells which.
  bool may_retry_elsewhere = false;
  /// Number of times the app may have received the request, if it may be retried elsewhere.
  std::optional<std::int32_t> runs = std::nullopt;
  /// The queue, rather than the app, caused the timeout.
  bool timed_out_in_queue = false;
  std::optional<std::string_view> detail = std::nullopt;  ///< printable
};

/// Appends the header lines, each with its CRLF.
void append_hop_headers(const HopHeaders& headers, std::string& lines);

/// Reads the fields of a response. A number that is malformed, negative or above 2^31 - 1 counts as
/// absent. The views point into `fields`.
HopHeaders read_hop_headers(const http::Fields& fields);

/// Returns true if the response has a kRetryHeader. It is cheaper than read_hop_headers().
bool is_retryable_rejection(const http::Fields& fields);

/// Returns true if the request asks for its time in queues (X-Bellows-Queue-Ms, with any value).
bool asks_for_queue_time(const http::Fields& fields);

/// Value of kWaitHeader.
enum class SlotWait : std::uint8_t {
  kUnbounded,  ///< the field is absent
  kNone,       ///< "none": a slot at once, or a rejection
  kBrief,      ///< "brief": waits for kBriefWait
};
inline constexpr Duration kBriefWait = std::chrono::milliseconds(100);

/// Returns the header line with its CRLF; empty for kUnbounded.
std::string_view slot_wait_line(SlotWait wait);
SlotWait read_slot_wait(const http::Fields& fields);

}  // namespace bellows::proxy
