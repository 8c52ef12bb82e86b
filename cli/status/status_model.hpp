// The response of GET /v1/status as data (docs/formats/status.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::cli {

struct ReplicaStatus {
  std::string name;
  std::string phase;
  double in_flight = 0;
  int restarts = 0;
  std::string trouble;
  std::string restarted_because;  ///< of the last restart; empty: there was none
  std::string app_protocol = {};  ///< "h2c": its app uses HTTP/2
  std::optional<Millicores> cpu;
  std::optional<Bytes> memory;
  std::optional<Duration> start_took;  ///< from ordered to ready
  // Its size; unset: not managed.
  std::optional<Millicores> cpu_request;
  std::optional<Bytes> memory_request;
  std::optional<Bytes> memory_limit;
};

/// Target and bounds of one resource; millicores or bytes.
struct RangeStatus {
  std::optional<std::int64_t> lower;
  std::optional<std::int64_t> target;
  std::optional<std::int64_t> upper;
  bool operator==(const RangeStatus&) const = default;
};

/// The recommended size of the replicas of a service.
struct ResourcesStatus {
  std::string mode;  ///< advise, initial, auto
  std::string policy;
  RangeStatus cpu;
  RangeStatus memory;
  std::string because;  ///< the reason of the memory recommendation, one sentence
  std::string note;     ///< why it is advice only, or not known yet
  std::string trouble;
  bool operator==(const ResourcesStatus&) const = default;
};

/// The demand of one of several policies, or of one that is not `concurrency`.
struct PolicyStatus {
  std::string name;
  std::optional<PodCount> want;  ///< unset: unknown
  std::string because;
  bool decides = false;
};

/// A service; or one of several revisions of a service.
struct ServiceStatus {
  std::string id;       ///< of the revision on the page: on a cluster with the namespace
  std::string name;     ///< as users call it
  std::string of = {};  ///< of one of several revisions: its service
  std::string state;    ///< Active, Reserve, Retired
  bool is_paused = false;
  std::string mode;  ///< stable, panic
  double stable_concurrency = 0;
  double panic_concurrency = 0;
  double target = 0;
  PodCount desired = 0;
  PodCount ready = 0;
  PodCount starting = 0;
  double waiting = 0;   ///< in the activator's queue
  std::string because;  ///< the reason of the last decision, one sentence
  std::string trouble;
  std::string not_ready;           ///< why it is not ready yet; empty: it is, or not known
  std::int64_t failed_starts = 0;  ///< since the last one that succeeded
  std::string start_failure;       ///< why the last of them failed
  std::string path_problem;        ///< what prevents the ordered path of its requests
  PodCount occupied = 0;  ///< replicas that serve, hold a tunnel or report that they are busy
  PodCount kept = 0;      ///< of those, how many no scale-down removes
  std::vector<PolicyStatus> policies;
  std::vector<std::string> ahead;  ///< future demands of schedules
  std::vector<ReplicaStatus> replicas;
  std::optional<ResourcesStatus> resources;  ///< unset: resources-mode is off
  std::int64_t share = 0;  ///< percent of the requests of its service, of a revision
  /// Returns the service, of one of several revisions with its name: "web (web-00002)".
  std::string title() const { return of.empty() ? name : of + " (" + name + ")"; }
  /// The revisions of a service that has several, the one with most requests first: numbers of the
  /// service are their sums, the rest is that of the first one.
  std::vector<ServiceStatus> revisions = {};
};

/// Stats that the autoscaler refused.
struct RefusedStatus {
  std::int64_t total = 0;
  std::string reason;  ///< of the last: secret, other-pod, unlisted, two-senders, token
  std::string peer;
  std::string of;  ///< "pod web-9 of web"; empty: a connection
  Duration age{};
};

/// The room for all replicas of the machine.
struct MachineStatus {
  // Unset: not counted.
  std::optional<Millicores> cpu;
  std::optional<Millicores> cpu_requested;
  std::optional<Bytes> memory;
  std::optional<Bytes> memory_requested;
  /// The service for whose next replica room is kept; empty: no service has load.
  std::string busiest;
  bool is_room_kept = false;            ///< that replica fits
  std::vector<std::string> fits;        ///< "3 more of web": by service, where there is a number
  std::vector<std::string> sized_down;  ///< "blog to 1": they make room
  std::vector<std::string> unmet;       ///< what would not fit, one sentence each
  std::string note;
};

/// A change of shares, or a canary, that has not ended.
struct ChangeStatus {
  std::string service;
  std::string cause;         ///< deploy, canary, rollback, ...
  std::string message;       ///< "web-00002 gets 5 % (step 1 of 3): 12 requests, 0 errors; 1m left"
  std::string goes_back_if;  ///< the limits of a canary; empty: it is no canary
};

struct Status {
  std::vector<ServiceStatus> services;
  std::optional<Duration> unreachable_for = {};  ///< the cluster; unset: it is reachable
  std::optional<RefusedStatus> refused = {};     ///< unset: none were
  std::optional<MachineStatus> machine = {};     ///< unset: no service has a size
  std::vector<ChangeStatus> changes = {};        ///< by service
};

/// Returns the revision that a user calls `word`, or the service of that name. nullptr: neither.
const ServiceStatus* find(const Status& status, std::string_view word);

/// Calls `visit` for each service, or for each of its revisions if it has several.
template <class F>
void for_each_revision(const Status& status, F&& visit) {
  for (const ServiceStatus& service : status.services) {
    if (service.revisions.empty()) visit(service);
    for (const ServiceStatus& revision : service.revisions) visit(revision);
  }
}

/// Parses a status. Ignores unknown keys; missing ones keep their default. kMalformed: the text is
/// not a status.
Result<Status> parse_status(std::string_view json);

/// Returns the page with those of its revisions that `kept` has, without services that have none of
/// them, and all else unchanged. kMalformed
/// as parse_status().
Result<std::string> status_page_of(std::string_view page, const Status& kept);

}  // namespace bellows::cli
