#include "cluster/local/replica_machine.hpp"

#include <algorithm>
#include <utility>

#include "base/duration_text.hpp"

namespace bellows::cluster {

namespace {

using What = Action::What;

std::string_view name_of(Side side) {
  return side == Side::kApp ? "the app" : "its queue-proxy";
}

}  // namespace

ReplicaMachine::ReplicaMachine(ReplicaPlan plan, TimePoint ordered) : plan_(std::move(plan)) {
  replica_.name = plan_.name;
  replica_.start.ordered = ordered;
}

ReplicaMachine::Actions ReplicaMachine::order(TimePoint now) {
  return done({start(Side::kApp, now), start(Side::kQueueProxy, now)});
}

ReplicaMachine::Actions ReplicaMachine::started(Side side, TimePoint now) {
  process(side).state = Process::State::kRunning;
  if (side == Side::kQueueProxy || is_draining_) return done({});
  replica_.start.process_started = now;
  // The readiness that a listening queue-proxy reported was that of the app before its restart.
  if (replica_.restarts > 0 && !replica_.address.empty()) {
    is_probe_ok_ = false;
    return done({{What::kProbeAgain, Side::kQueueProxy}});
  }
  update_readiness(now);
  return done({});
}

void ReplicaMachine::launched() {
  is_launched_ = true;
}

ReplicaMachine::Actions ReplicaMachine::ended(Side side, const std::string& how, TimePoint now) {
  Process& gone = process(side);
  gone.kill_at.reset();
  is_probe_ok_ = false;
  const std::string hang = side == Side::kApp ? std::exchange(hang_, {}) : std::string();
  if (side == Side::kQueueProxy) replica_.address = {};
  if (!is_draining_) {
    return done(crashed(side, hang.empty() ? how : "hung and was killed: " + hang, now));
  }
  gone.state = Process::State::kEnded;
  // If the app ends first, only the queue-proxy still has to end.
  if (side == Side::kQueueProxy) return done(stop_app(now));
  return done({});
}

ReplicaMachine::Actions ReplicaMachine::crashed(Side side, const std::string& how, TimePoint now) {
  Process& gone = process(side);
  const std::optional<TimePoint> was_ready_since = std::exchange(ready_since_, std::nullopt);
  if (was_ready_since && now - *was_ready_since >= kBackoffResetTime) gone.backoff.reset();
  gone.state = Process::State::kDown;
  gone.start_at = now + gone.backoff.next();
  const std::string what = std::string(name_of(side)) + " " + how;
  replica_.failure_message = replica_.name.text() + ": " + what;
  if (side == Side::kApp) replica_.restarted_because = what;
  ++crashes_in_a_row_;
  // Without this condition a queue-proxy that crashes in a loop would postpone the deadline
  // forever.
  if (was_ready_since) wait_for_ready_from(now);
  return tick(now);
}

ReplicaMachine::Actions ReplicaMachine::listening(Endpoint address) {
  replica_.address = std::move(address);
  return done({});
}

ReplicaMachine::Actions ReplicaMachine::ready(TimePoint now, std::string app_protocol) {
  is_probe_ok_ = true;
  replica_.app_protocol = std::move(app_protocol);
  update_readiness(now);
  return done({});
}

/// Different pipes report the app's start and its readiness, in any order.
void ReplicaMachine::update_readiness(TimePoint now) {
  const bool is_ready = is_probe_ok_ && app_.state == Process::State::kRunning && hang_.empty();
  if (!is_ready || is_draining_ || ready_since_) return;
  ready_since_ = now;
  replica_.start.ready = now;
  replica_.failure_message.clear();
  is_overdue_ = false;
  crashes_in_a_row_ = 0;
}

ReplicaMachine::Actions ReplicaMachine::unready(const std::string& reason, TimePoint now) {
  // A replica that is not ready yet has not failed before the progress deadline.
  if (ready_since_) wait_for_ready_from(now);
  probe_failure_ = reason;
  if (!ready_since_) return done({});
  ready_since_.reset();
  replica_.failure_message = replica_.name.text() + ": " + reason;
  return done({});
}

ReplicaMachine::Actions ReplicaMachine::hung(const std::string& reason, Duration silent,
                                             TimePoint now) {
  if (is_draining_ || app_.state != Process::State::kRunning || !hang_.empty()) return done({});
  hang_ = reason.empty() ? "its liveness probes fail" : reason;
  replica_.failure_message = replica_.name.text() + ": the app hangs: " + hang_;
  is_probe_ok_ = false;
  if (ready_since_) {
    if (now - silent - *ready_since_ >= kBackoffResetTime) app_.backoff.reset();
    wait_for_ready_from(now);
    ready_since_.reset();
  }
  return done({{What::kKill, Side::kApp}});
}

ReplicaMachine::Actions ReplicaMachine::proxy_signalled(TimePoint now) {
  if (!is_draining_ && !is_staying_ && !word_at_) word_at_ = now + kWordTime;
  return done({});
}

ReplicaMachine::Actions ReplicaMachine::proxy_drains(TimePoint now) {
  if (is_draining_) return done({});
  has_left_ = true;
  begin_drain();
  proxy_.kill_at = now + plan_.drain_timeout + kProxyStopMargin;
  return done({});
}

ReplicaMachine::Actions ReplicaMachine::tunnels_left() {
  if (!is_draining_ || !app_.is_up()) return done({});
  return done({{What::kTerminate, Side::kApp}});
}

void ReplicaMachine::begin_drain() {
  is_draining_ = true;
  word_at_.reset();
  ready_since_.reset();
  app_.start_at.reset();
  proxy_.start_at.reset();
}

ReplicaMachine::Actions ReplicaMachine::drain(TimePoint now) {
  if (is_draining_) return done({});
  begin_drain();
  if (!proxy_.is_up()) return done(stop_app(now));
  proxy_.kill_at = now + plan_.drain_timeout + kProxyStopMargin;
  return done({{What::kTerminate, Side::kQueueProxy}});
}

ReplicaMachine::Actions ReplicaMachine::stop_app(TimePoint now) {
  proxy_.state = Process::State::kEnded;
  if (!app_.is_up()) {
    app_.state = Process::State::kEnded;
    return {};
  }
  app_.kill_at = now + plan_.stop_timeout;
  return {{What::kTerminate, Side::kApp}};
}

ReplicaMachine::Actions ReplicaMachine::kill() {
  is_draining_ = true;
  ready_since_.reset();
  Actions actions;
  for (const Side side : {Side::kQueueProxy, Side::kApp}) {
    Process& doomed = process(side);
    doomed.start_at.reset();
    doomed.kill_at.reset();
    if (doomed.is_up()) {
      actions.push_back({What::kKill, side});
    } else {
      doomed.state = Process::State::kEnded;
    }
  }
  return done(std::move(actions));
}

bool ReplicaMachine::tick_needs_listeners(TimePoint now) const {
  const auto is_due = [now](std::optional<TimePoint> at) { return at && now >= *at; };
  return is_due(overdue_at()) || is_due(look_at());
}

ReplicaMachine::Actions ReplicaMachine::tick(TimePoint now, const std::string& listens_on) {
  if (word_at_ && now >= *word_at_) {
    has_left_ = true;
    return drain(now);
  }
  Actions actions;
  for (const Side side : {Side::kApp, Side::kQueueProxy}) {
    Process& due = process(side);
    if (due.start_at && now >= *due.start_at) {
      if (side == Side::kApp) ++replica_.restarts;
      actions.push_back(start(side, now));
    }
    if (due.kill_at && now >= *due.kill_at) {
      due.kill_at.reset();
      actions.push_back({What::kKill, side});
    }
  }
  if (const auto at = overdue_at(); at && now >= *at) {
    is_overdue_ = true;
    replica_.failure_message = overdue_text(listens_on);
  } else if (const auto look = look_at(); look && now >= *look) {
    look_at_start(now, listens_on);
  }
  return done(std::move(actions));
}

std::optional<TimePoint> ReplicaMachine::next_tick() const {
  std::optional<TimePoint> earliest;
  for (const std::optional<TimePoint>& at : {app_.start_at, proxy_.start_at, app_.kill_at,
                                             proxy_.kill_at, overdue_at(), look_at(), word_at_}) {
    if (at && (!earliest || *at < *earliest)) earliest = at;
  }
  return earliest;
}

Action ReplicaMachine::start(Side side, TimePoint now) {
  Process& starting = process(side);
  starting.state = Process::State::kStarting;
  starting.start_at.reset();
  if (side == Side::kQueueProxy) return {What::kStart, side};
  is_launched_ = !plan_.is_starter;
  if (replica_.restarts > 0) replica_.start = StartTimes{now, std::nullopt, std::nullopt};
  wait_for_ready_from(now);
  return {What::kStart, side};
}

void ReplicaMachine::wait_for_ready_from(TimePoint now) {
  waiting_since_ = now;
  next_look_ = now + kFirstLook;
  is_overdue_ = false;
  probe_failure_.clear();
}

/// Checks the deadline only while the app runs: one that is down has its own failure message.
std::optional<TimePoint> ReplicaMachine::overdue_at() const {
  if (is_draining_ || ready_since_ || is_overdue_ || !app_.is_up()) return std::nullopt;
  return waiting_since_ + plan_.progress_deadline;
}

/// A replica that was ready and is not any more has its reason already.
std::optional<TimePoint> ReplicaMachine::look_at() const {
  const auto deadline = overdue_at();
  if (!deadline || replica_.start.ready || next_look_ >= *deadline) return std::nullopt;
  return next_look_;
}

void ReplicaMachine::look_at_start(TimePoint now, const std::string& listens_on) {
  while (next_look_ <= now) next_look_ += next_look_ - waiting_since_;
  if (std::string text = early_text(listens_on); !text.empty()) {
    replica_.failure_message = replica_.name.text() + ": not ready yet: " + std::move(text);
  }
}

bool ReplicaMachine::is_refused() const {
  return probe_failure_.find("ECONNREFUSED") != std::string::npos;
}

std::string_view ReplicaMachine::port_hint() const {
  return plan_.is_port_fixed ? "; `port` has to be the port at which the app listens"
                             : "; $PORT has the port of the app";
}

/// Returns "nothing listens on 127.0.0.1:24001 after 1m (it listens on [::1]:24001); ...".
std::string ReplicaMachine::nothing_listens(const std::string& after,
                                            const std::string& listens_on) const {
  const std::string where = listens_on.empty() ? "" : " (it listens on " + listens_on + ")";
  return "nothing listens on 127.0.0.1:" + std::to_string(plan_.app_port) + after + where +
         std::string(port_hint());
}

/// Returns nothing for an app that listens nowhere or has not answered: it may only be slow.
std::string ReplicaMachine::early_text(const std::string& listens_on) const {
  if (replica_.address.empty() || probe_failure_.empty()) return {};
  if (!is_refused()) return probe_failure_;
  const std::string port = ":" + std::to_string(plan_.app_port);
  const auto listens_at = [&](const char* host) {
    return listens_on.find(host + port) != std::string::npos;
  };
  // It has begun to listen since the last probe.
  if (listens_at("127.0.0.1") || listens_at("0.0.0.0") || listens_at("[::]")) return {};
  return listens_on.empty() ? "" : nothing_listens("", listens_on);
}

std::string ReplicaMachine::overdue_text(const std::string& listens_on) const {
  const std::string after = " after " + rounded_duration_text(plan_.progress_deadline);
  const std::string name = replica_.name.text() + ": ";
  if (replica_.address.empty()) return name + "its queue-proxy does not listen" + after;
  if (!is_launched_ && is_refused()) return name + "its start command still runs" + after;
  if (plan_.readiness_path.empty() || is_refused())
    return name + nothing_listens(after, listens_on);
  if (!probe_failure_.empty()) return name + "not ready" + after + ": " + probe_failure_;
  return name + "no good answer from " + plan_.readiness_path +
         " on 127.0.0.1:" + std::to_string(plan_.app_port) + after + std::string(port_hint());
}

ReplicaPhase ReplicaMachine::phase() const {
  using State = Process::State;
  if (is_draining_) {
    const bool is_over = app_.state == State::kEnded && proxy_.state == State::kEnded;
    return is_over ? ReplicaPhase::kGone : ReplicaPhase::kDraining;
  }
  if (ready_since_) return ReplicaPhase::kReady;
  if (app_.start_at || is_overdue_ || !hang_.empty()) return ReplicaPhase::kFailed;
  const bool has_run = app_.state == State::kRunning || replica_.restarts > 0;
  return has_run ? ReplicaPhase::kStarting : ReplicaPhase::kPending;
}

ReplicaMachine::Actions ReplicaMachine::done(Actions actions) {
  replica_.phase = phase();
  return actions;
}

}  // namespace bellows::cluster
