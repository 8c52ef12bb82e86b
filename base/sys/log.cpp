#include "base/sys/log.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
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

std::unique_ptr<spdlog::formatter> line_formatter() {
  if (current_format == Format::kPlain) {
    return std::make_unique<spdlog::pattern_formatter>("%H:%M:%S.%e %v");
  }
  // %v carries the rest of the object.
  return std::make_unique<spdlog::pattern_formatter>(R"({"ts":"%Y-%m-%dT%H:%M:%S.%fZ",%v})",
                                                     spdlog::pattern_time_type::utc);
}

std::string dropped_lines(std::uint64_t lines);

LineOutput& standard_error() {
  static LineOutput output(STDERR_FILENO, dropped_lines);
  return output;
}

/// To standard error, or to the sink that was set.
class LineSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  LineSink() { standard_error(); }  // outlives this

 protected:
  void sink_it_(const spdlog::details::log_msg& msg) override {
    spdlog::memory_buf_t buffer;
    base_sink::formatter_->format(msg, buffer);
    std::string_view line(buffer.data(), buffer.size());
    if (current_sink != nullptr) {
      if (line.ends_with('\n')) line.remove_suffix(1);
      current_sink(line);
      return;
    }
    standard_error().write(line);
  }
  void flush_() override {}
};

spdlog::logger& logger() {
  static spdlog::logger instance = [] {
    spdlog::logger made("bellows", std::make_shared<LineSink>());
    made.set_formatter(line_formatter());
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

struct PlainValue {
  std::string operator()(const std::string& text) const {
    return needs_quotes(text) ? json_quoted(text) : text;
  }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const { return fmt::format("{:.4g}", number); }
  std::string operator()(bool flag) const { return flag ? "yes" : "no"; }
  std::string operator()(Duration span) const { return rounded_duration_text(span); }
};

struct JsonValue {
  std::string operator()(const std::string& text) const { return json_quoted(text); }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const { return fmt::format("{}", number); }
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(Duration span) const {
    return fmt::format("{:.3f}", to_seconds(span) * 1e3);
  }
};

std::string plain_line(std::string_view event, Fields fields) {
  std::string line(event);
  for (const Field& field : fields) {
    line += fmt::format("  {}={}", field.name, std::visit(PlainValue(), field.value));
  }
  return line;
}

std::string json_line(spdlog::level::level_enum level, std::string_view event, Fields fields) {
  std::string line =
      fmt::format(R"("level":"{}","program":{},"event":{})", spdlog::level::to_string_view(level),
                  json_quoted(current_program), json_quoted(event));
  for (const Field& field : fields) {
    const bool is_span = std::holds_alternative<Duration>(field.value);
    line += fmt::format(R"(,"{}{}":{})", field.name, is_span ? "_ms" : "",
                        std::visit(JsonValue(), field.value));
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
  // A formatter of its own: the logger's may be at work in another thread.
  spdlog::memory_buf_t line;
  line_formatter()->format({"bellows", spdlog::level::warn, text}, line);
  return fmt::to_string(line);
}

void write(spdlog::level::level_enum level, std::string_view event, Fields fields) {
  if (!logger().should_log(level)) return;
  if (current_format == Format::kJson) {
    logger().log(level, "{}", json_line(level, event, fields));
    return;
  }
  const std::string_view mark = level >= spdlog::level::err    ? "error: "
                                : level >= spdlog::level::warn ? "warning: "
                                                               : "";
  logger().log(level, "{}{}", mark, plain_line(event, fields));
}

}  // namespace

void configure(Format format, Level least, std::string program) {
  constexpr spdlog::level::level_enum kLevels[] = {spdlog::level::debug, spdlog::level::info,
                                                   spdlog::level::warn, spdlog::level::err,
                                                   spdlog::level::off};
  current_format = format;
  current_program = std::move(program);
  logger().set_level(kLevels[static_cast<int>(least)]);
  logger().set_formatter(line_formatter());
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
    logger().log(spdlog::level::info, "{} | {}", replica, line);
  }
}

void to_standard_error(std::string_view line) {
  standard_error().write(std::string(line) + "\n");
}

void set_sink(Sink sink) {
  current_sink = sink;
}

}  // namespace bellows::sys::log
