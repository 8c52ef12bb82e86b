// A revision's journal as lines that `bellows replay decisions` turns into the same decisions.
#pragma once

#include <string>

#include "autoscaler/core/journal.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler::journal {

/// First a line `snapshot` with the state that the oldest decision was taken from, then a line
/// `spec`, again wherever the settings changed, then a line for each decision with everything that
/// it saw and, under `decided`, the very line that its replay prints. Times count from shortly
/// before the first decision. For people the snapshot's line tells the `service` and, from
/// `wall_ahead`, the calendar less the monotonic time line, its `unix-seconds`. Empty before the
/// first decision. Every decision was added with its settings.
std::string journal_lines(const Journal& journal, const RevisionId& revision, Duration wall_ahead);

}  // namespace bellows::autoscaler::journal
