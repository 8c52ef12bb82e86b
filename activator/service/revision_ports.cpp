#include "activator/service/revision_ports.hpp"

#include <algorithm>
#include <utility>

#include "base/sys/log.hpp"

namespace bellows::activator {

RevisionPorts::RevisionPorts(const cluster::Cluster& cluster, const RevisionRouter& router,
                             proxy::ProxyServer& server, const Endpoint& listen, PodName self)
    : cluster_(cluster),
      router_(router),
      server_(server),
      host_(listen.is_unix() ? "0.0.0.0" : listen.host),
      self_(std::move(self)) {}

void RevisionPorts::sync() {
  std::vector<RevisionId> ids;
  for (const cluster::RevisionPtr& listed : cluster_.revisions()) ids.push_back(listed->id);
  for (const auto& [id, known] : ports_) {
    if (cluster_.revisions().find(id) == nullptr) ids.push_back(id);
  }
  for (const RevisionId& id : ids) close_old(id);
  for (const RevisionId& id : ids) follow(id);
}

void RevisionPorts::sync(const cluster::Changes& changes) {
  const auto all = {&changes.added, &changes.changed, &changes.removed};
  // A port may move from one revision to another.
  for (const auto* ids : all) std::ranges::for_each(*ids, [&](const auto& id) { close_old(id); });
  for (const auto* ids : all) std::ranges::for_each(*ids, [&](const auto& id) { follow(id); });
}

void RevisionPorts::retry() {
  for (auto& [id, known] : ports_) {
    if (known.port == nullptr) open(id, known);
  }
}

bool RevisionPorts::is_in_a_path() const {
  return std::ranges::any_of(ports_, [](const auto& each) {
    return each.second.port != nullptr && each.second.port->state() == proxy::PortState::kOpen;
  });
}

std::size_t RevisionPorts::open() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(ports_, [](const auto& each) { return each.second.port != nullptr; }));
}

/// Closes the port of a revision that has another one now, or none.
void RevisionPorts::close_old(const RevisionId& id) {
  const auto place = ports_.find(id);
  if (place == ports_.end()) return;
  Known& known = place->second;
  const cluster::RevisionPtr newest = cluster_.revisions().find(id);
  if (newest != nullptr && newest->path.activator_port == known.number) return;
  set_handle(*known.context, nullptr);
  if (known.port) server_.set_port_state(known.port, proxy::PortState::kClosed);
  ports_.erase(place);
}

void RevisionPorts::follow(const RevisionId& id) {
  const cluster::RevisionPtr newest = cluster_.revisions().find(id);
  if (newest == nullptr || newest->path.activator_port == 0) return;
  Known& known = ports_[id];
  if (known.context == nullptr) {
    known.number = newest->path.activator_port;
    known.context = std::make_shared<RevisionPort>();
    known.context->revision = id;
    known.context->probe_lines = std::string(cluster::kRevisionHeader) + ": " + id.text() + "\r\n";
    open(id, known);
  }
  RevisionHome* const home = router_.home_of(id);
  set_handle(*known.context, home == nullptr ? nullptr : &home->handle());
  if (known.port == nullptr) return;
  server_.set_port_state(
      known.port, is_in(newest->path) ? proxy::PortState::kOpen : proxy::PortState::kLeaving);
}

void RevisionPorts::set_handle(RevisionPort& port, RevisionHandle* handle) const {
  const WorkerLock::Hold hold(router_.lock());
  port.handle = handle;
}

void RevisionPorts::open(const RevisionId& id, Known& known) {
  const Endpoint endpoint{.host = host_, .port = known.number, .unix_path = {}};
  auto opened = server_.open_port(endpoint, known.context);
  if (opened) {
    known.port = *std::move(opened);
    return;
  }
  if (std::exchange(known.is_failure_logged, true)) return;
  sys::log::warning("the port of a revision cannot be opened; it is retried each second",
                    {{"revision", id.text()}, {"error", to_string(opened.error())}});
}

bool RevisionPorts::is_in(const cluster::Path& path) const {
  if (path.state == cluster::PathState::kDirect) return false;
  return path.activators.empty() ||
         std::ranges::find(path.activators, self_) != path.activators.end();
}

}  // namespace bellows::activator
