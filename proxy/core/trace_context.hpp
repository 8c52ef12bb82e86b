// Parses the trace of a request from its header fields: W3C Trace Context
// (https://www.w3.org/TR/trace-context/) and B3 (https://github.com/openzipkin/b3-propagation).
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/core/head.hpp"

namespace bellows::proxy {

/// 16 bytes. All zeros: none.
struct TraceId {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  bool empty() const { return high == 0 && low == 0; }
  bool operator==(const TraceId&) const = default;
};

/// 8 bytes. Zero: none.
struct SpanId {
  std::uint64_t value = 0;

  bool empty() const { return value == 0; }
  bool operator==(const SpanId&) const = default;
};

/// Appends 32 and 16 lower-case hexadecimal digits.
void append_hex(TraceId id, std::string& out);
void append_hex(SpanId id, std::string& out);
std::string to_string(TraceId id);

/// A caller's trace.
struct TraceContext {
  TraceId trace;
  SpanId parent;            ///< the span of the caller
  bool is_sampled = false;  ///< the sampled flag
  bool is_random = false;   ///< flag of level 2: the lower 7 bytes of the trace id are random

  bool operator==(const TraceContext&) const = default;
};

/// The header fields of a context.
enum class TraceForm : std::uint8_t {
  kNone,
  kTraceparent,
  kB3Single,  ///< b3: TRACE-SPAN-SAMPLED-PARENT
  kB3Many,    ///< X-B3-TraceId and others
};

/// The trace in the header fields of one request.
struct ReceivedTrace {
  TraceForm form = TraceForm::kNone;      ///< form of `context`
  std::optional<TraceContext> context{};  ///< nullopt: no valid one
  std::optional<bool> is_sampled{};       ///< B3's decision, also without ids
  bool has_traceparent = false;           ///< valid or not
};

/// Parses the value of a traceparent field. Returns nullopt if it is malformed, has version ff, or
/// an id of zeros. Of a later version only the part of version 00 is read.
std::optional<TraceContext> parse_traceparent(std::string_view value);

/// Parses the value of a `b3` field. A trace id of 8 bytes is the lower half of one of 16. Sets
/// `is_sampled` if the value has a decision ("1", "0" or "d" for debug).
std::optional<TraceContext> parse_b3(std::string_view value, std::optional<bool>& is_sampled);

/// Reads traceparent, unless it is malformed or there are several; else b3; else X-B3-*.
ReceivedTrace read_trace(const http::Fields& fields);

/// Appends "00-TRACE-PARENT-FLAGS": 55 bytes.
void append_traceparent(const TraceContext& context, std::string& out);

}  // namespace bellows::proxy
