#include "base/sys/log.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <utility>

#include "base/duration_text.hpp"
#include "base/number_text.hpp"
#include "base/printable_text.hpp"
#include "base/sys/line_output.hpp"
#include "json/writer.hpp"

namespace bellows::sys::log {

namespace {

// Set by configure() and set_sink() before threads start.
Format current_format = Format::kPlain;
Level min_level = Level::kInfo;
std::string current_program;  // NOLINT: a string at namespace scope
Sink current_sink = nullptr;

bool is_enabled(Level level) {
  return level >= min_level;
}

std::string_view name_of(Level level) {
  constexpr std::string_view kNames[] = {"debug", "info", "warning", "error", "off"};
  return kNames[static_cast<int>(level)];
}

/// Returns "12:34:56.789 " in the local time zone, or the first member of a JSON object in UTC.
std::string line_start() {
  const bool is_json = current_format == Format::kJson;
  const auto now = std::chrono::system_clock::now();
  const auto second = std::chrono::floor<std::chrono::seconds>(now);
  const std::time_t time = std::chrono::system_clock::to_time_t(second);
  const auto micros =
      static_cast<int>(std::chrono::duration_cast<std::chrono::microseconds>(now - second).count());
  std::tm parts{};
  is_json ? ::gmtime_r(&time, &parts) : ::localtime_r(&time, &parts);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), is_json ? R"({"ts":"%Y-%m-%dT%H:%M:%S)" : "%H:%M:%S",
                &parts);
  std::string start(text.data());
  if (is_json) {
    std::snprintf(text.data(), text.size(), ".%06dZ\",", micros);
  } else {
    std::snprintf(text.data(), text.size(), ".%03d ", micros / 1000);
  }
  return start + text.data();
}

bool needs_quotes(std::string_view text) {
  const auto is_special = [](unsigned char byte) {
    return byte <= ' ' || byte == 0x7f || byte == '"' || byte == '=';
  };
  return text.empty() || std::ranges::any_of(text, is_special);
}

/// Appends a value as plain text.
struct PlainValue {
  std::string& line;

  void operator()(const std::string& text) const {
    needs_quotes(text) ? json::append_string(text, line) : void(line += text);
  }
  void operator()(std::int64_t number) const { line += std::to_string(number); }
  void operator()(double number) const { line += significant_text(number, 4); }
  void operator()(bool flag) const { line += flag ? "yes" : "no"; }
  void operator()(Duration duration) const { line += rounded_duration_text(duration); }
};

/// Appends a value as JSON.
struct JsonValue {
  std::string& line;

  void operator()(const std::string& text) const { json::append_string(text, line); }
  void operator()(std::int64_t number) const { line += std::to_string(number); }
  void operator()(double number) const {
    line += std::isfinite(number) ? plain_text(number) : "null";  // JSON has no infinity
  }
  void operator()(bool flag) const { line += flag ? "true" : "false"; }
  void operator()(Duration duration) const { line += fixed_text(to_seconds(duration) * 1e3, 3); }
};

void append_plain(std::string& line, Level level, std::string_view event, Fields fields) {
  if (level >= Level::kWarning) line.append(name_of(level)).append(": ");
  line += event;
  for (const Field& field : fields) {
    line.append("  ").append(field.name).append("=");
    std::visit(PlainValue{line}, field.value);
  }
}

void append_json(std::string& line, Level level, std::string_view event, Fields fields) {
  line.append(R"("level":")").append(name_of(level)).append(R"(","program":)");
  json::append_string(current_program, line);
  line += R"(,"event":)";
  json::append_string(event, line);
  for (const Field& field : fields) {
    const bool is_duration = std::holds_alternative<Duration>(field.value);
    line.append(",\"").append(field.name).append(is_duration ? "_ms\":" : "\":");
    std::visit(JsonValue{line}, field.value);
  }
  line += '}';
}

/// Returns a whole line without its newline.
std::string line_of(Level level, std::string_view event, Fields fields) {
  std::string line = line_start();
  current_format == Format::kJson ? append_json(line, level, event, fields)
                                  : append_plain(line, level, event, fields);
  return line;
}

/// Returns the line that replaces lines that were dropped because the reader was too slow.
std::string dropped_lines(std::uint64_t lines) {
  return line_of(Level::kWarning, "log lines dropped",
                 {{"lines", lines}, {"because", "standard error took nothing"}}) +
         '\n';
}

LineOutput& standard_error() {
  static LineOutput output(STDERR_FILENO, dropped_lines);
  return output;
}

/// Writes a line to the sink, one line at a time, or to standard error without a sink.
void write_line(const std::string& line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (current_sink != nullptr) return current_sink(line);
  standard_error().write(line + '\n');
}

void write(Level level, std::string_view event, Fields fields) {
  if (is_enabled(level)) write_line(line_of(level, event, fields));
}

}  // namespace

void configure(Format format, Level min, std::string program) {
  current_format = format;
  min_level = min;
  current_program = std::move(program);
}

void debug(std::string_view event, Fields fields) {
  write(Level::kDebug, event, fields);
}
void info(std::string_view event, Fields fields) {
  write(Level::kInfo, event, fields);
}
void warning(std::string_view event, Fields fields) {
  write(Level::kWarning, event, fields);
}
void error(std::string_view event, Fields fields) {
  write(Level::kError, event, fields);
}

std::string printable(std::string_view line) {
  std::string shown;
  for (;;) {
    const std::size_t tab = line.find('\t');
    shown += bellows::printable(line.substr(0, tab), std::string_view::npos);
    if (tab == std::string_view::npos) return shown;
    shown += '\t';
    line.remove_prefix(tab + 1);
  }
}

void output_of(const Origin& origin, std::string_view line) {
  const Field service("service", origin.service);
  const Field revision("revision", origin.revision);
  const Field replica("replica", origin.replica);
  if (current_format != Format::kJson) {
    if (!is_enabled(Level::kInfo)) return;
    std::string shown = line_start().append(origin.replica);
    if (!origin.process.empty()) shown.append(" ").append(origin.process);
    write_line(shown.append(" | ").append(printable(line)));
  } else if (origin.process.empty()) {
    info("output", {service, revision, replica, {"line", line}});
  } else {
    info("output", {service, revision, replica, {"process", origin.process}, {"line", line}});
  }
}

void to_standard_error(std::string_view line) {
  standard_error().write(std::string(line) + "\n");
}

void set_sink(Sink sink) {
  current_sink = sink;
}

}  // namespace bellows::sys::log
