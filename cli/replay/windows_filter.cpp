#include "cli/replay/windows_filter.hpp"

#include <array>
#include <string>
#include <string_view>

#include "json/writer.hpp"

namespace bellows::cli {

namespace {

using config::Aggregation;
using json::Object;

constexpr json::DurationRange kLengths{std::chrono::seconds(1), std::chrono::hours(1), true};

// Sums of a window stay far from what a double holds.
constexpr json::Range kValues{-1e15, 1e15};

constexpr std::string_view kNotes = "a line has exactly one of window, record, read and resize";

Result<Aggregation> algorithm_of(const Object& line, ReplayProfile profile) {
  if (!line.has("algorithm")) return Aggregation::kLinear;
  const auto name = line.text("algorithm");
  if (name == "linear") return Aggregation::kLinear;
  if (profile == ReplayProfile::kSeed) {
    return fail(line.invalid("algorithm", "\"linear\": profile seed has no other"));
  }
  if (name == "weighted-exponential") return Aggregation::kWeightedExponential;
  return fail(line.invalid("algorithm", "\"linear\" or \"weighted-exponential\""));
}

/// The one key that says what the line is.
Result<std::string_view> kind_of(const Object& line) {
  std::string_view found;
  for (const std::string_view key : {"window", "record", "read", "resize"}) {
    if (!line.has(key)) continue;
    if (!found.empty()) {
      return fail(
          line.invalid(key, "it not beside " + std::string(found) + ": " + std::string(kNotes)));
    }
    found = key;
  }
  if (!found.empty()) return found;
  return fail(ErrorKind::kMalformed, "line " + std::to_string(line.line()),
              "none of its keys says what to do: " + std::string(kNotes));
}

}  // namespace

Result<void> WindowsFilter::take(const Object& line, std::string& out) {
  BELLOWS_TRY(const std::string_view kind, kind_of(line));
  if (kind == "window") return begin(line);
  if (!window_) {
    return fail(
        line.invalid(kind, "a line {\"window\":\"60s\",\"algorithm\":\"linear\"} before it"));
  }
  if (kind == "record") return record(line);
  if (kind == "read") return read(line, out);
  return resize(line);
}

Result<void> WindowsFilter::begin(const Object& line) {
  BELLOWS_TRY(const Duration length, line.duration("window", kLengths));
  BELLOWS_TRY(const Aggregation algorithm, algorithm_of(line, profile_));
  switch (profile_) {
    case ReplayProfile::kBellows:
      window_.emplace(metrics::SeriesWindow(length, algorithm));
      break;
    case ReplayProfile::kKnative:
      window_.emplace(metrics::knative::BucketWindow(length, algorithm));
      break;
    case ReplayProfile::kSeed:
      window_.emplace(metrics::PointWindow(length));
      break;
  }
  clock_.reset();
  return {};
}

Result<void> WindowsFilter::record(const Object& line) {
  BELLOWS_TRY(const double value, line.number("record", kValues));
  BELLOWS_TRY(const replay::Instant at, clock_.advance(line));
  std::visit([&](auto& window) { window.record(at.time, value); }, *window_);
  return {};
}

Result<void> WindowsFilter::read(const Object& line, std::string& out) {
  if (line.flag("read") != true) return fail(line.invalid("read", "true"));
  BELLOWS_TRY(const replay::Instant at, clock_.advance(line));
  std::visit(
      [&](auto& window) {
        out += json::Writer()
                   .number("at", at.seconds)
                   .number("average", window.average(at.time))
                   .flag("empty", window.is_empty(at.time))
                   .end_line();
      },
      *window_);
  return {};
}

Result<void> WindowsFilter::resize(const Object& line) {
  BELLOWS_TRY(const Duration length, line.duration("resize", kLengths));
  BELLOWS_CHECKED(clock_.advance(line));
  std::visit([&](auto& window) { window.resize(length); }, *window_);
  return {};
}

}  // namespace bellows::cli
