// `bellows replay windows`: records and reads of one window, as docs/replay.md describes them.
#pragma once

#include <optional>
#include <variant>

#include "cli/replay/replay_settings.hpp"
#include "metrics/knative/bucket_window.hpp"
#include "metrics/point_window.hpp"
#include "metrics/series_window.hpp"
#include "replay/filter.hpp"

namespace bellows::cli {

/// Pure. Owner: the command.
class WindowsFilter : public replay::Filter {
 public:
  explicit WindowsFilter(ReplayProfile profile) : profile_(profile) {}

  Result<void> take(const json::Object& line, std::string& out) override;

 private:
  using AnyWindow =
      std::variant<metrics::SeriesWindow, metrics::knative::BucketWindow, metrics::PointWindow>;

  Result<void> begin(const json::Object& line);
  Result<void> record(const json::Object& line);
  Result<void> read(const json::Object& line, std::string& out);
  Result<void> resize(const json::Object& line);

  ReplayProfile profile_;
  std::optional<AnyWindow> window_;  // nothing before the first line with `window`
  replay::VirtualClock clock_;
};

}  // namespace bellows::cli
