// A pure core driven by lines of JSON: the common part of every `replay` command.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/time.hpp"
#include "json/object.hpp"

namespace bellows::replay {

class Filter {
 public:
  virtual ~Filter() = default;

  /// Takes one line and appends its output, whole lines, to `out`. After an error it is not called
  /// again, and the output of this line is not printed.
  virtual Result<void> take(const json::Object& line, std::string& out) = 0;
};

/// Feeds every line of `in` to the filter, in order, and writes its output. Skips lines of white
/// space (they count as lines). Stops at the first error.
Result<void> feed(Filter& filter, std::istream& in, std::ostream& out);

/// An `at` as it was written and as an instant, to the nanosecond.
struct Instant {
  double seconds = 0;  ///< for printing it again
  TimePoint time{};
};

/// Virtual time: the key `at`, in seconds since an arbitrary start, never decreases.
class VirtualClock {
 public:
  /// Returns the `at` of this line: a number from 0 to 4e9 and not before the latest one.
  Result<Instant> advance(const json::Object& line);

  /// Allows an earlier `at` for the next line.
  void reset() { latest_.reset(); }

 private:
  std::optional<double> latest_;
};

}  // namespace bellows::replay
