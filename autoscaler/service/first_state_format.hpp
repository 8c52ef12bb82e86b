// Version 1 of the state file, which is read but not written any more.
#pragma once

#include "autoscaler/core/decider_state.hpp"
#include "base/result.hpp"
#include "json/object.hpp"

namespace bellows::autoscaler {

/// One entry of `revisions`; ages are counted back from `at`. Its own names and units, and fewer
/// fields than there are now: the rest has the value of an empty state.
Result<DeciderState> read_first_format(const json::Object& revision, TimePoint at);

}  // namespace bellows::autoscaler
