// The pages about the past of a service, or of a revision.
#pragma once

#include "autoscaler/service/revision_history.hpp"
#include "autoscaler/service/state_file.hpp"
#include "base/result.hpp"
#include "http/io/message.hpp"

namespace bellows::autoscaler {

/// Maximum of decisions in one response. A client reads a longer time in parts, so that no request
/// of a caller waits for it.
inline constexpr std::size_t kJournalPart = 512;
inline constexpr std::size_t kChartPart = 4096;
/// Decisions before an instant that its response includes; they show since when the number is the
/// same.
inline constexpr std::size_t kJournalBefore = 64;

/// The header of a response that has a next part: the value of `next` for it.
inline constexpr const char* kNextPart = "Bellows-Next";

/// The header with the time of the oldest kept decision, if the request began earlier: milliseconds
/// of the calendar.
inline constexpr const char* kBeginsAt = "Bellows-Begins";

/// Writes lines of decisions (docs/formats/replay.md). Instants are milliseconds of the calendar.
///   without parameters   the last ones that every autoscaler keeps
///   from=MS              from then on, the first kJournalPart
///   next=TEXT            those that follow, as continuing lines
///   until=MS             the last made until then; the first if there are none
/// kMalformed: an invalid parameter.
Result<http::Response> journal_page(const RevisionHistory& history, const http::Request& request,
                                    const ClockPair& now);

/// Writes the columns and the points of a chart for from=MS&until=MS&step=MS
/// (docs/formats/status.md). If the time has more than kChartPart decisions, `next` is the `from`
/// of the rest.
Result<http::Response> chart_page(const RevisionHistory& history, const http::Request& request,
                                  const ClockPair& now);

}  // namespace bellows::autoscaler
