#include "cli/replay/windows_filter.hpp"

#include <array>
#include <string>
#include <string_view>

#include "json/writer.hpp"
#include "metrics/knative/bucket_window.hpp"
#include "metrics/pod_points.hpp"
#include "metrics/revision_windows.hpp"
#include "metrics/stat_codec.hpp"

namespace bellows::cli {

namespace {

using config::Aggregation;
using json::Object;

constexpr json::DurationRange kLengths{std::chrono::seconds(1), std::chrono::hours(1), true};

// Sums of a window stay far below what a double holds.
constexpr json::Range kValues{-1e15, 1e15};
// The range of a stat's load.
constexpr json::Range kLoads{0, metrics::kMaxConcurrency};

const PodName& pod_name() {
  static const PodName name("replayed");
  return name;
}

/// Profile bellows: the windows of a revision whose only replica reports the series, and the mean
/// over their known seconds.
class RevisionWindow final : public ReplayedWindow {
 public:
  RevisionWindow(Duration length, Aggregation aggregation) : windows_(length, length) {
    windows_.measure_by({.aggregation = aggregation});
  }

  void record(TimePoint at, double value) override {
    windows_.record({.revision = {},
                     .pod = pod_name(),
                     .sequence = ++reports_,
                     .concurrency = value,
                     .peak = value},
                    at);
  }
  double average(TimePoint now) override { return view(now).total; }
  bool is_empty(TimePoint now) override { return view(now).covered_seconds == 0; }
  void resize(Duration length, TimePoint /*now*/) override { windows_.resize(length, length); }

 private:
  metrics::WindowView view(TimePoint now) {
    return windows_.average(metrics::Window::kStable, now);
  }

  metrics::RevisionWindows windows_;
  std::uint64_t reports_ = 0;
};

/// Profile knative: one of the collector's windows.
class KnativeWindow final : public ReplayedWindow {
 public:
  KnativeWindow(Duration length, Aggregation aggregation) : window_(length, aggregation) {}

  void record(TimePoint at, double value) override { window_.record(at, value); }
  double average(TimePoint now) override { return window_.average(now); }
  bool is_empty(TimePoint now) override { return window_.is_empty(now); }
  void resize(Duration length, TimePoint now) override { window_.resize(length, now); }

 private:
  metrics::knative::BucketWindow window_;
};

/// Profile seed: the points of one replica.
class SeedWindow final : public ReplayedWindow {
 public:
  explicit SeedWindow(Duration length) : points_(length, length) {}

  void record(TimePoint at, double value) override { points_.record(at, pod_name(), value); }
  double average(TimePoint now) override { return view(now).mean; }
  bool is_empty(TimePoint now) override { return view(now).is_empty; }
  void resize(Duration length, TimePoint /*now*/) override { points_.resize(length, length); }

 private:
  metrics::PodPoints::View view(TimePoint now) {
    return points_.view(metrics::Window::kStable, now);
  }

  metrics::PodPoints points_;
};

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

/// Returns the one key that names the kind of the line.
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
              "no key defines its kind: " + std::string(kNotes));
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
      window_ = std::make_unique<RevisionWindow>(length, algorithm);
      break;
    case ReplayProfile::kKnative:
      window_ = std::make_unique<KnativeWindow>(length, algorithm);
      break;
    case ReplayProfile::kSeed:
      window_ = std::make_unique<SeedWindow>(length);
      break;
  }
  clock_.reset();
  return {};
}

Result<void> WindowsFilter::record(const Object& line) {
  const json::Range& values = profile_ == ReplayProfile::kBellows ? kLoads : kValues;
  BELLOWS_TRY(const double value, line.number("record", values));
  BELLOWS_TRY(const replay::Instant at, clock_.advance(line));
  window_->record(at.time, value);
  return {};
}

Result<void> WindowsFilter::read(const Object& line, std::string& out) {
  if (line.flag("read") != true) return fail(line.invalid("read", "true"));
  BELLOWS_TRY(const replay::Instant at, clock_.advance(line));
  out += json::Writer()
             .number("at", at.seconds)
             .number("average", window_->average(at.time))
             .flag("empty", window_->is_empty(at.time))
             .end_line();
  return {};
}

Result<void> WindowsFilter::resize(const Object& line) {
  BELLOWS_TRY(const Duration length, line.duration("resize", kLengths));
  BELLOWS_TRY(const replay::Instant at, clock_.advance(line));
  window_->resize(length, at.time);
  return {};
}

}  // namespace bellows::cli
