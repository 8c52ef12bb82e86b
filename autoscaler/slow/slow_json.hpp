// State, intervals and advice of a slow brain as JSON: for its state file, its journal and
// `bellows replay slow` (docs/formats/replay.md). Numbers read back to the same doubles.
#pragma once

#include <string>
#include <string_view>

#include "autoscaler/slow/slow_brain.hpp"
#include "base/result.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::slow {

/// Writes a state, with instants as seconds before `now`.
void write_state(json::Writer& out, std::string_view key, const SlowState& state, TimePoint now);
/// Reads a state. kMalformed names the field, its value and what is valid: for an unknown level, a
/// negative sum, a service time beyond the last bucket.
Result<SlowState> read_state(const json::Object& object, TimePoint now);

void write_spec(json::Writer& out, std::string_view key, const SlowSpec& spec);
Result<SlowSpec> read_spec(const json::Object& object);

/// Writes `length` and the measurements; `end` is in the line that has the interval.
void write_interval(json::Writer& out, std::string_view key, const Interval& interval);
Result<Interval> read_interval(const json::Object& object, TimePoint end);

/// Writes members of the innermost open object, without `at`.
void write_advice(json::Writer& out, const Advice& advice);

}  // namespace bellows::autoscaler::slow
