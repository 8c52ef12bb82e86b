// What VPA keeps of a container across restarts: the status of a VerticalPodAutoscalerCheckpoint,
// version v3.
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
  std::map<std::size_t, std::uint32_t> weights;  ///< by bucket; the heaviest has 10000
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

/// As JSON with VPA's keys: {"version":"v3","cpuHistogram":{...},...}. Times have whole seconds.
std::string checkpoint_json(const Checkpoint& checkpoint);
/// The same members into an object that is open.
void write_checkpoint(json::Writer& line, const Checkpoint& checkpoint);
void write_checkpoint(json::Writer& line, const HistogramCheckpoint& checkpoint);

/// kMalformed for what VPA refuses (another version, a bucket outside 0..175, a negative total) and
/// for weights that are no uint32, with `name` (of the checkpoint), field, value and what is valid.
Result<Checkpoint> parse_checkpoint(std::string_view name, std::string_view json);

}  // namespace bellows::recommender
