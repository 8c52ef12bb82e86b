#include "autoscaler/service/start_failures.hpp"

#include <utility>

namespace bellows::autoscaler {
namespace {

using Phase = cluster::ReplicaPhase;

std::int64_t failed_starts(const cluster::ReplicaChange& change) {
  const cluster::Replica& now = *change.now;
  if (now.phase != Phase::kFailed || now.start.ready) return 0;
  if (change.before == nullptr) return 1 + now.restarts;
  if (change.before->phase == Phase::kReady) return 0;
  // The list may have skipped the phases between two failures.
  if (change.before->phase == Phase::kFailed) return now.restarts - change.before->restarts;
  return 1;
}

bool is_leaving(const cluster::Replica* replica) {
  return replica == nullptr || replica->phase == Phase::kDraining || replica->phase == Phase::kGone;
}

/// Returns why a start that was given up, because nobody waits any more, would have failed; empty:
/// not known, or it was no start.
std::string given_up_because(const cluster::ReplicaChange& change) {
  if (change.before == nullptr || !is_leaving(change.now)) return {};
  const bool was_starting =
      change.before->phase == Phase::kPending || change.before->phase == Phase::kStarting;
  return was_starting && !change.before->start.ready ? change.before->failure_message : "";
}

bool becomes_ready(const cluster::ReplicaChange& change) {
  return change.now->phase == Phase::kReady &&
         (change.before == nullptr || change.before->phase != Phase::kReady);
}

}  // namespace

void StartFailures::restore(std::int64_t count, std::string last, TimePoint at) {
  count_ = count;
  last_ = std::move(last);
  at_ = at;
}

void StartFailures::note(const std::vector<cluster::ReplicaPtr>& before,
                         const std::vector<cluster::ReplicaPtr>& now, TimePoint at) {
  for (const cluster::ReplicaChange& change : changed_replicas(before, now)) {
    const std::string given_up = given_up_because(change);
    // The reason of an app that was about to start again is counted already.
    if (!given_up.empty() && given_up != last_) {
      ++count_;
      last_ = given_up;
      at_ = at;
    }
    if (is_leaving(change.now)) continue;
    if (becomes_ready(change)) {
      count_ = 0;
      last_.clear();
      continue;
    }
    const std::int64_t failed = failed_starts(change);
    if (failed <= 0) continue;
    count_ += failed;
    last_ = change.now->failure_message;
    at_ = at;
  }
}

}  // namespace bellows::autoscaler
