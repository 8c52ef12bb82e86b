// The errors that tell callers why a request got no replica.
#pragma once

#include "activator/core/hold_queue.hpp"
#include "activator/core/pod_set.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "config/revision_settings.hpp"

namespace bellows::activator {

/// The queue has reached `bound`. kOverloaded.
Error queue_full_error(const RevisionId& revision, proxy::QueueFull bound, const HoldQueue& queue);

/// The request has waited for max_wait(). kTimeout; with the upstream as the culprit if
/// revision-timeout was the bound, so that the status is 504 as everywhere else, and 503 if the
/// queue was.
Error max_wait_error(const RevisionId& revision, const config::RevisionSettings& settings,
                     const PodSet& pods);

/// The request was requeued after its replica failed, and has waited for queue-age since then.
Error requeue_age_error(const RevisionId& revision, const config::RevisionSettings& settings);

/// The request was requeued after its replica failed, and its revision-timeout has ended.
Error requeue_timeout_error(const RevisionId& revision, const config::RevisionSettings& settings);

}  // namespace bellows::activator
