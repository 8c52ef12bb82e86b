#include "simulator/trace_format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>
#include <vector>

#include "base/csv.hpp"

namespace bellows::simulator {
namespace {

using std::chrono::minutes;

constexpr std::size_t kMinutesPerDay = 1440;
constexpr std::int64_t kMaxPerMinute = 100'000'000;
constexpr std::int64_t kMaxTokens = 100'000'000;
constexpr std::int64_t kMaxMinutes = 366 * 1440;
constexpr std::string_view kMinutesColumns = "period,count";
constexpr std::string_view kTokensColumns = "TIMESTAMP,ContextTokens,GeneratedTokens";
constexpr std::string_view kEventsColumns =
    "TIMESTAMP,ContextTokens,GeneratedTokens, or TIMESTAMP, or a time";
constexpr std::string_view k2019Columns = "HashOwner,HashApp,HashFunction,Trigger,1,2,...,1440";
constexpr std::string_view k2021Columns = "app,func,end_timestamp,duration";
constexpr std::string_view kDurationsColumns =
    "HashOwner,HashApp,HashFunction,Average,Count,Minimum,Maximum,percentile_Average_0,..._1,..._"
    "25,"
    "..._50,..._75,..._99,..._100";

Error nothing_in(const TraceText& trace) {
  return {ErrorKind::kMalformed, std::string(trace.file), "has no request: want at least one"};
}

/// Checks the title line, which names the columns; `shown` is a valid one. Any other line in its
/// place is an error.
Result<void> require_title(const CsvReader& csv, std::string_view shown,
                           const std::vector<std::string>& names) {
  const std::string suffix = ": the first line is " + std::string(shown);
  for (std::size_t at = 0; at < std::min(csv.fields(), names.size()); ++at) {
    if (csv.field(at) != names[at]) {
      return fail(csv.wrong("title", csv.field(at), names[at] + suffix));
    }
  }
  return csv.want_fields(shown, names.size());
}

/// Reads the next line, which must be the title.
Result<void> read_title(CsvReader& csv, const TraceText& trace, std::string_view shown,
                        const std::vector<std::string>& names) {
  if (!csv.next()) return fail(nothing_in(trace));
  return require_title(csv, shown, names);
}

/// The whole minutes that contain `last`.
Duration whole_minutes(Duration last) {
  return std::chrono::floor<minutes>(last) + minutes(1);
}

Result<Traffic> read_minutes(const TraceText& trace) {
  CsvReader csv(trace.file, trace.text);
  Traffic traffic;
  std::optional<Duration> begin;
  std::uint64_t sum = 0;
  for (bool is_first = true; csv.next(); is_first = false) {
    if (is_first && !read_instant(csv.field(0))) {
      BELLOWS_CHECKED(require_title(csv, kMinutesColumns, {"period", "count"}));
      continue;
    }
    BELLOWS_CHECKED(csv.want_fields(kMinutesColumns, 2));
    BELLOWS_TRY(const Duration at, csv.instant(0, "period"));
    BELLOWS_TRY(const std::int64_t count, csv.count(1, "count", kMaxPerMinute));
    if (!begin) begin = at;
    const auto minute = (at - *begin) / minutes(1);
    const bool is_on_grid = (at - *begin) % minutes(1) == Duration::zero();
    const bool is_later = at >= *begin && minute >= std::ssize(traffic.per_minute);
    if (!is_on_grid || !is_later || minute >= kMaxMinutes) {
      return fail(csv.wrong("period", csv.field(0), "whole minutes, each after the one before"));
    }
    traffic.per_minute.resize(static_cast<std::size_t>(minute) + 1);
    traffic.per_minute.back() = static_cast<std::uint32_t>(count);
    sum += static_cast<std::uint64_t>(count);
  }
  if (sum == 0) return fail(nothing_in(trace));
  traffic.length = minutes(std::ssize(traffic.per_minute));
  return traffic;
}

/// Sorts the events; the trace begins with the minute of the first one.
Result<Traffic> from_events(const TraceText& trace, std::vector<Traffic::Event> events) {
  if (events.empty()) return fail(nothing_in(trace));
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  const Duration begin = std::chrono::floor<minutes>(events.front().at);
  for (Traffic::Event& event : events) event.at -= begin;
  Traffic traffic;
  traffic.length = whole_minutes(events.back().at);
  traffic.events = std::move(events);
  if (traffic.length > minutes(kMaxMinutes)) {
    return fail(ErrorKind::kMalformed, std::string(trace.file),
                "the times span more than a year: want at most one");
  }
  return traffic;
}

Result<Traffic> read_events(const TraceText& trace) {
  CsvReader csv(trace.file, trace.text);
  std::vector<Traffic::Event> events;
  for (bool is_first = true; csv.next(); is_first = false) {
    if (is_first && !read_instant(csv.field(0))) {
      std::vector<std::string> names = {"TIMESTAMP", "ContextTokens", "GeneratedTokens"};
      if (csv.fields() == 1) names.resize(1);
      BELLOWS_CHECKED(require_title(csv, kEventsColumns, names));
      continue;
    }
    BELLOWS_TRY(const Duration at, csv.instant(0, "TIMESTAMP"));
    if (csv.fields() == 1) {
      events.push_back({.at = at, .service = std::nullopt});
      continue;
    }
    BELLOWS_CHECKED(csv.want_fields(kTokensColumns, 3));
    BELLOWS_TRY(const std::int64_t context, csv.count(1, "ContextTokens", kMaxTokens));
    BELLOWS_TRY(const std::int64_t generated, csv.count(2, "GeneratedTokens", kMaxTokens));
    events.push_back({.at = at, .service = service_of_tokens(context, generated)});
  }
  return from_events(trace, std::move(events));
}

Error no_such_function(const TraceText& trace, const std::string& function,
                       const std::map<std::string, std::uint64_t>& known) {
  std::string text = "no function with this prefix of its hash; known:";
  constexpr std::size_t kNamed = 8;
  constexpr std::size_t kShown = 12;
  std::size_t named = 0;
  for (const auto& [name, requests] : known) {
    if (++named > kNamed) break;
    text += " " + name.substr(0, kShown) + " (" + std::to_string(requests) + " requests)";
  }
  if (known.size() > kNamed) text += " and " + std::to_string(known.size() - kNamed) + " more";
  return {ErrorKind::kNotFound, std::string(trace.file) + ": function " + function, text};
}

constexpr std::array<std::pair<double, std::string_view>, 7> kPoints = {{
    {0, "percentile_Average_0"},
    {0.01, "percentile_Average_1"},
    {0.25, "percentile_Average_25"},
    {0.5, "percentile_Average_50"},
    {0.75, "percentile_Average_75"},
    {0.99, "percentile_Average_99"},
    {1, "percentile_Average_100"},
}};

/// The distribution given by the duration percentiles of one function, in milliseconds.
Result<Distribution> duration_curve(const CsvReader& csv) {
  constexpr std::size_t kFirst = 7;  // after the hashes, average, count, minimum and maximum
  std::vector<Distribution::Percentile> points;
  for (std::size_t i = 0; i < kPoints.size(); ++i) {
    BELLOWS_TRY(const Duration milliseconds, csv.seconds(kFirst + i, kPoints[i].second));
    points.push_back({.share = kPoints[i].first, .duration = milliseconds / 1000});
    if (i > 0 && points[i].duration < points[i - 1].duration) {
      return fail(csv.wrong(kPoints[i].second, csv.field(kFirst + i),
                            "no less than the percentile before it"));
    }
  }
  return Distribution::percentiles(std::move(points));
}

Result<Distribution> read_durations(const TraceText& durations, const std::string& function) {
  CsvReader csv(durations.file, durations.text);
  std::map<std::string, std::uint64_t> known;
  std::vector<std::string> names = {"HashOwner", "HashApp", "HashFunction", "Average",
                                    "Count",     "Minimum", "Maximum"};
  for (const auto& [share, name] : kPoints) names.emplace_back(name);
  BELLOWS_CHECKED(read_title(csv, durations, kDurationsColumns, names));
  while (csv.next()) {
    BELLOWS_CHECKED(csv.want_fields(kDurationsColumns, names.size()));
    if (csv.field(2).starts_with(function)) return duration_curve(csv);
    known[std::string(csv.field(2))] = 0;
  }
  return fail(no_such_function(durations, function, known));
}

/// The requests of the chosen functions as a trace of one service.
Result<Traffic> traffic_of(const TraceText& trace, const std::vector<std::uint64_t>& per_minute,
                           std::size_t functions) {
  Traffic traffic;
  traffic.length = minutes(std::ssize(per_minute));
  for (std::size_t minute = 0; minute < per_minute.size(); ++minute) {
    if (per_minute[minute] > static_cast<std::uint64_t>(kMaxPerMinute)) {
      const std::string of = functions == 1 ? "" : " of all functions";
      return fail(ErrorKind::kMalformed,
                  std::string(trace.file) + ": minute " + std::to_string(minute + 1) + of,
                  "\"" + std::to_string(per_minute[minute]) + "\": want at most " +
                      std::to_string(kMaxPerMinute) + " requests");
    }
    traffic.per_minute.push_back(static_cast<std::uint32_t>(per_minute[minute]));
  }
  if (std::ranges::count(per_minute, 0U) == std::ssize(per_minute)) return fail(nothing_in(trace));
  return traffic;
}

Result<Traffic> read_azure_2019(const TraceText& trace, const TraceChoice& choice) {
  CsvReader csv(trace.file, trace.text);
  std::vector<std::uint64_t> per_minute(kMinutesPerDay);
  std::map<std::string, std::uint64_t> known;
  std::map<std::string, std::uint64_t> chosen;
  std::vector<std::string> names = {"HashOwner", "HashApp", "HashFunction", "Trigger"};
  for (std::size_t m = 1; m <= kMinutesPerDay; ++m) names.push_back(std::to_string(m));
  BELLOWS_CHECKED(read_title(csv, trace, k2019Columns, names));
  while (csv.next()) {
    BELLOWS_CHECKED(csv.want_fields(k2019Columns, 4 + kMinutesPerDay));
    const std::string name(csv.field(2));
    const bool is_chosen = name.starts_with(choice.function);
    for (std::size_t minute = 0; minute < kMinutesPerDay; ++minute) {
      BELLOWS_TRY(const std::int64_t count,
                  csv.count(4 + minute, std::to_string(minute + 1), kMaxPerMinute));
      known[name] += static_cast<std::uint64_t>(count);
      if (is_chosen) per_minute[minute] += static_cast<std::uint64_t>(count);
    }
    if (is_chosen) chosen[name] = known[name];
  }
  if (known.empty()) return fail(nothing_in(trace));
  if (chosen.empty()) return fail(no_such_function(trace, choice.function, known));
  BELLOWS_TRY(Traffic traffic, traffic_of(trace, per_minute, chosen.size()));
  if (!choice.durations) return traffic;
  if (chosen.size() != 1) {
    return fail(ErrorKind::kInvalidSetting, "durations",
                "each belongs to one function: choose one, " +
                    no_such_function(trace, choice.function, known).message());
  }
  BELLOWS_TRY(traffic.service, read_durations(*choice.durations, chosen.begin()->first));
  return traffic;
}

Result<Traffic> read_azure_2021(const TraceText& trace, const TraceChoice& choice) {
  CsvReader csv(trace.file, trace.text);
  std::vector<Traffic::Event> events;
  std::map<std::string, std::uint64_t> known;
  BELLOWS_CHECKED(
      read_title(csv, trace, k2021Columns, {"app", "func", "end_timestamp", "duration"}));
  while (csv.next()) {
    BELLOWS_CHECKED(csv.want_fields(k2021Columns, 4));
    BELLOWS_TRY(const Duration end, csv.seconds(2, "end_timestamp"));
    BELLOWS_TRY(const Duration duration, csv.seconds(3, "duration"));
    if (duration > kMaxDuration) {
      return fail(csv.wrong("duration", csv.field(3), "at most a year (31622400 seconds)"));
    }
    ++known[std::string(csv.field(1))];
    if (!csv.field(1).starts_with(choice.function)) continue;
    // End times and durations are rounded differently: an arrival slightly before zero is at zero.
    events.push_back({.at = std::max(end - duration, Duration::zero()), .service = duration});
  }
  if (events.empty() && !known.empty()) {
    return fail(no_such_function(trace, choice.function, known));
  }
  return from_events(trace, std::move(events));
}

}  // namespace

std::string_view to_string(TraceFormat format) {
  static constexpr std::array<std::string_view, 4> kNames = {"minutes", "events", "azure2019",
                                                             "azure2021"};
  return kNames.at(static_cast<std::size_t>(format));
}

std::optional<TraceFormat> detect_format(std::string_view text) {
  CsvReader csv("", text);
  if (!csv.next()) return std::nullopt;
  if (csv.field(0) == "period") return TraceFormat::kMinutes;
  if (csv.field(0) == "TIMESTAMP") return TraceFormat::kEvents;
  if (read_instant(csv.field(0))) {
    return csv.fields() == 2 ? TraceFormat::kMinutes : TraceFormat::kEvents;
  }
  if (csv.field(0) == "HashOwner") return TraceFormat::kAzure2019;
  if (csv.field(0) == "app") return TraceFormat::kAzure2021;
  return std::nullopt;
}

Duration service_of_tokens(std::int64_t context, std::int64_t generated) {
  constexpr Duration kPerRead = std::chrono::microseconds(200);
  constexpr Duration kPerWritten = std::chrono::milliseconds(30);
  return context * kPerRead + generated * kPerWritten;
}

Result<Traffic> read_trace(const TraceText& trace, const TraceChoice& choice) {
  if (trace.text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return fail(nothing_in(trace));
  }
  const std::string format(to_string(choice.format));
  const bool has_functions =
      choice.format == TraceFormat::kAzure2019 || choice.format == TraceFormat::kAzure2021;
  if (!choice.function.empty() && !has_functions) {
    return fail(ErrorKind::kInvalidSetting, "function",
                "\"" + choice.function + "\": a trace of format " + format +
                    " has no functions: want azure2019 or azure2021");
  }
  if (choice.durations && choice.format != TraceFormat::kAzure2019) {
    return fail(ErrorKind::kInvalidSetting, "durations",
                "\"" + std::string(choice.durations->file) + "\": a trace of format " + format +
                    " has none: want azure2019");
  }
  switch (choice.format) {
    case TraceFormat::kMinutes:
      return read_minutes(trace);
    case TraceFormat::kEvents:
      return read_events(trace);
    case TraceFormat::kAzure2019:
      return read_azure_2019(trace, choice);
    case TraceFormat::kAzure2021:
      return read_azure_2021(trace, choice);
  }
  return fail(nothing_in(trace));
}

}  // namespace bellows::simulator
