#include "cluster/local/replica.hpp"

#include <boost/asio/post.hpp>
#include <csignal>
#include <utility>

#include "base/duration_text.hpp"
#include "base/quantity_text.hpp"
#include "base/sys/entropy.hpp"
#include "base/sys/log.hpp"
#include "cluster/core/app_line.hpp"
#include "cluster/local/command_line.hpp"
#include "cluster/local/listeners.hpp"
#include "cluster/local/prepare_service.hpp"
#include "cluster/local/program_access.hpp"
#include "http/io/program.hpp"

namespace bellows::cluster {

namespace log = sys::log;

namespace {

constexpr std::size_t kMaxErrorLines = 5;

ReplicaPlan plan_of(const config::Service& service, PodName name, std::uint16_t port,
                    const ReplicaPrograms& programs, Random& random) {
  return {std::move(name),
          port,
          service.settings.port != 0,
          service.is_starter,
          service.settings.readiness_path,
          service.settings.progress_deadline,
          service.settings.drain_time(),
          &random,
          programs.stop_timeout};
}

}  // namespace

LocalReplica::LocalReplica(http::net::io_context& io, const sys::Clock& clock, Random& random,
                           const config::Service& service, const ReplicaPrograms& programs,
                           const SharedResources& resources, OutputTail& output, PodName name,
                           PortLease port, PortLease admin_port, std::function<void()> changed)
    : io_(io),
      clock_(clock),
      service_(service),
      programs_(programs),
      output_(output),
      container_concurrency_(service.settings.container_concurrency),
      port_(std::move(port)),
      admin_port_(std::move(admin_port)),
      changed_(std::move(changed)),
      machine_(plan_of(service, std::move(name), port_.port(), programs, random), clock.now()),
      shown_(machine_.replica()),
      resources_(resources, service.service(), service.name, shown_.name),
      tick_(io) {
  shown_.stat_secret = sys::random_token();
}

LocalReplica::~LocalReplica() = default;

void LocalReplica::start() {
  if (shown_.phase != ReplicaPhase::kPending) return;
  log::info("replica starting",
            {of_service(), of_revision(), of_replica(), {"port", port_.port()}});
  apply(machine_.order(clock_.now()));
}

void LocalReplica::drain() {
  drain_began_ = clock_.now();
  apply(machine_.drain(drain_began_));
}

void LocalReplica::kill() {
  if (shown_.phase != ReplicaPhase::kDraining) drain_began_ = clock_.now();
  if (shown_.phase != ReplicaPhase::kGone && killed_because_.empty()) {
    killed_because_ = "Bellows ended before its requests and its app did";
  }
  apply(machine_.kill());
}

void LocalReplica::measure() {
  measure_app();
  ProcessTotals totals;
  for (const Process* process : {app_.get(), proxy_.get()}) {
    if (process == nullptr || process->shim_pid() <= 0) return meter_.reset();
    totals = totals + read_process_tree(process->shim_pid());
  }
  shown_.usage = meter_.sample(totals, clock_.now());
}

void LocalReplica::measure_app() {
  const bool is_there = app_ != nullptr && app_->shim_pid() > 0;
  resources_.measure(is_there ? std::optional(app_->shim_pid()) : std::nullopt, clock_.now());
}

Result<void> LocalReplica::resize(const ReplicaSize& size) {
  auto resized = resources_.resize(size);
  publish();
  return resized;
}

void LocalReplica::apply(const Actions& actions) {
  for (const Action& action : actions) {
    Process* const process_now = process(action.side).get();
    switch (action.what) {
      case Action::What::kStart:
        start_process(action.side);
        break;
      case Action::What::kTerminate:
        if (process_now != nullptr) process_now->signal(SIGTERM);
        break;
      case Action::What::kKill:
        if (process_now != nullptr) process_now->kill();
        break;
      case Action::What::kProbeAgain:
        if (process_now != nullptr) process_now->signal(SIGHUP);
        break;
    }
  }
  set_tick_timer();
  publish();
}

void LocalReplica::start_process(Side side) {
  ProcessHandlers handlers = {
      [this, side] { on_started(side); },
      [this, side](Stream stream, std::string_view line) { on_line(side, stream, line); },
      [this, side](const ProcessEnd& end) { on_ended(side, end); },
      [this](const std::string& reason) { resources_.ungrouped(reason); },
      [this](const ProcessEnd& end) { on_stopped(end); },
      [this] { machine_.launched(); }};
  meter_.reset();
  ProcessSpec plan = spec(side);
  Result<void> prepared;
  if (side == Side::kApp) {
    app_errors_.clear();
    auto groups = resources_.prepare_start();
    if (groups) {
      plan.groups = std::move(*groups);
    } else {
      prepared = fail(std::move(groups).error());
    }
  }
  auto started = prepared ? Process::start(io_, plan, std::move(handlers))
                          : Result<std::unique_ptr<Process>>(fail(prepared.error()));
  if (started) {
    process(side) = std::move(*started);
    return;
  }
  // Posted, like the end of a process: this runs inside apply().
  http::net::post(io_, lifetime_.bind([this, side, error = started.error()] {
    log_crash(side, to_string(error));
    apply(machine_.ended(side, "cannot be started: " + to_string(error), clock_.now()));
  }));
}

ProcessSpec LocalReplica::spec(Side side) const {
  ProcessSpec spec;
  spec.shim = programs_.shim;
  if (side == Side::kApp) {
    spec.command = with_port(service_.command, port_.port());
    spec.is_starter = service_.is_starter;
    spec.stop = with_port(service_.stop, port_.port());
    spec.stop_time = programs_.stop_timeout;
    spec.port = service_.settings.port;
    spec.environment = service_.environment;
    spec.environment["PORT"] = std::to_string(port_.port());
    // Knative's runtime contract. The settings of a service win.
    spec.environment.emplace("K_SERVICE", service_.service().text());
    spec.environment.emplace("K_CONFIGURATION", service_.service().text());
    spec.environment.emplace("K_REVISION", service_.name.text());
    Account account = account_of(service_.user);
    spec.user = std::move(account.user);
    spec.group = std::move(account.group);
    spec.no_new_privileges = service_.no_new_privileges;
    spec.environment["BELLOWS_QUEUE_PROXY_ADMIN"] =
        "127.0.0.1:" + std::to_string(admin_port_.port());
    spec.working_directory = service_.working_directory;
    spec.descriptors = http::initial_descriptor_limit();
    return spec;
  }
  spec.command = {programs_.queue_proxy};
  spec.environment = queue_proxy_environment(
      service_, {shown_.name, port_.port(), programs_.autoscaler_url, programs_.log_format,
                 shown_.stat_secret, programs_.error_detail, programs_.server, admin_port_.port(),
                 programs_.trace});
  spec.notify_variable = kNotifyVariable;
  return spec;
}

void LocalReplica::on_started(Side side) {
  if (side == Side::kApp) resources_.started(clock_.now());
  apply(machine_.started(side, clock_.now()));
}

void LocalReplica::on_line(Side side, Stream stream, std::string_view line) {
  if (stream == Stream::kNotify) return on_proxy_event(line);
  const log::Origin origin = {.service = service_.service().text(),
                              .revision = service_.name.text(),
                              .replica = shown_.name.text(),
                              .process = side == Side::kQueueProxy ? "queue-proxy" : ""};
  log::output_of(origin, line);
  if (side == Side::kQueueProxy) return;
  output_.add(clock_.wall_now(), shown_.name, stream == Stream::kError, log::printable(line));
  if (stream != Stream::kError || line.empty()) return;
  if (app_errors_.size() == kMaxErrorLines) app_errors_.pop_front();
  app_errors_.push_back(log::printable(line));
}

void LocalReplica::on_proxy_event(std::string_view line) {
  const Result<std::optional<ProxyEvent>> event = parse_proxy_event(line);
  if (!event) {
    log::warning("malformed line from queue-proxy",
                 {of_service(), of_revision(), of_replica(), {"error", to_string(event.error())}});
    return;
  }
  if (!*event) return;
  const TimePoint now = clock_.now();
  if (const auto* listening = std::get_if<ProxyListening>(&**event)) {
    apply(machine_.listening(listening->serving));
  } else if (const auto* ready = std::get_if<ProxyReady>(&**event)) {
    apply(machine_.ready(now, ready->app_protocol));
  } else if (const auto* unready = std::get_if<ProxyUnready>(&**event)) {
    if (shown_.phase == ReplicaPhase::kReady) {
      log::warning("replica no longer ready",
                   {of_service(), of_revision(), of_replica(), {"because", unready->reason}});
    }
    apply(machine_.unready(unready->reason, now));
  } else if (const auto* hung = std::get_if<ProxyHung>(&**event)) {
    on_hung(*hung, now);
  } else if (std::holds_alternative<ProxySignalled>(**event)) {
    apply(machine_.proxy_signalled(now));
  } else if (std::holds_alternative<ProxyTunnelsLeft>(**event)) {
    apply(machine_.tunnels_left());
  } else if (std::holds_alternative<ProxyDraining>(**event)) {
    if (shown_.phase != ReplicaPhase::kDraining) drain_began_ = now;
    apply(machine_.proxy_drains(now));
  }
}

void LocalReplica::on_hung(const ProxyHung& hung, TimePoint now) {
  const Actions actions = machine_.hung(hung.reason, hung.silent, now);
  if (!actions.empty()) {
    log::warning("app hangs: it is killed and restarted", {of_service(),
                                                           of_revision(),
                                                           of_replica(),
                                                           {"because", hung.reason},
                                                           {"silent", hung.silent}});
  }
  apply(actions);
}

bool LocalReplica::take_departure() {
  return machine_.has_left() && !std::exchange(is_departure_taken_, true);
}

/// What it was to end may still run.
void LocalReplica::on_stopped(const ProcessEnd& end) {
  if (end.how == ProcessEnd::How::kExited && end.code == 0) return;
  log::warning("stop command failed",
               {of_service(), of_revision(), of_replica(), {"how", to_string(end)}});
}

void LocalReplica::on_ended(Side side, const ProcessEnd& end) {
  process(side).reset();
  meter_.reset();
  const bool is_leaving = shown_.phase == ReplicaPhase::kDraining;
  if (side == Side::kApp) resources_.ended(is_leaving, clock_.now());
  std::string how = side == Side::kApp ? end_text(end) : to_string(end);
  const bool was_hung = side == Side::kApp && machine_.is_hung();
  if (!is_leaving && !was_hung) {
    log_crash(side, how);
    if (side == Side::kApp && !app_errors_.empty()) {
      how = with_app_line(std::move(how), app_errors_.back());
    }
  }
  const TimePoint now = clock_.now();
  const Actions actions = machine_.ended(side, how, now);
  if (const auto at = machine_.app_starts_at(); was_hung && at) {
    log::info("app restarts", {of_service(), of_revision(), of_replica(), {"after", *at - now}});
  }
  apply(actions);
}

/// Completes "the app ..." with what is known besides its end.
std::string LocalReplica::end_text(const ProcessEnd& end) const {
  using How = ProcessEnd::How;
  const std::string how = to_string(end);
  if (end.how == How::kPortTaken) {
    const auto owner = port_owner(port_.port());
    return owner ? how + " by " + *owner : how;
  }
  if (end.how == How::kNotStarted) {
    return "cannot be started: " + exec_problem(end.name, service_.command.front(), service_.user);
  }
  const std::optional<Bytes> limit = resources_.oom_killed_at();
  if (!limit) return how;
  const bool is_of_user = limit == service_.settings.resources.memory_limit;
  const std::string at =
      (is_of_user ? "memory-limit " : "its memory limit of ") + to_string(*limit);
  constexpr int kKilledInShell = 128 + SIGKILL;
  const bool is_killed = (end.how == How::kKilled && end.name == "SIGKILL") ||
                         (end.how == How::kExited && end.code == kKilledInShell);
  if (is_killed) return "was killed at " + at + "; it needs more";
  return how + " after the kernel had killed a process of it at " + at + "; it needs more";
}

void LocalReplica::log_crash(Side side, const std::string& how) const {
  if (side == Side::kQueueProxy) {
    log::warning("queue-proxy crashed", {of_service(), of_revision(), of_replica(), {"how", how}});
  } else if (app_errors_.empty()) {
    log::warning("app crashed", {of_service(), of_revision(), of_replica(), {"how", how}});
  } else {
    log::warning("app crashed", {of_service(),
                                 of_revision(),
                                 of_replica(),
                                 {"how", how},
                                 {"last_lines", last_error_lines(" / ")}});
  }
}

std::string LocalReplica::last_error_lines(std::string_view between) const {
  std::string lines;
  for (const std::string& line : app_errors_) {
    if (!lines.empty()) lines += between;
    lines += line;
  }
  return lines;
}

/// Sets the timer to the next tick of the machine.
void LocalReplica::set_tick_timer() {
  tick_.cancel();
  const std::optional<TimePoint> at = machine_.next_tick();
  if (!at) return;
  tick_.expires_at(http::to_steady(*at));
  tick_.async_wait(lifetime_.bind([this](boost::system::error_code error) {
    if (!error) on_tick();
  }));
}

void LocalReplica::on_tick() {
  const TimePoint now = clock_.now();
  const bool is_asked = app_ != nullptr && machine_.tick_needs_listeners(now);
  const Actions actions =
      machine_.tick(now, is_asked ? listening_addresses(app_->shim_pid()) : std::string());
  for (const Action& action : actions) {
    if (action.what == Action::What::kKill) killed_because_ = kill_text(action.side);
  }
  if (machine_.has_left() && shown_.phase != ReplicaPhase::kDraining) drain_began_ = clock_.now();
  log_not_ready();
  apply(actions);
}

/// Logs each reason once: that of an app that starts wrongly, and that of one that is late.
void LocalReplica::log_not_ready() const {
  const Replica& now = machine_.replica();
  const bool is_late = now.phase == ReplicaPhase::kFailed && shown_.phase != ReplicaPhase::kFailed;
  const bool is_early =
      now.phase == ReplicaPhase::kStarting && now.failure_message != shown_.failure_message;
  if (!is_late && !is_early) return;
  if (is_early) {
    log::warning("replica not ready yet",
                 {of_service(), of_revision(), of_replica(), {"because", now.failure_message}});
    return;
  }
  const config::RevisionSettings& settings = service_.settings;
  log::warning("replica not ready",
               {of_service(),
                of_revision(),
                of_replica(),
                {"because", now.failure_message},
                {"hint", "if its start takes longer, raise progress-deadline, today " +
                             duration_text(settings.progress_deadline) + ", and queue-age, today " +
                             duration_text(settings.queue_age)}});
}

std::string LocalReplica::kill_text(Side side) const {
  if (side == Side::kQueueProxy) return "requests were in flight at the end of drain-timeout";
  return "the app did not end within " + rounded_duration_text(programs_.stop_timeout) +
         " of SIGTERM; stop-timeout is that time";
}

void LocalReplica::publish() {
  resources_.set_crash_loop(machine_.is_crash_looping(), clock_.now());
  Replica now = machine_.replica();
  now.usage = shown_.usage;
  now.stat_secret = shown_.stat_secret;
  now.size = resources_.size();
  if (now == shown_) return;
  const Replica before = std::exchange(shown_, std::move(now));
  log_change(before);
  changed_();
}

void LocalReplica::log_change(const Replica& before) const {
  if (shown_.phase == before.phase) return;
  if (shown_.phase == ReplicaPhase::kReady) {
    log::info("replica ready", {of_service(),
                                of_revision(),
                                of_replica(),
                                {"took", *shown_.start.ready - shown_.start.ordered}});
  } else if (shown_.phase == ReplicaPhase::kDraining) {
    if (machine_.has_left()) {
      log::warning("replica leaves", {of_service(),
                                      of_revision(),
                                      of_replica(),
                                      {"because", "another process signalled its queue-proxy"}});
    } else {
      log::info("replica draining", {of_service(), of_revision(), of_replica()});
    }
  } else if (shown_.phase == ReplicaPhase::kGone && !killed_because_.empty()) {
    log::warning("replica killed", {of_service(),
                                    of_revision(),
                                    of_replica(),
                                    {"took", clock_.now() - drain_began_},
                                    {"because", killed_because_}});
  } else if (shown_.phase == ReplicaPhase::kGone) {
    log::info("replica drained",
              {of_service(), of_revision(), of_replica(), {"took", clock_.now() - drain_began_}});
  }
}

}  // namespace bellows::cluster
