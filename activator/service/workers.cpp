#include "activator/service/workers.hpp"

#include <algorithm>
#include <utility>

#include "activator/service/secure_port.hpp"
#include "base/sys/log.hpp"

namespace bellows::activator {
namespace {

/// Interval at which a stop checks whether the last connection has ended.
constexpr Duration kPollInterval = std::chrono::milliseconds(5);
/// Time for connections that were reset, after the deadline of a stop.
constexpr Duration kStopGrace = std::chrono::seconds(2);

}  // namespace

Workers::Workers(WorkerWorld world, std::size_t count) : world_(std::move(world)) {
  for (std::size_t i = 0; i < count; ++i) workers_.push_back(std::make_unique<Worker>(world_));
}

/// Ends all threads before the first loop is destroyed, because each may wake requests of the
/// others.
Workers::~Workers() {
  for (const auto& worker : workers_) worker->end();
}

Result<void> Workers::start(SecurePort* secure_port) {
  secure_ = secure_port;
  for (const auto& worker : workers_) {
    BELLOWS_CHECKED(worker->start());
  }
  is_taking_ = true;
  world_.server.share_with(*this);
  return {};
}

bool Workers::take(proxy::NewConnection& connection, std::size_t connections, bool has_room) {
  if (!is_taking_) return false;
  Worker* fewest = nullptr;
  for (const auto& worker : workers_) {
    if (!worker->has_room() && has_room) continue;
    if (fewest == nullptr || worker->connections() < fewest->connections()) fewest = worker.get();
  }
  // Among equals the home is last, because it has other work too.
  if (fewest == nullptr || (has_room && connections < fewest->connections())) return false;
  std::unique_ptr<http::TlsSession> session;
  if (secure_ != nullptr && connection.port->makes_connections()) {
    session = secure_->start_session();
    if (!session) return false;
  }
  fewest->serve(std::move(connection), std::move(session), secure_);
  return true;
}

bool Workers::have_room() const {
  return is_taking_ &&
         std::ranges::any_of(workers_, [](const auto& worker) { return worker->has_room(); });
}

void Workers::port_changed(const proxy::PortPtr& port, proxy::PortState state) {
  for (const auto& worker : workers_) worker->set_port_state(port, state);
}

void Workers::start_draining(proxy::IdleConnections idle) {
  for (const auto& worker : workers_) worker->start_draining(idle);
}

void Workers::begin_stop(TimePoint deadline) {
  is_taking_ = false;
  for (const auto& worker : workers_) worker->begin_stop(deadline);
}

bool Workers::are_empty() const {
  return std::ranges::all_of(workers_, [](const auto& worker) { return worker->is_empty(); });
}

http::Awaitable<void> Workers::ended(TimePoint deadline) {
  const TimePoint latest = std::max(deadline, world_.home.now()) + kStopGrace;
  while (!are_empty() && world_.home.now() < latest) {
    const bool has_slept = co_await http::sleep_for(kPollInterval);
    if (!has_slept) break;
  }
  if (!are_empty()) sys::log::warning("a worker still has connections; they are reset");
  for (const auto& worker : workers_) worker->end();
}

WorkerReport Workers::total(TimePoint since) {
  WorkerReport total;
  for (const auto& worker : workers_) {
    const WorkerReport report = worker->report(since);
    total.totals += report.totals;
    total.unrouted += report.unrouted;
    total.connections += report.connections;
    total.last_silent_connection =
        std::max(total.last_silent_connection, report.last_silent_connection);
    total.last_arrival = std::max(total.last_arrival, report.last_arrival);
  }
  return total;
}

void Workers::append_connections(std::vector<std::size_t>& counts) const {
  for (const auto& worker : workers_) counts.push_back(worker->connections());
}

void Workers::tick() {
  for (const auto& worker : workers_) worker->tick();
}

std::vector<proxy::LoggedReply> Workers::replies_of(const std::string& id) {
  std::vector<proxy::LoggedReply> found;
  for (const auto& worker : workers_) {
    for (proxy::LoggedReply& reply : worker->replies_of(id)) found.push_back(std::move(reply));
  }
  return found;
}

}  // namespace bellows::activator
