// The errors for callers whose request got no replica.
#pragma once

#include "activator/core/hold_queue.hpp"
#include "activator/core/pod_set.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "config/revision_settings.hpp"

namespace bellows::activator {

/// Makes the kOverloaded error of a queue that has reached `bound`.
Error queue_full_error(const RevisionId& service, proxy::QueueFull bound, const HoldQueue& queue);

/// Makes the kTimeout error of a request that has waited for max_wait(). Its side is the upstream
/// if revision-timeout was the bound, so that the status is 504 as everywhere else, and 503 if the
/// queue was. `not_ready`: RevisionView::not_ready.
Error max_wait_error(const RevisionId& service, const config::RevisionSettings& settings,
                     const PodSet& pods, const std::string& not_ready);

/// Makes the error of a request that was requeued after its replica failed, and has waited for
/// queue-age since then.
Error requeue_age_error(const RevisionId& service, const config::RevisionSettings& settings);

/// Makes the error of a request that was requeued after its replica failed, and whose
/// revision-timeout has ended.
Error requeue_timeout_error(const RevisionId& service, const config::RevisionSettings& settings);

}  // namespace bellows::activator
