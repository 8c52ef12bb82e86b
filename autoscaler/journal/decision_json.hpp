// Decisions as lines: their observations and results (docs/formats/replay.md).
#pragma once

#include <string>

#include "autoscaler/core/decision.hpp"
#include "base/result.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::journal {

/// Writes the whole observation as members of an evaluation line, which read_seen() reads.
void write_seen(json::Writer& line, const Decision& decision);

/// Reads the members of an evaluation line with given averages into `seen`; the other members of
/// `seen` do not change.
Result<void> read_given_averages(const json::Object& line, const ScalingSpec& spec,
                                 Observation& seen);
/// Reads everything but the averages into `seen`.
Result<void> read_seen(const json::Object& line, TimePoint at, Observation& seen);

/// Writes the members of the line that an evaluation prints; `at` as it is printed.
void write_answer(json::Writer& line, const Decision& decision, double at);

/// Returns the whole line.
std::string answer_line(const Decision& decision, double at);

}  // namespace bellows::autoscaler::journal
