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

/// Instants are written as seconds before `now`.
void write_state(json::Writer& out, std::string_view key, const SlowState& state, TimePoint now);
/// kMalformed names the field, its value and what it should be: a level that does not exist, a sum
/// that is negative, a service time beyond the last bucket.
Result<SlowState> read_state(const json::Object& object, TimePoint now);

void write_spec(json::Writer& out, std::string_view key, const SlowSpec& spec);
Result<SlowSpec> read_spec(const json::Object& object);

/// `length` and what was measured; `end` comes from the line that has it.
void write_interval(json::Writer& out, std::string_view key, const Interval& interval);
Result<Interval> read_interval(const json::Object& object, TimePoint end);

/// Members of the innermost open object, without `at`.
void write_advice(json::Writer& out, const Advice& advice);

}  // namespace bellows::autoscaler::slow
