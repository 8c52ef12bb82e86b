// A revision's throttler, its callers and the time, for tests that read as a diary.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "activator/core/revision_throttler.hpp"

namespace bellows::activator {

/// A request with a name; appends it to the log when it is settled.
class Caller final : public HeldRequest {
 public:
  Caller(std::string name, std::vector<std::string>& log) : name_(std::move(name)), log_(log) {}

 protected:
  void on_settled() override { log_.push_back(name_); }

 private:
  std::string name_;
  std::vector<std::string>& log_;
};

/// A revision, its callers, and the time.
class Diary {
 public:
  Diary() {
    view_.settings.container_concurrency = 1;
    view_.settings.queue_depth = 100;
    update();
  }

  RevisionThrottler& throttler() { return throttler_; }
  RevisionView& view() { return view_; }
  TimePoint now() const { return now_; }
  void at(Duration since_start) {
    now_ = kStart + since_start;
    throttler_.tick(now_);
  }
  /// Time passes without a tick.
  void later(Duration since_start) { now_ = kStart + since_start; }
  void update() { throttler_.update(view_, now_); }

  void replicas(const std::vector<std::string>& names) {
    view_.ready.clear();
    for (const std::string& name : names) {
      view_.ready.push_back({.name = PodName(name), .address = {}, .ready = kStart});
    }
    update();
  }

  Caller& arrives(const std::string& name, std::size_t bytes = 1000) {
    callers_.push_back(std::make_unique<Caller>(name, settled_));
    throttler_.enqueue(*callers_.back(), bytes, now_);
    return *callers_.back();
  }
  /// One that wishes for a replica.
  Caller& arrives_for(const std::string& name, const std::string& replica) {
    callers_.push_back(std::make_unique<Caller>(name, settled_));
    callers_.back()->prefer(PodName(replica));
    throttler_.enqueue(*callers_.back(), 1000, now_);
    return *callers_.back();
  }
  bool ends(Caller& caller, PodOutcome outcome = PodOutcome::kResponded) {
    return throttler_.release(caller, outcome, now_);
  }
  /// Ends every probe that is due with this result.
  void probes_end(bool has_succeeded) {
    for (const DueProbe& due : throttler_.due_probes(now_)) {
      throttler_.end_probe(due.replica, has_succeeded, now_);
    }
  }
  void hangs_up(Caller& caller) { throttler_.cancel(caller, now_); }

  /// The callers that were settled since the last call, in order.
  std::vector<std::string> settled() { return std::exchange(settled_, {}); }

  static std::string pod_of(const Caller& caller) { return caller.grant().pod->name().text(); }

 private:
  static constexpr TimePoint kStart{std::chrono::hours(24)};
  TimePoint now_ = kStart;
  RevisionView view_;
  std::vector<std::string> settled_;
  SeededRandom random_{1};
  RevisionThrottler throttler_{RevisionId("web"), random_};
  std::vector<std::unique_ptr<Caller>> callers_;  // destroyed before the throttler
};

}  // namespace bellows::activator
