#include "base/sys/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/sink.h>
#include <unistd.h>

#include <array>
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <mutex>
#include <utility>

#include "base/duration_text.hpp"
#include "base/sys/line_output.hpp"

namespace bellows::sys::log {

namespace {

Sink current_sink = nullptr;  // set before threads start
Format current_format = Format::kPlain;
std::string current_program;  // NOLINT: set once by configure()

/// "12:34:56.789 " of this place, or the start of a JSON object whose rest is the message.
std::string line_start(std::chrono::system_clock::time_point at) {
  const bool is_json = current_format == Format::kJson;
  const auto second = std::chrono::floor<std::chrono::seconds>(at);
  const std::time_t time = std::chrono::system_clock::to_time_t(second);
  const auto micros =
      static_cast<int>(std::chrono::duration_cast<std::chrono::microseconds>(at - second).count());
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

/// Without the newline. spdlog's own formatter of patterns and fmt's of numbers would be 150 KB
/// more in each queue-proxy.
std::string whole_line(std::chrono::system_clock::time_point at, std::string_view message) {
  std::string line = line_start(at);
  line += message;
  if (current_format == Format::kJson) line += '}';
  return line;
}

std::string dropped_lines(std::uint64_t lines);

LineOutput& standard_error() {
  static LineOutput output(STDERR_FILENO, dropped_lines);
  return output;
}

/// To standard error, or to the sink that was set.
class LineSink final : public spdlog::sinks::sink {
 public:
  LineSink() { standard_error(); }  // outlives this

  void log(const spdlog::details::log_msg& msg) override {
    const std::string line = whole_line(msg.time, {msg.payload.data(), msg.payload.size()});
    const std::lock_guard lock(mutex_);
    if (current_sink != nullptr) return current_sink(line);
    standard_error().write(line + '\n');
  }
  void flush() override {}
  void set_pattern(const std::string& /*pattern*/) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter> /*formatter*/) override {}

 private:
  std::mutex mutex_;
};

spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    spdlog::logger made("bellows", std::make_shared<LineSink>());
    made.set_level(spdlog::level::info);
    return made;
  }();
  return instance;
}

std::string json_quoted(std::string_view text) {
  return boost::json::serialize(boost::json::string(text));
}

bool needs_quotes(std::string_view text) {
  return text.empty() || text.find_first_of(" \t\"=\n") != std::string_view::npos;
}

/// As many digits as the number has, or `digits` of them.
std::string number_text(double number, std::chars_format format, int digits = -1) {
  std::array<char, 400> text;  // NOLINT: filled by to_chars; 1e308 has 309 digits
  const auto end = digits < 0 ? std::to_chars(text.begin(), text.end(), number, format)
                              : std::to_chars(text.begin(), text.end(), number, format, digits);
  return {text.begin(), end.ptr};
}

struct PlainValue {
  std::string operator()(const std::string& text) const {
    return needs_quotes(text) ? json_quoted(text) : text;
  }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const {
    return number_text(number, std::chars_format::general, 4);
  }
  std::string operator()(bool flag) const { return flag ? "yes" : "no"; }
  std::string operator()(Duration duration) const { return rounded_duration_text(duration); }
};

struct JsonValue {
  std::string operator()(const std::string& text) const { return json_quoted(text); }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const {
    if (!std::isfinite(number)) return "null";  // JSON has no word for it
    return number_text(number, std::chars_format::fixed);
  }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(Duration duration) const {
    return number_text(to_seconds(duration) * 1e3, std::chars_format::fixed, 3);
  }
};

std::string plain_line(std::string_view event, Fields fields) {
  std::string line(event);
  for (const Field& field : fields) {
    line.append("  ").append(field.name).append("=");
    line += std::visit(PlainValue(), field.value);
  }
  return line;
}

std::string json_line(spdlog::level::level_enum level, std::string_view event, Fields fields) {
  const auto level_name = spdlog::level::to_string_view(level);
  std::string line = R"("level":")" + std::string(level_name.data(), level_name.size());
  line += R"(","program":)" + json_quoted(current_program);
  line += R"(,"event":)" + json_quoted(event);
  for (const Field& field : fields) {
    const bool is_duration = std::holds_alternative<Duration>(field.value);
    line.append(",\"").append(field.name).append(is_duration ? "_ms\":" : "\":");
    line += std::visit(JsonValue(), field.value);
  }
  return line;
}

/// Stands for lines that nobody read.
std::string dropped_lines(std::uint64_t lines) {
  const std::initializer_list<Field> fields = {{"lines", lines},
                                               {"because", "standard error took nothing"}};
  constexpr std::string_view kEvent = "log lines dropped";
  const std::string text = current_format == Format::kJson
                               ? json_line(spdlog::level::warn, kEvent, fields)
                               : "warning: " + plain_line(kEvent, fields);
  return whole_line(std::chrono::system_clock::now(), text) + '\n';
}

void write(spdlog::level::level_enum level, std::string_view event, Fields fields) {
  if (!logger().should_log(level)) return;
  if (current_format == Format::kJson) {
    logger().log(level, spdlog::string_view_t(json_line(level, event, fields)));
    return;
  }
  std::string line = level >= spdlog::level::err    ? "error: "
                     : level >= spdlog::level::warn ? "warning: "
                                                    : "";
  line += plain_line(event, fields);
  logger().log(level, spdlog::string_view_t(line));
}

}  // namespace

void configure(Format format, Level min, std::string program) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                   spdlog::level::warn, spdlog::level::err,
                                                   spdlog::level::off};
  current_format = format;
  current_program = std::move(program);
  logger().set_level(kLevels[static_cast<int>(min)]);
}

void debug(std::string_view event, Fields fields) {
  write(spdlog::level::debug, event, fields);
}
void info(std::string_view event, Fields fields) {
  write(spdlog::level::info, event, fields);
}
void warning(std::string_view event, Fields fields) {
  write(spdlog::level::warn, event, fields);
}
void error(std::string_view event, Fields fields) {
  write(spdlog::level::err, event, fields);
}

void output_of(std::string_view replica, std::string_view line) {
  if (current_format == Format::kJson) {
    info("output", {{"replica", replica}, {"line", line}});
  } else if (logger().should_log(spdlog::level::info)) {
    const std::string text = std::string(replica) + " | " + std::string(line);
    logger().log(spdlog::level::info, spdlog::string_view_t(text));
  }
}

void to_standard_error(std::string_view line) {
  standard_error().write(std::string(line) + "\n");
}

void set_sink(Sink sink) {
  current_sink = sink;
}

}  // namespace bellows::sys::log
