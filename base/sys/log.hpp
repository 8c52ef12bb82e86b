// Log lines: an event and its fields, as plain text or as JSON. They go to standard error. A slow
// or missing reader of standard error never blocks a program
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

/// "replica" = "web-1". A duration is rounded in plain text, and named `..._ms` in JSON.
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

/// Sets the format, the lowest level and the value of the JSON key "program". Call it before the
/// first line, on one thread. The default is plain text from kInfo on.
void configure(Format format, Level min, std::string program);

/// All functions below may run on any thread. None of them blocks.
void debug(std::string_view event, Fields fields = {});
void info(std::string_view event, Fields fields = {});
void warning(std::string_view event, Fields fields = {});
void error(std::string_view event, Fields fields = {});

/// Returns `line` as bellows::printable() writes it, without a limit and with its tabs. Control
/// bytes of an app could move the cursor of a terminal, rename it or type into it; where a terminal
/// does not use UTF-8, single bytes from 0x80 on are control bytes too.
std::string printable(std::string_view line);

/// The process that wrote a line.
struct Origin {
  std::string_view service;
  std::string_view revision;
  std::string_view replica;
  std::string_view process = {};  ///< "queue-proxy"; empty: the app
};

/// Logs a line of a child process, made printable(): "web-00001-1 | LINE", and in JSON with all
/// names.
void output_of(const Origin& origin, std::string_view line);

/// Writes a finished line, without its newline, to standard error and bypasses the sink. Sinks use
/// it for lines that they cannot show.
void to_standard_error(std::string_view line);

/// Sends finished lines, without their newline, to `sink`, for the live view and for tests; nullptr
/// restores standard error.
using Sink = void (*)(std::string_view line);
void set_sink(Sink sink);

}  // namespace bellows::sys::log
