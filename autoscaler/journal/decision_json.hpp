// Decisions as lines: what one saw, and what it answered (docs/replay.md).
#pragma once

#include <string>

#include "autoscaler/core/decision.hpp"
#include "base/result.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::journal {

/// Everything that was seen, as members of an evaluation line. read_seen() gives it back.
void write_seen(json::Writer& line, const Decision& decision);

/// Reads the members of an evaluation line that gives averages over `seen`, which holds what is not
/// named.
Result<void> read_given_averages(const json::Object& line, const ScalingSpec& spec,
                                 Observation& seen);
/// Reads everything but the averages over `seen`.
Result<void> read_seen(const json::Object& line, TimePoint at, Observation& seen);

/// The members of the line that answers an evaluation; `at` as it is printed.
void write_answer(json::Writer& line, const Decision& decision, double at);

/// The whole line.
std::string answer_line(const Decision& decision, double at);

}  // namespace bellows::autoscaler::journal
