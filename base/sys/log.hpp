// Log lines: an event in words and its fields. Plain text for people, JSON lines on request.
// Written to standard error, whose reader may be slow or gone: nobody waits for it
// (line_output.hpp).
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.hpp"
#include "base/time.hpp"

namespace bellows::sys::log {

enum class Format { kPlain, kJson };
enum class Level { kDebug, kInfo, kWarning, kError, kOff };

/// "replica" = "web-1"; durations are printed rounded in plain text and as `_ms` in JSON.
struct Field {
  std::string_view name;
  std::variant<std::string, std::int64_t, double, bool, Duration> value;

  Field(std::string_view field, std::string_view text) : name(field), value(std::string(text)) {}
  Field(std::string_view field, const std::string& text) : name(field), value(text) {}
  Field(std::string_view field, const char* text) : name(field), value(std::string(text)) {}
  Field(std::string_view field, bool flag) : name(field), value(flag) {}
  Field(std::string_view field, double number) : name(field), value(number) {}
  Field(std::string_view field, Duration duration) : name(field), value(duration) {}
  template <std::integral I>
  Field(std::string_view field, I number) : name(field), value(static_cast<std::int64_t>(number)) {}
};

using Fields = std::initializer_list<Field>;

/// Before the first line and from one thread; the default is plain text from kInfo on. `program` is
/// the JSON key "program".
void configure(Format format, Level min, std::string program);

/// Thread: any, for all below. None of them waits.
void debug(std::string_view event, Fields fields = {});
void info(std::string_view event, Fields fields = {});
void warning(std::string_view event, Fields fields = {});
void error(std::string_view event, Fields fields = {});

/// A line that a child process wrote, marked with its replica; not cut, not judged.
void output_of(std::string_view replica, std::string_view line);

/// A finished line, without its newline, as it is and past the sink: for a sink that has no better
/// place for it.
void to_standard_error(std::string_view line);

/// Sends finished lines (without the newline) somewhere else, for the live view and for tests;
/// nullptr: standard error.
using Sink = void (*)(std::string_view line);
void set_sink(Sink sink);

}  // namespace bellows::sys::log
