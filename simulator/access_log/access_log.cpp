#include "simulator/access_log/access_log.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "base/duration_text.hpp"
#include "base/printable_text.hpp"
#include "base/text_parts.hpp"
#include "base/timestamp_text.hpp"
#include "json/members.hpp"
#include "simulator/comparison.hpp"

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

constexpr Duration kYear = 366 * 24h;
constexpr Duration kStepBack = 10min;  ///< requests that run longer may be logged out of order
constexpr Duration kGap = 1h;
constexpr Duration kEarly = 1min;  ///< requests that began so long before the log are told
constexpr std::uint64_t kReadableOfEach = 1000;
constexpr std::string_view kFormats =
    "nginx or Apache (common, combined, with $request_time or %D), Caddy (JSON), HAProxy "
    "(httplog), "
    "Traefik (common or JSON), Envoy (JSON with start_time and duration) or AWS ALB";

std::string time_text(Duration since_1970) {
  return timestamp_text(WallTime(since_1970));
}

std::string quoted(std::string_view value) {
  constexpr std::size_t kRepeated = 80;
  return "\"" + printable(value, kRepeated) + "\"";
}

/// Takes a line from `rest`, and returns it without its line break.
std::string_view next_line(std::string_view& rest) {
  std::string_view line = next_part(rest, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Names encodings and packings that are no lines of text, by their first bytes.
std::string_view other_content(std::string_view text) {
  struct Magic {
    std::string_view begin;
    std::string_view want;
  };
  using namespace std::string_view_literals;
  static constexpr std::array<Magic, 5> kMagic = {{
      {"\xff\xfe"sv, "UTF-8, and this is UTF-16 (iconv -f UTF-16 -t UTF-8)"sv},
      {"\xfe\xff"sv, "UTF-8, and this is UTF-16 (iconv -f UTF-16 -t UTF-8)"sv},
      {"\x28\xb5\x2f\xfd"sv,
       "text or gzip, and this is zstd (zstd -dc FILE | bellows simulate -)"sv},
      {"BZh"sv, "text or gzip, and this is bzip2 (bzcat FILE | bellows simulate -)"sv},
      {"\xfd"
       "7zXZ"sv,
       "text or gzip, and this is xz (xzcat FILE | bellows simulate -)"sv},
  }};
  for (const Magic& magic : kMagic) {
    if (text.starts_with(magic.begin)) return magic.want;
  }
  const std::string_view head = text.substr(0, 512);
  return head.find('\0') == std::string_view::npos ? ""sv : "text in UTF-8, without zero bytes"sv;
}

}  // namespace

Result<LogSource> find_log_format(std::string_view file, std::string_view text) {
  constexpr int kTried = 100;
  std::string_view first;
  std::string_view rest = text;
  for (int tried = 0; tried < kTried && !rest.empty();) {
    const std::string_view line = next_line(rest);
    if (line.empty()) continue;
    if (first.empty()) first = line;
    if (const auto format = log_format_of(line)) {
      const auto record = read_log_line(*format, line);
      if (record) return LogSource{std::string(file), *format, record->logged};
    }
    if (!json::find_members(line, {})) ++tried;
  }
  const std::string_view other = other_content(text);
  return fail(ErrorKind::kMalformed, std::string(file) + ":1",
              quoted(first) + ": want " +
                  (other.empty() ? "a trace (docs/simulate.md), or a line of an access log of " +
                                       std::string(kFormats)
                                 : std::string(other)));
}

void SecondCounts::add(std::int64_t second) {
  const std::int64_t hour = second >= 0 ? second / kPerHour : (second + 1) / kPerHour - 1;
  ++hours_[hour][static_cast<std::size_t>(second - hour * kPerHour)];
}

void SecondCounts::add(const SecondCounts& other) {
  for (const auto& [hour, theirs] : other.hours_) {
    auto& ours = hours_[hour];
    std::ranges::transform(ours, theirs, ours.begin(), std::plus<>());
  }
}

std::vector<std::uint32_t> SecondCounts::from(std::int64_t first) const {
  std::vector<std::uint32_t> counts;
  for (const auto& [hour, seconds] : hours_) {
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      if (seconds[i] == 0) continue;
      const std::int64_t second = hour * kPerHour + static_cast<std::int64_t>(i);
      const auto at = static_cast<std::size_t>(std::max(second, first) - first);
      if (at >= counts.size()) counts.resize(at + 1);
      counts[at] += seconds[i];
    }
  }
  return counts;
}

namespace {

template <class IsBefore>
void keep_first(std::optional<LineTime>& kept, const std::optional<LineTime>& other,
                IsBefore is_before) {
  if (other && (!kept || is_before(other->time, kept->time))) kept = other;
}

}  // namespace

void LogPart::read(std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = next_line(lines);
    ++lines_;
    if (!line.empty()) read_line(line);
  }
}

void LogPart::read_line(std::string_view line) {
  if (line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);  // the mark of UTF-8
  const LineResult read = read_log_line(source_->format, line);
  if (!read) {
    add_problem(line, read.error());
    return;
  }
  if (std::chrono::abs(read->logged - source_->around) > kYear) {
    add_problem(line, {"time", line, "a time within a year of the first line's"});
    return;
  }
  const LineTime logged{.number = lines_, .time = read->logged};
  if (last_time_) follow(last_time_->time, logged);
  if (!first_time_) first_time_ = logged;
  last_time_ = logged;
  if (!read->is_served) {
    ++not_served_;
    return;
  }
  ++requests_;
  const LineTime arrival{.number = lines_, .time = read->arrival};
  keep_first(begin_, logged, std::less<>());
  keep_first(earliest_arrival_, arrival, std::less<>());
  keep_first(latest_arrival_, arrival, std::greater<>());
  counts_.add(std::chrono::floor<std::chrono::seconds>(read->arrival).count());
  if (read->service) services_.record(*read->service);
}

void LogPart::add_problem(std::string_view line, const LineProblem& problem) {
  ++problems_;
  if (first_problem_) return;
  std::string text = std::string(problem.field) + ": " + quoted(problem.value) + ": want " +
                     std::string(problem.want);
  const auto format = log_format_of(line);
  if (format && *format != source_->format) {
    text = quoted(line) + ": a line of " + std::string(to_string(*format)) + ": want " +
           std::string(to_string(source_->format)) +
           " as in the lines before; a file has one format";
  }
  first_problem_ = LogLine{.number = lines_, .text = std::move(text)};
}

void LogPart::follow(Duration from, const LineTime& to) {
  const auto line = [&] {
    return LogLine{.number = to.number, .text = time_text(to.time) + " after " + time_text(from)};
  };
  if (from - to.time > kStepBack) {
    ++steps_back_;
    if (!first_step_back_) first_step_back_ = line();
  }
  if (to.time - from > std::max(longest_gap_, kGap)) {
    longest_gap_ = to.time - from;
    after_gap_ = line();
  }
}

void LogPart::add(const LogPart& next) {
  const auto later = [this](auto line) {
    if (line) line->number += lines_;
    return line;
  };
  if (last_time_ && next.first_time_) follow(last_time_->time, *later(next.first_time_));
  if (!first_time_) first_time_ = later(next.first_time_);
  if (next.last_time_) last_time_ = later(next.last_time_);
  keep_first(begin_, later(next.begin_), std::less<>());
  keep_first(earliest_arrival_, later(next.earliest_arrival_), std::less<>());
  keep_first(latest_arrival_, later(next.latest_arrival_), std::greater<>());
  if (!first_problem_) first_problem_ = later(next.first_problem_);
  if (!first_step_back_) first_step_back_ = later(next.first_step_back_);
  if (next.longest_gap_ > longest_gap_) {
    longest_gap_ = next.longest_gap_;
    after_gap_ = later(next.after_gap_);
  }
  counts_.add(next.counts_);
  services_.add(next.services_);
  lines_ += next.lines_;
  requests_ += next.requests_;
  not_served_ += next.not_served_;
  problems_ += next.problems_;
  steps_back_ += next.steps_back_;
}

bool LogPart::is_unreadable() const {
  return problems_ * kReadableOfEach > lines_;
}

namespace {

/// Returns the quantiles as a distribution: half a percent apart, closer at the long end.
Distribution distribution_of(const WaitHistogram& durations) {
  constexpr double kFirst = 1e-15;  // the rank of the shortest one
  std::vector<Distribution::Percentile> points = {{0, durations.percentile(kFirst)}};
  const auto add = [&](double share) {
    points.push_back({.share = share, .duration = durations.percentile(share)});
  };
  for (int i = 1; i < 200; ++i) add(i / 200.0);
  for (const double share : {0.996, 0.997, 0.998, 0.999, 0.9995, 0.9999, 0.99999, 1.0}) add(share);
  return Distribution::percentiles(std::move(points));
}

std::string count_text(std::uint64_t count, std::string_view one, std::string_view many) {
  return grouped(static_cast<double>(count)) + " " + std::string(count == 1 ? one : many);
}

std::string line_text(std::uint64_t number) {
  return "line " + std::to_string(number);
}

/// Names the later one of the two lines that make a log longer than a year.
Error too_long(const std::string& file, const LineTime& begin, const LineTime& end) {
  const bool is_end = end.number > begin.number;
  const LineTime& wrong = is_end ? end : begin;
  const LineTime& other = is_end ? begin : end;
  return {ErrorKind::kMalformed, file + ":" + std::to_string(wrong.number) + ": time",
          quoted(time_text(wrong.time)) + ": want at most a year " +
              (is_end ? "after " : "before ") + time_text(other.time) + " of " +
              line_text(other.number)};
}

}  // namespace

Result<LogTraffic> LogTraffic::of(const LogPart& all) {
  const std::string& file = all.source_->file;
  if (all.first_problem_ && all.is_unreadable()) {
    return fail(ErrorKind::kMalformed, file + ":" + std::to_string(all.first_problem_->number),
                all.first_problem_->text);
  }
  if (!all.begin_) return fail(ErrorKind::kMalformed, file, "has no request: want at least one");
  if (all.latest_arrival_->time - all.begin_->time > kYear) {
    return fail(too_long(file, *all.begin_, *all.latest_arrival_));
  }
  LogTraffic log;
  log.format = all.source_->format;
  log.requests = all.requests_;
  const auto begin = std::chrono::floor<std::chrono::seconds>(all.begin_->time);
  log.traffic.per_second = all.counts_.from(begin.count());
  log.traffic.length =
      std::chrono::ceil<std::chrono::minutes>(std::ssize(log.traffic.per_second) * 1s);
  log.has_durations = all.services_.count() > 0;
  if (log.has_durations) {
    log.traffic.service = distribution_of(all.services_);
    log.p50 = all.services_.percentile(0.5);
    log.p99 = all.services_.percentile(0.99);
  }
  log.notes = notes_of(all);
  return log;
}

std::vector<std::string> LogTraffic::notes_of(const LogPart& all) {
  std::vector<std::string> notes;
  const auto place = [](const LogLine& line) { return line_text(line.number); };
  if (all.first_problem_) {
    notes.push_back(count_text(all.problems_, "line", "lines") + " cannot be read; " +
                    place(*all.first_problem_) + ": " + all.first_problem_->text + ".");
  }
  if (all.not_served_ > 0) {
    notes.push_back(count_text(all.not_served_, "line is", "lines are") +
                    " not of a request that a server got.");
  }
  const LineTime& early = *all.earliest_arrival_;
  if (all.begin_->time - early.time > kEarly) {
    notes.push_back("Requests began up to " + rounded_duration_text(all.begin_->time - early.time) +
                    " before the log does; " + line_text(early.number) + ": " +
                    time_text(early.time) + ". They count at its begin, " +
                    time_text(all.begin_->time) + ".");
  }
  if (all.first_step_back_) {
    notes.push_back("The time goes back at " + count_text(all.steps_back_, "line", "lines") + "; " +
                    place(*all.first_step_back_) + ": " + all.first_step_back_->text +
                    ". Each request counts at its own time.");
  }
  if (all.after_gap_) {
    notes.push_back("The longest gap is " + rounded_duration_text(all.longest_gap_) + "; " +
                    place(*all.after_gap_) + ": " + all.after_gap_->text +
                    ". It counts as time without requests.");
  }
  return notes;
}

}  // namespace bellows::simulator
