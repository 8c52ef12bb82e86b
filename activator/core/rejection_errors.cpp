#include "activator/core/rejection_errors.hpp"

#include <string>
#include <utility>

#include "base/duration_text.hpp"

namespace bellows::activator {
namespace {

std::string culprit(const RevisionId& service) {
  return "service " + service.text();
}

std::string why_no_replica(const PodSet& pods, const std::string& waited,
                           const std::string& not_ready) {
  if (pods.all_ejected()) {
    return "all replicas failed (" + std::to_string(pods.ejected()) +
           ") and did not answer a probe within " + waited;
  }
  if (pods.ready() == 0) {
    return "no replica became ready within " + waited + (not_ready.empty() ? "" : "; " + not_ready);
  }
  return "no replica had room within " + waited;
}

}  // namespace

Error queue_full_error(const RevisionId& service, proxy::QueueFull bound, const HoldQueue& queue) {
  return Error(ErrorKind::kOverloaded, culprit(service),
               proxy::queue_full_text(queue.bounded(), bound));
}

Error max_wait_error(const RevisionId& service, const config::RevisionSettings& settings,
                     const PodSet& pods, const std::string& not_ready) {
  const bool is_timeout = is_wait_bounded_by_timeout(settings);
  const std::string waited =
      duration_text(max_wait(settings)) + (is_timeout ? " (revision-timeout)" : " (queue-age)");
  return Error(ErrorKind::kTimeout, culprit(service), why_no_replica(pods, waited, not_ready),
               is_timeout ? ErrorSide::kUpstream : ErrorSide::kInternal);
}

Error requeue_age_error(const RevisionId& service, const config::RevisionSettings& settings) {
  return Error(ErrorKind::kTimeout, culprit(service),
               "a replica failed and no other one took the request within " +
                   duration_text(settings.queue_age) + " after that (queue-age)",
               ErrorSide::kInternal);
}

Error requeue_timeout_error(const RevisionId& service, const config::RevisionSettings& settings) {
  return Error(ErrorKind::kTimeout, culprit(service),
               "a replica failed and no other one took the request before its " +
                   duration_text(settings.request_timeout) + " ended (revision-timeout)",
               ErrorSide::kUpstream);
}

}  // namespace bellows::activator
