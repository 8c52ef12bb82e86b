// One observation after the other in few bytes: of each only what differs from the one before.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "autoscaler/core/observation.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler::history {

/// The values of an observation as integers, so that those of neighbours differ little.
struct Row {
  static constexpr std::size_t kMost = 48;

  std::array<std::int64_t, kMost> values{};
  std::uint64_t exact = 0;  ///< which of them are the bits of a double that is not on the grid
  std::string policy;       ///< what other policies saw, as JSON; empty: nothing
};

/// Owner: a block of a journal. Any observation reads back equal; one on the grid
/// (observation_grid.hpp) takes few bytes.
class RowWriter {
 public:
  void append(TimePoint at, const Observation& seen, std::string& out);

 private:
  Row before_;
  TimePoint last_;
  std::int64_t step_ = 0;
};

class RowReader {
 public:
  /// `text`: rows of one RowWriter; outlives the reader.
  explicit RowReader(std::string_view text) : rest_(text) {}

  bool is_at_end() const { return rest_.empty(); }
  TimePoint next(Observation& seen);

 private:
  Row row_;
  TimePoint last_;
  std::int64_t step_ = 0;
  std::string_view rest_;
};

}  // namespace bellows::autoscaler::history
