// VPA's checkpoint of a container: the status of a VerticalPodAutoscalerCheckpoint, version v3.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "recommender/core/histogram.hpp"

namespace bellows::json {
class Writer;
}  // namespace bellows::json

namespace bellows::recommender {

struct HistogramCheckpoint {
  WallTime reference = Histogram::kNever;
  std::map<std::size_t, std::uint32_t> weights;  ///< by bucket, scaled so that the largest is 10000
  double total_weight = 0;
};

struct Checkpoint {
  HistogramCheckpoint cpu;
  HistogramCheckpoint memory;
  WallTime first_sample = Histogram::kNever;
  WallTime last_sample = Histogram::kNever;
  std::int64_t samples = 0;
};

HistogramCheckpoint checkpoint_of(const Histogram& histogram);

/// Returns JSON with VPA's keys: {"version":"v3","cpuHistogram":{...},...}. Times have whole
/// seconds.
std::string checkpoint_json(const Checkpoint& checkpoint);
/// Writes the same members into the open object.
void write_checkpoint(json::Writer& line, const Checkpoint& checkpoint);
void write_checkpoint(json::Writer& line, const HistogramCheckpoint& checkpoint);

/// Parses a checkpoint. kMalformed: what VPA rejects (another version, a bucket outside 0..175, a
/// negative total) and weights that are not a uint32; the error names `name` (of the checkpoint),
/// field, value and the valid range.
Result<Checkpoint> parse_checkpoint(std::string_view name, std::string_view json);

}  // namespace bellows::recommender
