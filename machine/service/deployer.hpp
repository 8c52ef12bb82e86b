// The services of a running machine: come, change and go while requests are served.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/sys/clock.hpp"
#include "cluster/local/local_cluster.hpp"
#include "http/io/task_group.hpp"
#include "json/writer.hpp"
#include "machine/core/canary.hpp"
#include "machine/core/difference.hpp"
#include "machine/core/rollout.hpp"
#include "machine/core/route_index.hpp"
#include "machine/core/service_record.hpp"

namespace bellows::machine {

struct DeployerOptions {
  std::string state_file = {};      ///< empty: nothing outlives this process
  std::int32_t keep_revisions = 5;  ///< without a share, of each service
  /// True while a request of the revision waits or is in flight.
  std::function<bool(const RevisionId&)> has_requests;
  /// What a revision has done with its requests so far; those that took longer than `slow` count as
  /// slow from then on.
  std::function<machine::Served(const RevisionId&, Duration slow)> served;
  /// The size of the first replicas of a revision; empty: its first requests. nullptr: likewise.
  std::function<ReplicaSize(const config::Service&)> size_of_first = nullptr;
  bool is_measuring = false;  ///< apps can be measured; new ones with a resources-mode need that
};

/// Whether a page has the commands of apps and what they wrote.
enum class PageDetail : std::uint8_t { kShown, kWithheld };

/// The cause of a change of shares that is a step of a canary.
inline constexpr std::string_view kCanary = "canary";

/// What is wanted of an order besides its content.
struct ServiceOrder {
  bool dry_run = false;                            ///< says what would be done, and does nothing
  bool probe = true;                               ///< a service at zero is proven by one start
  std::string cause = "deploy";                    ///< for the log and for a second order meanwhile
  std::optional<machine::CanaryPlan> canary = {};  ///< deploy: by steps
  std::string tag = {};  ///< of deploy: the revision gets this tag instead of the requests
};

/// What an order does.
struct ServiceAnswer {
  std::vector<std::string> lines;       ///< one for each change; empty: nothing differs
  std::vector<RevisionId> rolling_out;  ///< services whose shares change when all is ready
};

/// Keeps the services that are otherwise than the settings file has them. Owner: a Deployer. The
/// file is replaced whole: after a crash it has the old services or the new ones. Its lines are
/// kept, so that a change costs the text of what it changes.
class StateFile {
 public:
  /// `path`: empty: nothing outlives this process. `records`: those that run.
  StateFile(std::string path, const machine::Records& records);
  /// Writes nothing if nothing of it has to be kept. After an error the file is as before.
  Result<void> save(const machine::Edits& edits);

 private:
  const std::string path_;
  std::map<RevisionId, std::string> lines_;
};

/// Lists revisions in the cluster, changes their shares when what they need is ready, drains those
/// without a share, and writes the state file before a change takes effect: after a crash it has
/// the old state or the new one. Owner: the machine. Thread: the io thread. What it is given
/// outlives it. An order on a service whose rollout is under way is refused (kConflict), and so is
/// every change since stop() (kUnavailable).
class Deployer {
 public:
  Deployer(http::net::io_context& io, const sys::Clock& clock, cluster::LocalCluster& cluster,
           machine::Records records, DeployerOptions options);

  /// Makes the services those of a settings file.
  Result<ServiceAnswer> apply(const machine::FileServices& file, machine::Scope scope,
                              const ServiceOrder& order);
  /// A revision with this content gets all requests of the service with its name.
  Result<ServiceAnswer> deploy(const config::Service& content, const ServiceOrder& order);
  Result<ServiceAnswer> add(const config::Service& service, const ServiceOrder& order);
  Result<ServiceAnswer> remove(const RevisionId& service, const ServiceOrder& order);
  /// `to`: a revision; empty: the one that got requests before.
  Result<ServiceAnswer> roll_back(const RevisionId& service, const std::string& to,
                                  const ServiceOrder& order);
  /// Percents by revision; their sum is 100.
  Result<ServiceAnswer> split(const RevisionId& service,
                              const std::map<std::string, std::int32_t>& shares,
                              const ServiceOrder& order);

  /// Revisions by tag, in force at once; without a revision the tag goes.
  Result<ServiceAnswer> tag(const RevisionId& service,
                            const std::map<std::string, std::string>& tags,
                            const ServiceOrder& order);

  /// kNotFound with the names there are.
  Result<const machine::ServiceRecord*> find(const RevisionId& service) const;
  const machine::Records& records() const { return records_; }
  /// What apply() was given last, for machine::file_services().
  machine::FileServices declared() const { return machine::declared(records_); }
  /// {"services":[...]}: revisions, shares, replicas and the last rollout of each, or of `service`
  /// if it is not empty.
  std::string page(const RevisionId& service, PageDetail detail) const;

  /// {"under_way":[...]}: the changes of shares and the canaries that have not ended, for the
  /// status; empty: there are none.
  std::string under_way() const;

  /// Rollouts under way end with the old shares.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  struct Running {
    machine::Rollout rollout;
    machine::ServiceRecord next;               // as it is to be
    std::vector<RevisionId> listed = {};       // by this rollout; they go if it fails
    std::vector<std::string> last_lines = {};  // of the app that failed
  };
  struct CanaryRun {
    machine::Canary canary;
    machine::Number number;  // of the revision that it is about
    machine::Shares before;  // that it goes back to
    TimePoint began;
    std::optional<TimePoint> ended = {};
    TimePoint try_again_at{};  // if it could not go back
  };
  struct Floor {
    RevisionId service;
    PodCount replicas = 0;
    std::optional<TimePoint> until = {};  // nullopt: until the shares change
  };

  Result<void> check_idle(const RevisionId& service) const;
  Result<machine::ServiceRecord> existing(const RevisionId& service) const;
  Result<void> check(const std::vector<machine::ServiceChange>& changes) const;
  Result<ServiceAnswer> carry_out(const std::vector<machine::ServiceChange>& changes,
                                  const machine::FileServices& file, const ServiceOrder& order);
  std::optional<machine::ServiceRecord> changed_now(const machine::ServiceChange& change) const;
  Result<void> take_effect(machine::Edits edits,
                           const std::vector<machine::ServiceChange>& changes);
  Result<void> list_new(const machine::Edits& edits,
                        const std::vector<machine::ServiceChange>& changes);
  void show(const machine::ServiceChange& change);
  Result<void> begin(machine::ServiceRecord next, const machine::Shares& shares,
                     const ServiceOrder& order, ServiceAnswer& answer);
  Result<void> note_under_way(const Running& running);
  Result<ServiceAnswer> begin_canary(const machine::ServiceRecord& record,
                                     const machine::ServiceChange& change,
                                     const ServiceOrder& order);
  /// nullptr: none is under way.
  CanaryRun* running_canary(const RevisionId& service);
  Result<ServiceAnswer> end_canary(const RevisionId& service, const CanaryRun& run,
                                   const ServiceOrder& order);
  void look(const RevisionId& service, CanaryRun& run);
  bool has_to_go_back(const RevisionId& service, const CanaryRun& run) const;
  void go_back_again(const RevisionId& service, CanaryRun& run);
  void shift(const RevisionId& service, CanaryRun& run);
  Result<void> go_back(const RevisionId& service, const machine::Shares& before,
                       std::string_view cause, ServiceAnswer& answer);
  machine::Served served(const RevisionId& service, const CanaryRun& run) const;
  struct Progress {
    std::string_view cause;
    std::string_view stage;
    std::string message;
    Duration took{};
    std::string goes_back_if = {};           // of a canary that is under way
    std::optional<std::int32_t> share = {};  // of a canary: the percents of its step,
    bool is_in_force = false;                // which it gets already
  };
  Progress progress(const RevisionId& service, const Running& running) const;
  void write_rollout(json::Writer& out, const RevisionId& service, PageDetail detail) const;
  machine::RolloutPlan plan_of(const machine::ServiceRecord& next, const machine::Shares& shares,
                               const ServiceOrder& order) const;
  Result<void> list(Running& running);
  void order(const RevisionId& id, PodCount replicas);
  Result<void> check_measured(const config::Service& revision) const;

  http::Awaitable<void> watch();
  void start_watching();
  bool has_work() const;
  void look();
  void look(Running& running);
  void switch_over(Running& running);
  void give_up(Running& running, std::string why);
  Result<ServiceAnswer> deploy_tagged(machine::ServiceRecord record, const config::Service& content,
                                      const ServiceOrder& order);
  Result<void> check_tags(const machine::ServiceRecord& next) const;
  void place_tagged(const machine::ServiceRecord& service);
  void leave(const RevisionId& service, const machine::RevisionRecord& revision);
  void configure(const machine::ServiceRecord& service, const machine::RevisionRecord& revision);
  void keep(machine::Edits edits);
  bool is_listed(const RevisionId& id) const { return cluster_.revisions().find(id) != nullptr; }
  PodCount ready(const RevisionId& id) const;
  machine::Number free_number(const RevisionId& service, machine::Number from) const;

  const sys::Clock& clock_;
  cluster::LocalCluster& cluster_;
  machine::Records records_;  // changed by keep(), where rules or services may change
  machine::RouteIndex index_;
  const DeployerOptions options_;
  StateFile state_;
  std::map<RevisionId, Running> rollouts_;          // by service; the last one of each
  std::map<RevisionId, CanaryRun> canaries_;        // by service; the last one, until another order
  std::map<RevisionId, machine::Leaving> leaving_;  // by revision
  std::map<RevisionId, Floor> floors_;              // by revision
  bool is_watching_ = false;
  bool is_stopping_ = false;
  http::TaskGroup tasks_;
};

/// What is in the state file. Nothing if there is no such file.
Result<machine::Records> read_state_file(const std::string& path);
}  // namespace bellows::machine
