// `bellows replay windows`: records and reads of one window, as docs/formats/replay.md describes
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cli/replay/replay_settings.hpp"
#include "config/load_measure.hpp"
#include "replay/filter.hpp"

namespace bellows::cli {

/// One series of values in a window that is used in production.
class ReplayedWindow {
 public:
  virtual ~ReplayedWindow() = default;
  /// `at` and `now` never go back.
  virtual void record(TimePoint at, double value) = 0;
  virtual double average(TimePoint now) = 0;
  virtual bool is_empty(TimePoint now) = 0;
  virtual void resize(Duration length, TimePoint now) = 0;
};

/// Pure. Owner: the command.
class WindowsFilter : public replay::Filter {
 public:
  explicit WindowsFilter(ReplayProfile profile) : profile_(profile) {}

  Result<void> take(const json::Object& line, std::string& out) override;

 private:
  Result<void> begin(const json::Object& line);
  Result<void> record(const json::Object& line);
  Result<void> read(const json::Object& line, std::string& out);
  Result<void> resize(const json::Object& line);

  ReplayProfile profile_;
  std::unique_ptr<ReplayedWindow> window_;  // nullptr before the first line with `window`
  replay::VirtualClock clock_;
};

}  // namespace bellows::cli
