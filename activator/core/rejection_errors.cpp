#include "activator/core/rejection_errors.hpp"

#include <string>
#include <utility>

#include "base/duration_text.hpp"
#include "base/quantity_text.hpp"

namespace bellows::activator {
namespace {

std::string culprit(const RevisionId& revision) {
  return "service " + revision.text();
}

std::string why_no_replica(const PodSet& pods, const std::string& waited) {
  if (pods.all_ejected()) {
    return "all replicas failed (" + std::to_string(pods.ejected()) +
           ") and none of them answered a probe within " + waited;
  }
  if (pods.ready() == 0) return "no replica became ready within " + waited;
  return "no replica had room within " + waited;
}

}  // namespace

Error queue_full_error(const RevisionId& revision, proxy::QueueFull bound, const HoldQueue& queue,
                       const config::RevisionSettings& settings) {
  std::string why = "its queue is full: " + std::to_string(queue.bounded().count()) +
                    (queue.bounded().count() == 1 ? " request waits" : " requests wait");
  if (bound == proxy::QueueFull::kCount) {
    why += ", queue-depth is " + std::to_string(settings.queue_depth);
  } else {
    why += " and hold " + to_string(Bytes{static_cast<std::int64_t>(queue.bounded().bytes())}) +
           ", queue-bytes is " + to_string(settings.queue_bytes);
  }
  return Error(ErrorKind::kOverloaded, culprit(revision), std::move(why));
}

Error max_wait_error(const RevisionId& revision, const config::RevisionSettings& settings,
                     const PodSet& pods) {
  const bool is_timeout = is_wait_bounded_by_timeout(settings);
  const std::string waited =
      duration_text(max_wait(settings)) + (is_timeout ? " (revision-timeout)" : " (queue-age)");
  return Error(ErrorKind::kTimeout, culprit(revision), why_no_replica(pods, waited),
               is_timeout ? ErrorSide::kUpstream : ErrorSide::kInternal);
}

Error requeue_age_error(const RevisionId& revision, const config::RevisionSettings& settings) {
  return Error(ErrorKind::kTimeout, culprit(revision),
               "a replica failed and no other one took the request within " +
                   duration_text(settings.queue_age) + " after that (queue-age)",
               ErrorSide::kInternal);
}

Error requeue_timeout_error(const RevisionId& revision, const config::RevisionSettings& settings) {
  return Error(ErrorKind::kTimeout, culprit(revision),
               "a replica failed and no other one took the request before its " +
                   duration_text(settings.request_timeout) + " ended (revision-timeout)",
               ErrorSide::kUpstream);
}

}  // namespace bellows::activator
