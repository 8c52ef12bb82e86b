#include "cluster/kubernetes/core/path_machine.hpp"

#include <algorithm>

namespace bellows::cluster {

namespace {

bool has(const std::vector<PodName>& sorted, const PodName& name) {
  return std::ranges::binary_search(sorted, name);
}

}  // namespace

void PathMachine::start_anew() {
  replicas_since_.reset();
  settled_at_.reset();
  if (state_ == PathState::kHeld) state_ = PathState::kJoining;
  if (state_ == PathState::kDirect) is_begun_ = false;
}

/// A path that is held or joining is left once replicas have been ready for long enough.
bool PathMachine::wants_through(const PathFacts& facts, TimePoint now) const {
  const bool is_through = state_ == PathState::kJoining || state_ == PathState::kHeld;
  if (!replicas_since_) return true;
  if (!facts.is_asked_through) return is_through;
  if (*facts.is_asked_through) return true;
  return is_through && now < *replicas_since_ + settle_;
}

void PathMachine::to_activators(const PathFacts& facts, TimePoint now) {
  if (state_ == PathState::kDirect || state_ == PathState::kLeaving) {
    state_ = PathState::kJoining;
    settled_at_.reset();
  }
  const bool is_served = std::ranges::any_of(
      facts.usable, [&](const PodName& name) { return has(facts.in_slice, name); });
  if (!is_served) {
    state_ = PathState::kJoining;
    settled_at_.reset();
    return;
  }
  if (state_ == PathState::kHeld) return;
  if (!settled_at_) settled_at_ = now + settle_;
  if (now < *settled_at_) return;
  state_ = PathState::kHeld;
  settled_at_.reset();
}

void PathMachine::to_replicas(const PathFacts& facts, TimePoint now) {
  if (state_ == PathState::kDirect && facts.in_slice.empty()) return;
  if (state_ != PathState::kLeaving) {
    state_ = PathState::kLeaving;
    settled_at_.reset();
  }
  if (!facts.in_slice.empty()) {
    settled_at_.reset();
    return;
  }
  if (!settled_at_) settled_at_ = now + settle_;
  if (now < *settled_at_) return;
  state_ = PathState::kDirect;
  settled_at_.reset();
}

PathWish PathMachine::wish(const PathFacts& facts) const {
  PathWish wish;
  const bool is_through = state_ == PathState::kJoining || state_ == PathState::kHeld;
  if (!is_through) {
    wish.last_resort = facts.usable;
  } else if (!facts.usable.empty()) {
    wish.ready = facts.usable;
  } else {
    wish.ready = facts.in_slice;  // none is better, and they may return
  }
  if (settled_at_) {
    wish.again = settled_at_;
  } else if (is_through && replicas_since_ && facts.is_asked_through == false) {
    wish.again = *replicas_since_ + settle_;
  }
  return wish;
}

PathWish PathMachine::step(const PathFacts& facts, TimePoint now) {
  // A machine that starts finds the slice of an earlier one.
  if (!is_begun_ && !facts.in_slice.empty()) state_ = PathState::kJoining;
  is_begun_ = true;
  if (!facts.are_replicas_ready) {
    replicas_since_.reset();
  } else if (!replicas_since_) {
    replicas_since_ = now;
  }
  if (wants_through(facts, now)) {
    to_activators(facts, now);
  } else {
    to_replicas(facts, now);
  }
  return wish(facts);
}

}  // namespace bellows::cluster
