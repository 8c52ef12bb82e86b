// The trace that a request belongs to, as header fields have it: W3C Trace Context
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

/// 32 and 16 lower-case hexadecimal digits.
void append_hex(TraceId id, std::string& out);
void append_hex(SpanId id, std::string& out);
std::string to_string(TraceId id);

/// What a caller says about its trace.
struct TraceContext {
  TraceId trace;
  SpanId parent;            ///< the span of the caller
  bool is_sampled = false;  ///< it is to be recorded
  bool is_random = false;   ///< flag of level 2: the lower 7 bytes of the trace id are random

  bool operator==(const TraceContext&) const = default;
};

/// The header fields that a context came by.
enum class TraceForm : std::uint8_t {
  kNone,
  kTraceparent,
  kB3Single,  ///< b3: TRACE-SPAN-SAMPLED-PARENT
  kB3Many,    ///< X-B3-TraceId and others
};

/// What the header fields of one request say.
struct ReceivedTrace {
  TraceForm form = TraceForm::kNone;      ///< of `context`
  std::optional<TraceContext> context{};  ///< nullopt: none that is valid
  std::optional<bool> is_sampled{};       ///< B3's decision, also without ids
  bool has_traceparent = false;           ///< valid or not
};

/// The value of a traceparent field. nullopt: malformed, version ff, or an id of zeros. Of a later
/// version only the part that version 00 has is read.
std::optional<TraceContext> parse_traceparent(std::string_view value);

/// The value of a `b3` field. A trace id of 8 bytes is the lower half of one of 16.
/// `is_sampled`: set if the value has a decision ("1", "0" or "d" for debug).
std::optional<TraceContext> parse_b3(std::string_view value, std::optional<bool>& is_sampled);

/// traceparent, unless it is malformed or there are several; else b3; else X-B3-*.
ReceivedTrace read_trace(const http::Fields& fields);

/// "00-TRACE-PARENT-FLAGS": 55 bytes.
void append_traceparent(const TraceContext& context, std::string& out);

}  // namespace bellows::proxy
