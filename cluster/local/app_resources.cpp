#include "cluster/local/app_resources.hpp"

#include <utility>

#include "base/sys/log.hpp"
#include "cluster/local/usage.hpp"

namespace bellows::cluster {

namespace log = sys::log;

AppResources::AppResources(const SharedResources& shared, RevisionId service, RevisionId revision,
                           PodName replica)
    : shared_(shared),
      service_(std::move(service)),
      revision_(std::move(revision)),
      replica_(std::move(replica)) {}

AppResources::~AppResources() {
  if (last_started_) report(AppEvent::What::kGone, *last_started_);
}

Result<void> AppResources::make_group() {
  BELLOWS_TRY(group_, shared_.groups->make_group(replica_.text()));
  BELLOWS_CHECKED(group_->limit(shared_.limits));
  return group_->resize(shared_.for_new);
}

Result<std::vector<std::string>> AppResources::prepare_start() {
  const bool is_limited = !shared_.limits.empty();
  if (shared_.groups == nullptr || (!shared_.is_measured && !is_limited)) {
    return std::vector<std::string>();
  }
  if (!std::exchange(has_tried_group_, true)) {
    if (const Result<void> made = make_group(); !made) {
      log::warning("replica not sized", {{"service", service_.text()},
                                         {"revision", revision_.text()},
                                         {"replica", replica_.text()},
                                         {"error", to_string(made.error())}});
      if (is_limited) {
        has_tried_group_ = false;  // for the next start
        group_.reset();
        return fail(made.error());
      }
    }
  }
  return group_ ? group_->entrances() : std::vector<std::string>();
}

void AppResources::started(TimePoint now) {
  last_started_ = now;
  oom_killed_at_.reset();
  last_cpu_.reset();
  report(AppEvent::What::kStarted, now);
}

void AppResources::ungrouped(const std::string& reason) {
  log::warning("replica not sized", {{"service", service_.text()},
                                     {"revision", revision_.text()},
                                     {"replica", replica_.text()},
                                     {"error", "it could not enter its control group: " + reason}});
  // With version 1 there is a group per controller, and it may have entered one of them.
  if (group_) (void)group_->resize({});
  group_.reset();
}

void AppResources::ended(bool was_requested, TimePoint now) {
  last_cpu_.reset();
  if (group_) note_oom_kills(group_->read().oom_kills, now);
  if (!was_requested) report(AppEvent::What::kCrashed, now);
}

void AppResources::set_crash_loop(bool is_looping, TimePoint now) {
  if (is_looping == is_crash_looping_) return;
  is_crash_looping_ = is_looping;
  report(is_looping ? AppEvent::What::kCrashLoop : AppEvent::What::kCrashLoopOver, now);
}

AppResources::Reading AppResources::read(std::optional<pid_t> shim) {
  if (!group_) {
    const ProcessTotals totals = read_process_tree(*shim);
    // An app that has just ended leaves nothing to read; that is no usage of zero.
    if (totals.memory.value == 0) return {};
    return {totals.cpu, totals.memory};
  }
  const GroupUsage usage = group_->read();
  return {usage.cpu, usage.memory};
}

void AppResources::measure(std::optional<pid_t> shim, TimePoint now) {
  if (!shared_.is_measured) return;
  if (group_) note_oom_kills(group_->read().oom_kills, now);
  if (!shim || !last_started_) return;
  const Reading reading = read(shim);
  const bool is_known = reading.cpu && reading.memory;
  note_measured(is_known);
  if (!is_known) return last_cpu_.reset();
  AppUsage usage{.revision = revision_, .replica = replica_, .at = now, .memory = *reading.memory};
  // Totals of /proc fall when a process ends that nobody waits for: then the usage is unknown.
  if (last_cpu_ && now > last_cpu_->at && *reading.cpu >= last_cpu_->total) {
    usage.over = now - last_cpu_->at;
    usage.cores = to_seconds(*reading.cpu - last_cpu_->total) / to_seconds(usage.over);
  }
  last_cpu_ = CpuReading{now, *reading.cpu};
  if (shared_.listener != nullptr) shared_.listener->on_usage(usage);
}

/// Logs the first failure, and the recovery.
void AppResources::note_measured(bool is_known) {
  if (!group_ || is_known == is_measured_) return;
  is_measured_ = is_known;
  if (is_known)
    return log::info("replica measured again", {{"service", service_.text()},
                                                {"revision", revision_.text()},
                                                {"replica", replica_.text()}});
  const Result<void> checked = group_->check();
  log::warning("replica not measured", {{"service", service_.text()},
                                        {"revision", revision_.text()},
                                        {"replica", replica_.text()},
                                        {"error", checked ? "" : to_string(checked.error())}});
}

/// Reports one event, however many processes were killed since the last reading.
void AppResources::note_oom_kills(std::optional<std::uint64_t> kills, TimePoint now) {
  if (!kills || *kills <= std::exchange(oom_kills_, *kills)) return;
  const ReplicaSize has = size();
  oom_killed_at_ = has.memory_limit;
  log::warning("app OOM-killed", {{"service", service_.text()},
                                  {"revision", revision_.text()},
                                  {"replica", replica_.text()},
                                  {"limit", has.memory_limit ? has.memory_limit->value : 0}});
  report(AppEvent::What::kOomKilled, now, has);
}

void AppResources::report(AppEvent::What what, TimePoint now,
                          const ReplicaSize& killed_with) const {
  if (shared_.listener == nullptr || !shared_.is_measured) return;
  shared_.listener->on_event({.revision = revision_,
                              .replica = replica_,
                              .at = now,
                              .what = what,
                              .memory = killed_with.memory_limit.value_or(Bytes{}),
                              .request = killed_with.memory.value_or(Bytes{})});
}

Result<void> AppResources::resize(const ReplicaSize& size) {
  if (!group_) {
    return fail(ErrorKind::kUnsupported, "replica " + replica_.text(),
                "has no control group of its own, so it cannot be resized");
  }
  return group_->resize(size);
}

}  // namespace bellows::cluster
