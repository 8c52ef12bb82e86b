// A revision's journal as lines that `bellows replay decisions` turns into the same decisions.
#pragma once

#include <string>

#include "autoscaler/core/journal.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler::journal {

/// The first line is `snapshot`, the state before the oldest decision. A line `spec` follows, again
/// wherever the settings changed, and a line for each decision with its whole observation and,
/// under `decided`, the line that its replay prints. Times count from shortly before the first
/// decision. The snapshot's line also names the `service` and its `unix-seconds`, computed from
/// `wall_ahead`, the calendar minus the monotonic time line. Empty before the first decision. Every
/// decision was added with its settings.
std::string journal_lines(const Journal& journal, const RevisionId& revision, Duration wall_ahead);

}  // namespace bellows::autoscaler::journal
