#include "cluster/kubernetes/io/path_keeper.hpp"

#include <algorithm>
#include <cstddef>

#include "base/sys/log.hpp"
#include "cluster/core/path.hpp"
#include "cluster/kubernetes/core/names.hpp"
#include "http/core/head.hpp"
#include "http/io/client.hpp"

namespace bellows::cluster {

namespace {

using namespace std::chrono_literals;

constexpr Duration kFirstRewrite = 100ms;
constexpr Duration kMaxRewrite = 10s;
constexpr Duration kFirstAsk = 50ms;
constexpr Duration kMaxAsk = 1s;
constexpr Duration kAskTimeout = 1s;
constexpr Duration kWriteTimeout = 10s;
constexpr int kMaxAsking = 64;
constexpr Duration kIdle = 1min;
/// Within this time the autoscaler takes an activator that ends, or is gone, out of the paths.
constexpr Duration kAutoscalersTurn = 2s;
/// The list shows a written slice within this time, or it is looked at again.
constexpr Duration kShown = 2s;

Result<void> answer_for(const RevisionId& id, const Result<http::Response>& answer) {
  if (!answer) return fail(answer.error());
  const auto header = std::ranges::find_if(answer->headers, [](const auto& each) {
    return http::equals_ignore_case(each.first, kRevisionHeader);
  });
  const std::string named = header == answer->headers.end() ? "" : header->second;
  if (answer->status == 200 && named == id.text()) return {};
  return fail(ErrorKind::kUnavailable, "the activator",
              "answered " + std::to_string(answer->status) + " for revision \"" + named + "\"");
}

}  // namespace

PathKeeper::PathKeeper(Parts parts, PathOptions options)
    : parts_(std::move(parts)),
      paths_(std::move(options)),
      timer_(parts_.io, http::AsioTimer::time_point::max()) {}

void PathKeeper::start() {
  if (is_on()) parts_.tasks.spawn("paths", [this] { return run(); });
}

void PathKeeper::use(const kubernetes::ServerFeatures& features) {
  const auto resource = features.endpoint_slices();
  if (resource) resource_ = *resource;
  paths_.use({.is_v1 = resource_.version == "v1", .has_serving = features.has_serving_condition()});
}

bool PathKeeper::may_act() const {
  return has_begun_ && !parts_.outage.since() && parts_.outage.is_confirmed();
}

void PathKeeper::begin() {
  has_begun_ = true;
  parts_.activators_changed();
}

void PathKeeper::take_over() {
  parts_.duty = Duty::kKeeps;
  paths_.start_anew();
  look_at_all();
}

void PathKeeper::slice_changed(const SlicePtr& before, const SlicePtr& after) {
  const std::vector<Activator> activators_before = activators();
  paths_.slice_changed(before, after);
  if (!has_begun_) return;
  const TimePoint now = parts_.clock.now();
  for (const SlicePtr& each : {before, after}) {
    if (!each) continue;
    const std::string service = kubernetes::object_key(each->meta.ns, each->service());
    for (const RevisionId& id : parts_.directory.served_by(service)) look_soon(id, now);
    const RevisionId id = revision_of(*each);
    if (!id.empty()) look_soon(id, now);
  }
  if (activators() == activators_before) return;
  parts_.activators_changed();
  for (const auto& [id, told] : told_) look_soon(id, now);
}

void PathKeeper::want_zero(const RevisionId& id, bool is_wanted) {
  paths_.want_zero(id, is_wanted);
  if (is_wanted) look_at(id);
}

void PathKeeper::order(const RevisionId& id, PathOrder order) {
  if (parts_.directory.find(id) == nullptr) return;
  paths_.order(id, std::move(order));
  look_at(id);
}

void PathKeeper::look_soon(const RevisionId& id, TimePoint at) {
  const bool is_first = due_.empty() || at < due_.begin()->first;
  due_.insert({at, id});
  if (is_first) timer_.expires_at(http::to_steady(at));
}

http::Awaitable<void> PathKeeper::run() {
  for (;;) {
    const TimePoint now = parts_.clock.now();
    while (!due_.empty() && due_.begin()->first <= now) {
      const RevisionId id = due_.extract(due_.begin()).value().second;
      look_at(id);
    }
    const TimePoint next = due_.empty() ? now + kIdle : due_.begin()->first;
    timer_.expires_at(http::to_steady(next));
    boost::system::error_code ignored;
    co_await timer_.async_wait(http::awaiting(ignored));
  }
}

void PathKeeper::tick() {
  if (!has_begun_) return;
  if (!may_act()) {
    was_away_ = true;
  } else if (std::exchange(was_away_, false)) {
    paths_.start_anew();
    look_at_all();
  }
}

void PathKeeper::look_at_all() {
  for (const auto& [id, told] : told_) look_soon(id, parts_.clock.now());
}

void PathKeeper::own_by(std::string crd_uid) {
  paths_.own_by(std::move(crd_uid));
  look_at_all();
}

void PathKeeper::leave(PathsEnd end) {
  paths_.leave(end);
  look_at_all();
}

void PathKeeper::hand_over(PodName self) {
  ending_ = std::move(self);
  hands_over_at_ = parts_.clock.now() + kAutoscalersTurn;
  for (const auto& [id, told] : told_) look_soon(id, hands_over_at_);
}

void PathKeeper::hand_over(const RevisionId& id) {
  if (ending_.text().empty() || parts_.clock.now() < hands_over_at_) return;
  for (SliceWrite& write : paths_.handed_over(id, ending_)) begin_write(id, std::move(write));
}

/// For an activator: the autoscaler, which does it sooner, may be away.
void PathKeeper::repair(const RevisionId& id) {
  std::vector<SliceWrite> writes = may_act() ? paths_.repaired(id) : std::vector<SliceWrite>();
  if (writes.empty()) {
    repairs_at_.erase(id);
    return;
  }
  const TimePoint now = parts_.clock.now();
  const TimePoint at = repairs_at_.try_emplace(id, now + kAutoscalersTurn).first->second;
  if (now < at) {
    look_soon(id, at);
    return;
  }
  for (SliceWrite& write : writes) begin_write(id, std::move(write));
}

/// A slice of ours whose owner is not its Service goes with it too.
void PathKeeper::remove_without_service(const RevisionId& id) {
  for (const auto& [name, slice] : paths_.slices().ours(id)) {
    const bool is_there =
        parts_.directory.find_service(slice->meta.ns, slice->service()) != nullptr;
    if (!is_there) begin_write(id, deletion_of(*slice));
  }
}

void PathKeeper::look_at(const RevisionId& id) {
  const Record* record = parts_.directory.find(id);
  // A record that is not joined has no Service yet, which would look like a deleted Service. It is
  // looked at again once it is joined.
  if (!is_on() || record == nullptr || !record->is_joined) return;
  if (parts_.duty != Duty::kKeeps) {
    tell(id, {.path = paths_.listed(id, *record), .routed = std::nullopt});
    if (parts_.duty == Duty::kReads) return;
    if (ending_.text().empty()) {
      repair(id);
    } else {
      hand_over(id);
    }
    return;
  }
  if (!may_act()) {
    told_.try_emplace(id, Told{.path = paths_.listed(id, *record), .routed = std::nullopt});
    return;
  }
  const std::string& ns = record->object->meta.ns;
  const ServicePtr service = parts_.directory.find_service(ns, record->service);
  const bool is_shared =
      service && parts_.directory.served_by(kubernetes::object_key(ns, record->service)).size() > 1;
  PathStep step = paths_.step(id, *record, service.get(), is_shared, parts_.clock.now());
  for (SliceWrite& write : step.writes) begin_write(id, std::move(write));
  remove_without_service(id);
  begin_probes(id, step.probes);
  if (step.again) look_soon(id, *step.again);
  if (step.restore) parts_.restore(id, *step.restore);
  tell(id, {.path = std::move(step.path), .routed = std::move(step.routed)});
}

void PathKeeper::tell(const RevisionId& id, Told told) {
  const auto [known, is_new] = told_.try_emplace(id);
  Told& before = known->second;
  if (!is_new && before.path == told.path && before.routed == told.routed) return;
  const bool is_new_state = is_new || before.path.state != told.path.state;
  if (is_new_state && parts_.duty == Duty::kKeeps) {
    sys::log::info("path", {{"revision", id.text()}, {"state", to_string(told.path.state)}});
  }
  before = std::move(told);
  parts_.changed(id);
}

Path PathKeeper::path(const RevisionId& id) const {
  const auto found = told_.find(id);
  return found == told_.end() ? Path() : found->second.path;
}

std::optional<Routed> PathKeeper::routed(const RevisionId& id) const {
  const auto found = told_.find(id);
  return found == told_.end() ? std::nullopt : found->second.routed;
}

void PathKeeper::forget(const RevisionId& id) {
  paths_.forget(id, clocks());
  told_.erase(id);
  repairs_at_.erase(id);
  std::erase_if(probes_, [&](const auto& entry) {
    return entry.first.first == id && !entry.second.is_under_way;
  });
}

void PathKeeper::begin_write(const RevisionId& id, SliceWrite write) {
  Attempt& attempt = writes_[kubernetes::object_key(write.ns, write.name)];
  if (attempt.is_under_way) return;
  const TimePoint now = parts_.clock.now();
  if (now < attempt.not_before && write == attempt.last) {
    look_soon(id, attempt.not_before);
    return;
  }
  attempt.is_under_way = true;
  attempt.last = write;
  parts_.tasks.spawn("slice " + write.ns + "/" + write.name,
                     [this, id, write = std::move(write)] { return carry_out(id, write); });
}

http::Awaitable<Result<kubernetes::ApiAnswer>> PathKeeper::send(const SliceWrite& write) {
  using kubernetes::ApiVerb;
  ApiVerb verb = ApiVerb::kCreate;
  if (write.kind == SliceWrite::Kind::kReplace) verb = ApiVerb::kUpdate;
  if (write.kind == SliceWrite::Kind::kDelete) verb = ApiVerb::kDelete;
  const bool is_create = verb == ApiVerb::kCreate;
  kubernetes::ApiRequest request(verb, resource_, write.ns, is_create ? std::string() : write.name);
  request.body = write.body;
  if (verb == ApiVerb::kDelete) {
    request.body = R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":")" +
                   write.uid + R"("}})";
  } else {
    request.query = "fieldManager=" + std::string(kFieldManager);
  }
  request.priority = kubernetes::Priority::kOrder;
  request.timeout = kWriteTimeout;
  co_return co_await parts_.client.send(std::move(request));
}

http::Awaitable<void> PathKeeper::carry_out(RevisionId id, SliceWrite write) {
  const Result<kubernetes::ApiAnswer> answer = co_await send(write);
  Result<void> result;
  if (!answer) {
    result = fail(answer.error());
  } else if (!answer->is_success()) {
    result = fail(answer->error());
  } else if (write.kind != SliceWrite::Kind::kDelete) {
    parts_.slice_written(answer->body);
  }
  written(id, write, result);
}

/// A conflict, or a slice that is deleted or exists already: the list will show it.
void PathKeeper::written(const RevisionId& id, const SliceWrite& write,
                         const Result<void>& result) {
  Attempt& attempt = writes_[kubernetes::object_key(write.ns, write.name)];
  attempt.is_under_way = false;
  const TimePoint now = parts_.clock.now();
  attempt.delay = std::clamp(2 * attempt.delay, kFirstRewrite, kMaxRewrite);
  if (result) {
    attempt.delay = Duration::zero();
    attempt.not_before = now + kShown;
  } else {
    attempt.not_before = now + attempt.delay;
    const ErrorKind kind = result.error().kind();
    if (kind != ErrorKind::kConflict && kind != ErrorKind::kNotFound) {
      sys::log::warning("a slice was not written", {{"error", to_string(result.error())}});
    }
  }
  look_soon(id, result ? now : attempt.not_before);
}

void PathKeeper::begin_probes(const RevisionId& id, const std::vector<PathProbe>& probes) {
  const TimePoint now = parts_.clock.now();
  for (const PathProbe& probe : probes) {
    Attempt& attempt = probes_[{id, probe.activator}];
    if (attempt.is_under_way) continue;
    if (now < attempt.not_before) {
      look_soon(id, attempt.not_before);
      continue;
    }
    attempt.is_under_way = true;
    waiting_probes_.emplace_back(id, probe);
  }
  ask_next();
}

void PathKeeper::ask_next() {
  while (asking_ < kMaxAsking && !waiting_probes_.empty()) {
    ++asking_;
    auto next = std::move(waiting_probes_.front());
    waiting_probes_.pop_front();
    const std::string name = "probe of " + next.second.activator.text();
    parts_.tasks.spawn(name, [this, next] { return ask(next.first, next.second); });
  }
}

http::Awaitable<void> PathKeeper::ask(RevisionId id, PathProbe probe) {
  Endpoint endpoint{.host = probe.address, .port = probe.port, .unix_path = {}};
  std::vector<std::pair<std::string, std::string>> headers;
  headers.emplace_back("K-Network-Probe", "activator");
  http::FetchOptions options;
  options.timeout = kAskTimeout;
  const Result<http::Response> answer =
      co_await http::fetch(std::move(endpoint), "GET", "/", {}, std::move(headers), options);
  const Result<void> result = answer_for(id, answer);
  --asking_;
  paths_.probed(id, probe, result ? std::string() : to_string(result.error()));
  Attempt& attempt = probes_[{id, probe.activator}];
  attempt.is_under_way = false;
  attempt.delay = result ? Duration::zero() : std::clamp(2 * attempt.delay, kFirstAsk, kMaxAsk);
  attempt.not_before = parts_.clock.now() + attempt.delay;
  look_soon(id, attempt.not_before);
  ask_next();
}

}  // namespace bellows::cluster
