// `bellows explain` on a cluster: prints who takes the requests of a Revision's Service. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cli/explain/explain.hpp"

namespace bellows::cli {

/// Returns the condition Routed of a Revision (JSON of the API) as one sentence: state, since when,
/// and why. Empty: there is no such condition. kMalformed: the text is no Revision. "Its path is
/// ThroughActivators since 14:02:40: activators a-1 take requests: no replica is wanted."
Result<std::string> route_text(std::string_view revision, const LocalTime& local);

}  // namespace bellows::cli
