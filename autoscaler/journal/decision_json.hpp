// Decisions as lines: what one saw, and what it answered (docs/formats/replay.md).
#pragma once

#include <string>

#include "autoscaler/core/decision.hpp"
#include "base/result.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::journal {

/// Everything that was seen, as members of an evaluation line. read_seen() gives it back.
void write_seen(json::Writer& line, const Decision& decision);

/// Reads the members of an evaluation line with given averages into `seen`, which keeps what the
/// line does not name.
Result<void> read_given_averages(const json::Object& line, const ScalingSpec& spec,
                                 Observation& seen);
/// Reads everything but the averages over `seen`.
Result<void> read_seen(const json::Object& line, TimePoint at, Observation& seen);

/// Writes the members of the line that an evaluation prints; `at` as it is printed.
void write_answer(json::Writer& line, const Decision& decision, double at);

/// The whole line.
std::string answer_line(const Decision& decision, double at);

}  // namespace bellows::autoscaler::journal
