// The one place where an Error becomes an HTTP answer. docs/errors.md lists it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "http/core/head.hpp"

namespace bellows::proxy {

/// A whole small answer of Bellows' own.
struct Answer {
  int status = 200;
  std::string body;  ///< plain text
  std::string content_type = "text/plain; charset=utf-8";
  std::string extra_lines;  ///< header lines, each with its CRLF
  std::optional<int> retry_after_seconds;
  /// Why Bellows answers itself, for X-Bellows-Reason: the kind of an error, "probe",
  /// "max-forwards". A literal.
  std::string_view reason = {};
  bool close = false;  ///< ends the connection
};

/// malformed 400, too-large 413, unsupported 501, not-found 404, gone 410, conflict 409,
/// overloaded, unavailable 503, refused, reset 502, timeout 504, cancelled 503, system and
/// invalid-setting 500. On the downstream side reset and timeout are 408; a timeout inside of us
/// (too long in line) is 503.
int status_of(const Error& error);

/// 400, 414 (target too long), 431 (fields too large), 501 or 505 (version).
int status_of(http::HeadFault fault);

/// The text names culprit and reason. `retry_after_seconds` goes with 503 only.
Answer answer_for(const Error& error, std::optional<int> retry_after_seconds = std::nullopt);

/// What an operator calls the limits of a head; empty: they are fixed.
struct HeadSettings {
  std::string_view fields = {};  ///< HeadLimits::fields
  std::string_view bytes = {};   ///< HeadLimits::line and total
};

/// ", max-headers is 100"; ", the limit is 8Ki bytes" where no setting says it; empty for faults
/// that are none of size. To go behind fault_text().
std::string limit_text(http::HeadFault fault, const http::HeadLimits& limits,
                       const HeadSettings& settings);

/// What was too long or too many is told with its limit.
Answer answer_for(http::HeadFault fault, const http::HeadLimits& limits,
                  const HeadSettings& settings);

/// "Bad Gateway" for 502, and so on for the codes that Bellows sends.
std::string_view reason_phrase(int status);

/// Head and body as they go out, appended to `out`. `for_head`: the body is left out, its length
/// stays. `keep_alive` false writes Connection: close. `date_line` with its CRLF, as it goes out.
void write_answer(const Answer& answer, bool for_head, bool keep_alive, std::string_view date_line,
                  std::string& out);

}  // namespace bellows::proxy
