#include "recommender/kubernetes/core/container_events.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include "cluster/kubernetes/core/names.hpp"
#include "kubernetes/core/quantity.hpp"

namespace bellows::recommender {

namespace {

using kubernetes::Container;
using kubernetes::ContainerStatus;
using kubernetes::Pod;
using kubernetes::Termination;

/// More restarts than that between two states count as that many.
constexpr std::int32_t kMostRestarts = 10;
constexpr Duration kLongAgo = std::chrono::hours(1);

bool counts(const Container& container) {
  return container.name != cluster::kQueueProxyContainer;
}

const Container* find_container(const Pod& pod, std::string_view name) {
  for (const Container& container : pod.containers) {
    if (container.name == name && counts(container)) return &container;
  }
  return nullptr;
}

const ContainerStatus* find_status(const Pod& pod, std::string_view name) {
  for (const auto* statuses : {&pod.container_statuses, &pod.init_container_statuses}) {
    const auto found = std::ranges::find(*statuses, name, &ContainerStatus::name);
    if (found != statuses->end()) return &*found;
  }
  return nullptr;
}

/// A quantity that is none, which the API server does not accept, counts as missing.
Request request_of(const Container& container) {
  const auto cpu = kubernetes::Quantity::parse(container.requests.get("cpu"));
  const auto memory = kubernetes::Quantity::parse(container.requests.get("memory"));
  return {.cpu = Millicores{cpu ? cpu->milli() : 0}, .memory = Bytes{memory ? memory->units() : 0}};
}

bool is_in_crash_loop(const ContainerStatus* status) {
  return status != nullptr && status->waiting && status->waiting->reason == "CrashLoopBackOff";
}

/// Returns the last end of the container; nullptr: it has never ended.
const Termination* last_end(const ContainerStatus* status) {
  if (status == nullptr) return nullptr;
  if (status->terminated) return &*status->terminated;
  return status->last_termination ? &*status->last_termination : nullptr;
}

/// Two states of one container.
struct Change {
  const Container* before_spec;  ///< nullptr: it was not there
  const Container& spec;
  const ContainerStatus* before;  ///< nullptr: unknown
  const ContainerStatus& after;
  WallTime since;  ///< earlier ends were seen before
};

std::optional<WallTime> new_end(const Change& change) {
  const Termination* const end = last_end(&change.after);
  if (end == nullptr || !end->finished) return std::nullopt;
  const Termination* const known = last_end(change.before);
  const bool is_new = change.before == nullptr ? *end->finished > change.since
                                               : known == nullptr || !known->finished ||
                                                     *end->finished > *known->finished;
  return is_new ? end->finished : std::nullopt;
}

/// The collector of what happened to one container of a pod.
class Events {
 public:
  Events(const Pod& pod, std::string_view container) : replica_(pod.meta.name), name_(container) {}

  void add(WallTime at, decltype(Observation::what) what) {
    found_.push_back({.workload = {},
                      .replica = replica_,
                      .container = name_,
                      .at = at,
                      .what = std::move(what)});
  }
  void add_event(WallTime at, decltype(Event::what) what) { add(at, Event{at, std::move(what)}); }

  std::vector<Observation> take() { return std::move(found_); }

 private:
  const PodName replica_;
  const ContainerName name_;
  std::vector<Observation> found_;
};

void add_end(const Change& change, WallTime at, Events& events) {
  const Termination& end = *last_end(&change.after);
  const bool is_kill = end.reason == "OOMKilled";
  // A container that runs again has got what its spec says now; the kill was before that.
  const bool is_over = !change.after.terminated && change.before_spec != nullptr;
  const Container& killed = is_over ? *change.before_spec : change.spec;
  if (is_kill) events.add_event(at, OomKilled{request_of(killed).memory});
  if (!is_kill && end.exit_code == 0) return;
  const std::int32_t known =
      change.before == nullptr ? change.after.restart_count : change.before->restart_count;
  const std::int32_t restarts = std::clamp(change.after.restart_count - known, 1, kMostRestarts);
  for (std::int32_t i = 0; i < restarts; ++i) events.add_event(at, Crashed{});
}

/// Returns the memory that a container used when the kubelet evicted its pod because the node had
/// too little memory; nullopt: the kubelet does not name the container. Source: kubelet,
/// eviction/helpers.go, nodeLowMessageFmt and containerMessageFmt.
std::optional<Bytes> evicted_with(const Pod& pod, std::string_view container) {
  const std::string_view message = pod.message;
  const bool is_of_memory = pod.phase == kubernetes::PodPhase::kFailed && pod.reason == "Evicted" &&
                            message.find("low on resource: memory") != std::string_view::npos;
  if (!is_of_memory) return std::nullopt;
  const std::string named = "Container " + std::string(container) + " was using ";
  const std::size_t begin = message.find(named);
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view rest = message.substr(begin + named.size());
  const auto used = kubernetes::Quantity::parse(rest.substr(0, rest.find(',')));
  return used && used->units() > 0 ? std::optional(Bytes{used->units()}) : std::nullopt;
}

void add_changes(const Change& change, WallTime now, Events& events) {
  const auto ended = new_end(change);
  if (ended) add_end(change, *ended, events);
  const Request request = request_of(change.spec);
  if (change.before_spec == nullptr || request_of(*change.before_spec) != request) {
    events.add(now, request);
  }
  const bool is_restart = change.before == nullptr
                              ? change.after.restart_count > 0
                              : change.after.restart_count > change.before->restart_count;
  const auto running = change.after.running_since;
  const bool has_restarted =
      is_restart && running && (change.before != nullptr || *running > change.since);
  if (has_restarted) events.add_event(*running, Started{});
  const bool was_looping = is_in_crash_loop(change.before);
  const bool is_looping = is_in_crash_loop(&change.after);
  if (was_looping != is_looping) events.add_event(now, CrashLoop{is_looping});
}

template <class Add>
std::vector<Observation> of_each(const Pod& pod, Add add) {
  std::vector<Observation> all;
  for (const Container& container : pod.containers) {
    if (!counts(container)) continue;
    Events events(pod, container.name);
    add(container, events);
    std::vector<Observation> one = events.take();
    all.insert(all.end(), std::make_move_iterator(one.begin()), std::make_move_iterator(one.end()));
  }
  return all;
}

}  // namespace

bool is_active(const Pod& pod) {
  return pod.phase == kubernetes::PodPhase::kRunning || pod.phase == kubernetes::PodPhase::kUnknown;
}

bool has_container(const Pod& pod, std::string_view container) {
  return find_container(pod, container) != nullptr;
}

std::vector<Observation> first_observations(const Pod& pod, WallTime now) {
  return of_each(pod, [&](const Container& container, Events& events) {
    const ContainerStatus* const status = find_status(pod, container.name);
    const auto running = status == nullptr ? std::nullopt : status->running_since;
    const WallTime started = std::clamp(running.value_or(now), now - kLongAgo, now);
    events.add(started, request_of(container));
    if (is_in_crash_loop(status)) events.add_event(now, CrashLoop{true});
  });
}

std::vector<Observation> changes_of(const Pod* before, const Pod& after, WallTime since,
                                    WallTime now) {
  return of_each(after, [&](const Container& container, Events& events) {
    const bool may_be_new = before != nullptr && before->phase != kubernetes::PodPhase::kFailed;
    const auto used = may_be_new ? evicted_with(after, container.name) : std::nullopt;
    if (used) events.add_event(now, OomKilled{*used});
    const ContainerStatus* const status = find_status(after, container.name);
    if (status == nullptr) return;
    add_changes(
        {.before_spec = before == nullptr ? nullptr : find_container(*before, container.name),
         .spec = container,
         .before = before == nullptr ? nullptr : find_status(*before, container.name),
         .after = *status,
         .since = since},
        now, events);
  });
}

std::vector<Observation> last_observations(const Pod& pod, WallTime now) {
  return of_each(pod, [&](const Container&, Events& events) { events.add(now, Gone{}); });
}

}  // namespace bellows::recommender
