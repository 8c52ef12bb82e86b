#include "simulator/access_log/access_log.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/duration_text.hpp"
#include "base/printable_text.hpp"
#include "base/timestamp_text.hpp"
#include "simulator/comparison.hpp"

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

constexpr Duration kYear = 366 * 24h;
constexpr Duration kStepBack = 10min;  ///< requests that run longer may be logged out of order
constexpr Duration kGap = 1h;
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

/// Calls `use` with each line, without its line break; stops when it returns false.
template <class Use>
void each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!use(line)) return;
  }
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
  std::optional<LogSource> found;
  std::string_view first;
  int tried = 0;
  each_line(text, [&](std::string_view line) {
    if (line.empty()) return true;
    if (first.empty()) first = line;
    if (const auto format = log_format_of(line)) {
      const auto record = read_log_line(*format, line);
      if (record) found = LogSource{std::string(file), *format, record->logged};
    }
    return !found && ++tried < kTried;
  });
  if (found) return *found;
  const std::string_view other = other_content(text);
  return fail(ErrorKind::kMalformed, std::string(file) + ":1",
              quoted(first) + ": want " +
                  (other.empty() ? "a trace (docs/simulate.md), or a line of an access log of " +
                                       std::string(kFormats)
                                 : std::string(other)));
}

void SecondCounts::make_room(std::int64_t first, std::int64_t last) {
  if (counts_.empty()) begin_ = first;
  if (first < begin_) {
    // Twice the size, so that a file whose lines are in reverse order does not move all each time.
    const auto more =
        std::max<std::size_t>(static_cast<std::size_t>(begin_ - first), counts_.size());
    counts_.insert(counts_.begin(), more, 0);
    begin_ -= static_cast<std::int64_t>(more);
  }
  const auto size = static_cast<std::size_t>(last - begin_) + 1;
  if (size > counts_.size()) counts_.resize(size);
}

void SecondCounts::add(std::int64_t second, std::uint32_t count) {
  const auto at = static_cast<std::size_t>(second - begin_);
  if (second < begin_ || at >= counts_.size()) make_room(second, second);
  counts_[static_cast<std::size_t>(second - begin_)] += count;
}

void SecondCounts::add(const SecondCounts& other) {
  if (other.counts_.empty()) return;
  make_room(other.begin_, other.begin_ + std::ssize(other.counts_) - 1);
  const auto offset = static_cast<std::size_t>(other.begin_ - begin_);
  for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[offset + i] += other.counts_[i];
}

void LogPart::read(std::string_view lines) {
  each_line(lines, [this](std::string_view line) {
    ++lines_;
    if (!line.empty()) read_line(line);
    return true;
  });
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
  if (first_time_) follow(last_time_, read->logged, lines_);
  if (!first_time_) first_time_ = read->logged;
  last_time_ = read->logged;
  if (!read->is_served) {
    ++not_served_;
    return;
  }
  ++requests_;
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

void LogPart::follow(Duration from, Duration to, std::uint64_t number) {
  const auto text = [&] { return time_text(to) + " after " + time_text(from); };
  if (from - to > kStepBack) {
    ++steps_back_;
    if (!first_step_back_) first_step_back_ = LogLine{.number = number, .text = text()};
  }
  if (to - from > std::max(longest_gap_, kGap)) {
    longest_gap_ = to - from;
    after_gap_ = LogLine{.number = number, .text = text()};
  }
}

void LogPart::add(const LogPart& next) {
  const auto later = [this](std::optional<LogLine> line) {
    if (line) line->number += lines_;
    return line;
  };
  if (first_time_ && next.first_time_) follow(last_time_, *next.first_time_, lines_ + 1);
  if (!first_time_) first_time_ = next.first_time_;
  if (next.first_time_) last_time_ = next.last_time_;
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

}  // namespace

Result<LogTraffic> LogTraffic::of(const LogPart& all) {
  const std::string& file = all.source_->file;
  if (all.first_problem_ && all.is_unreadable()) {
    return fail(ErrorKind::kMalformed, file + ":" + std::to_string(all.first_problem_->number),
                all.first_problem_->text);
  }
  const auto& counts = all.counts_.counts();
  const auto is_used = [](std::uint32_t count) { return count > 0; };
  const auto first = std::ranges::find_if(counts, is_used);
  if (first == counts.end()) {
    return fail(ErrorKind::kMalformed, file, "has no request: want at least one");
  }
  auto end = counts.end();
  while (*(end - 1) == 0) --end;
  if (end - first > kYear / 1s) {
    return fail(ErrorKind::kMalformed, file, "the times span more than a year: want at most one");
  }
  LogTraffic log;
  log.format = all.source_->format;
  log.requests = all.requests_;
  log.traffic.per_second.assign(first, end);
  log.traffic.length = std::chrono::ceil<std::chrono::minutes>((end - first) * 1s);
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
  const auto place = [](const LogLine& line) { return "line " + std::to_string(line.number); };
  if (all.first_problem_) {
    notes.push_back(count_text(all.problems_, "line", "lines") + " cannot be read; " +
                    place(*all.first_problem_) + ": " + all.first_problem_->text + ".");
  }
  if (all.not_served_ > 0) {
    notes.push_back(count_text(all.not_served_, "line is", "lines are") +
                    " not of a request that a server got.");
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
