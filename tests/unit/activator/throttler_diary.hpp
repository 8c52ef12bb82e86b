// A revision's throttler, its callers and the time, for stories told line by line.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "activator/core/revision_throttler.hpp"

namespace bellows::activator {

/// A request with a name; says in `served` when it gets a replica, in `refused` when it does not.
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
    throttler_.enter(*callers_.back(), bytes, now_);
    return *callers_.back();
  }
  bool ends(Caller& caller, PodOutcome outcome = PodOutcome::kAnswered) {
    return throttler_.release(caller, outcome, now_);
  }
  /// Answers every probe that is due.
  void probes_end(bool has_answered) {
    for (const ProbeOrder& order : throttler_.due_probes(now_)) {
      throttler_.probe_ended(order.replica, has_answered, now_);
    }
  }
  void hangs_up(Caller& caller) { throttler_.leave(caller, now_); }

  /// Who stopped waiting since the last look, in order.
  std::vector<std::string> settled() { return std::exchange(settled_, {}); }

  static std::string pod_of(const Caller& caller) { return caller.grant().pod->name().text(); }

 private:
  static constexpr TimePoint kStart{std::chrono::hours(24)};
  TimePoint now_ = kStart;
  RevisionView view_;
  std::vector<std::string> settled_;
  SeededRandom random_{1};
  RevisionThrottler throttler_{RevisionId("web"), random_};
  std::vector<std::unique_ptr<Caller>> callers_;  // leave before the throttler ends
};

}  // namespace bellows::activator
