// The pages of a revision that look back.
#pragma once

#include "autoscaler/service/revision_registry.hpp"
#include "autoscaler/service/state_file.hpp"
#include "base/result.hpp"
#include "http/io/message.hpp"

namespace bellows::autoscaler {

/// How many decisions one response has at most; a longer time is asked for in parts, so that no
/// request of a caller waits for it.
inline constexpr std::size_t kJournalPart = 512;
inline constexpr std::size_t kChartPart = 4096;
/// How many before an instant are told with it: they say since when the number is so.
inline constexpr std::size_t kJournalBefore = 64;

/// The header by which a response says that there is more: the value of `next` for it.
inline constexpr const char* kNextPart = "Bellows-Next";

/// The header that says when the oldest decision that is kept was made, if more was asked for:
/// milliseconds of the calendar.
inline constexpr const char* kBeginsAt = "Bellows-Begins";

/// Lines of decisions (docs/formats/replay.md). Instants are milliseconds of the calendar.
///   without parameters   the last ones that every autoscaler keeps
///   from=MS              from then on, the first kJournalPart
///   next=TEXT            those that follow, as continuing lines
///   until=MS             the last made until then; the first if there are none
/// kMalformed: a parameter is none.
Result<http::Response> journal_page(const ScaledRevision& revision, const http::Request& request,
                                    const ClockPair& now);

/// from=MS&until=MS&step=MS: the columns and the points of a chart (docs/formats/status.md). `next`
/// is there if the time has more than kChartPart decisions: the `from` of the rest.
Result<http::Response> chart_page(const ScaledRevision& revision, const http::Request& request,
                                  const ClockPair& now);

}  // namespace bellows::autoscaler
