#include "cli/simulate/traffic_input.hpp"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "cli/simulate/text_file.hpp"
#include "command/input.hpp"
#include "simulator/trace_format.hpp"

namespace bellows::cli {
namespace {

using command::input_name;
using command::read_input;
using simulator::LogPart;
using simulator::LogSource;
using simulator::LogTraffic;
using simulator::TraceFormat;

constexpr std::size_t kBlock = std::size_t{8} << 20U;

std::optional<TraceFormat> trace_format_of(const SimulateSettings& settings,
                                           std::string_view begin) {
  switch (settings.format) {
    case FormatChoice::kMinutes:
      return TraceFormat::kMinutes;
    case FormatChoice::kEvents:
      return TraceFormat::kEvents;
    case FormatChoice::kAzure2019:
      return TraceFormat::kAzure2019;
    case FormatChoice::kAzure2021:
      return TraceFormat::kAzure2021;
    case FormatChoice::kAuto:
      break;
  }
  // An empty trace: the reader of any format reports that it has no requests.
  if (begin.find_first_not_of("\r\n") == std::string_view::npos) return TraceFormat::kMinutes;
  return simulator::detect_format(begin);
}

Result<simulator::Traffic> read_trace(const SimulateSettings& settings, TraceFormat format,
                                      std::string_view text) {
  simulator::TraceChoice choice{.format = format, .function = settings.function};
  const std::string trace_name = input_name(settings.trace);
  const std::string durations_name = input_name(settings.durations);
  std::string durations;
  if (!settings.durations.empty()) {
    BELLOWS_TRY(durations, read_input(settings.durations, "the durations"));
    choice.durations = {.file = durations_name, .text = durations};
  }
  return simulator::read_trace({.file = trace_name, .text = text}, choice);
}

/// Returns `text` in `count` parts of whole lines.
std::vector<std::string_view> split_lines(std::string_view text, std::size_t count) {
  std::vector<std::string_view> parts;
  for (; count > 0 && !text.empty(); --count) {
    const auto end = text.find('\n', text.size() / count - 1);
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    parts.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return parts;
}

/// A part of a file that is read by threads of its own. Owner: one loop; joined by its destructor.
class Wave {
 public:
  Wave(std::string lines, const LogSource& source) : lines_(std::move(lines)) {
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const auto texts = split_lines(lines_, cores);
    parts_.assign(texts.size(), LogPart(source));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      threads_.emplace_back([text = texts[i], part = &parts_[i]] { part->read(text); });
    }
  }
  void add_to(LogPart& all) {
    threads_.clear();  // waits for them
    for (const LogPart& part : parts_) all.add(part);
  }

 private:
  std::string lines_;
  std::vector<LogPart> parts_;
  std::vector<std::jthread> threads_;
};

/// Moves the whole lines out of `text`, which begins with the line of that number.
Result<std::string> take_lines(std::string& text, const LogSource& source, std::uint64_t number) {
  const auto end = text.rfind('\n');
  if (end == std::string::npos) {
    if (text.size() <= simulator::kLongestLogLine) return std::string();
    return fail(ErrorKind::kMalformed, source.file + ":" + std::to_string(number),
                "the line is longer than 1 MiB: want lines of text");
  }
  std::string rest = text.substr(end + 1);
  text.resize(end + 1);
  return std::exchange(text, std::move(rest));
}

/// Reads a log to its end while threads read the lines before. A last line without its end is left
/// out if it cannot be read: its server is still writing it.
Result<LogTraffic> read_log(TextFile& file, std::string text, const LogSource& source) {
  LogPart all(source);
  bool has_more = true;
  while (true) {
    BELLOWS_TRY(std::string lines, take_lines(text, source, all.lines() + 1));
    if (lines.empty() && !has_more) break;
    Wave wave(std::move(lines), source);
    while (has_more && text.size() < kBlock) {
      BELLOWS_TRY(has_more, file.read(text, kBlock - text.size()));
    }
    wave.add_to(all);
  }
  LogPart end(source);
  end.read(text);
  const bool is_cut = !text.ends_with('\n') && end.is_unreadable();
  if (!is_cut) all.add(end);
  BELLOWS_TRY(LogTraffic log, LogTraffic::of(all));
  if (is_cut) log.notes.emplace_back("The last line has no end and is left out.");
  return log;
}

}  // namespace

Result<TrafficInput> read_traffic(const SimulateSettings& settings) {
  if (settings.trace == command::kStandardInput && settings.durations == settings.trace) {
    return fail(ErrorKind::kInvalidSetting, "durations",
                "\"-\": --trace already reads standard input: want a file");
  }
  BELLOWS_TRY(TextFile file, TextFile::open(settings.trace, "the trace"));
  std::string text;
  bool has_more = true;
  while (has_more && text.size() < simulator::kLongestLogLine) {
    BELLOWS_TRY(has_more, file.read(text, simulator::kLongestLogLine));
  }
  if (const auto format = trace_format_of(settings, text)) {
    while (has_more) {
      BELLOWS_TRY(has_more, file.read(text, kBlock));
    }
    BELLOWS_TRY(auto traffic, read_trace(settings, *format, text));
    return TrafficInput{.traffic = std::move(traffic)};
  }
  BELLOWS_TRY(const LogSource source, simulator::find_log_format(input_name(settings.trace), text));
  for (const auto& [flag, value] :
       {std::pair("function", settings.function), std::pair("durations", settings.durations)}) {
    if (value.empty()) continue;
    return fail(ErrorKind::kInvalidSetting, flag,
                "\"" + value + "\": an access log has none: want an Azure trace");
  }
  BELLOWS_TRY(LogTraffic log, read_log(file, std::move(text), source));
  auto traffic = std::move(log.traffic);
  return TrafficInput{.traffic = std::move(traffic), .log = std::move(log)};
}

}  // namespace bellows::cli
