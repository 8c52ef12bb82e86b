#include "machine/core/port_checks.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace bellows::machine {

namespace {

std::uint16_t port_of(const RevisionRecord& revision) {
  return revision.content->settings->port;
}

}  // namespace

Result<void> check_ports(const Records& records, const std::vector<ServiceChange>& changes,
                         config::FixedPorts ports) {
  const auto is_new_port = [](const ServiceChange& change) {
    return change.content && (*change.content)->settings->port != 0;
  };
  if (std::ranges::none_of(changes, is_new_port)) return {};
  std::set<RevisionId> removed;
  for (const ServiceChange& change : changes) {
    if (change.is_removed) removed.insert(change.service);
  }
  for (const auto& [name, record] : records) {
    if (removed.contains(name)) continue;
    for (const RevisionRecord& revision : record.revisions) {
      if (!is_reachable(record, revision)) continue;
      BELLOWS_CHECKED(ports.take(name, port_of(revision)));
    }
  }
  for (const ServiceChange& change : changes) {
    if (!change.content) continue;
    BELLOWS_CHECKED(ports.take(change.service, (*change.content)->settings->port));
  }
  return {};
}

Result<void> check_port_of(const ServiceRecord& service, const Shares& shares) {
  std::map<std::uint16_t, Number> owners;
  for (const RevisionRecord& revision : service.revisions) {
    const bool has_requests =
        shares.contains(revision.number) || !tags_of(service, revision.number).empty();
    if (!has_requests || port_of(revision) == 0) continue;
    const auto [owner, is_new] = owners.emplace(port_of(revision), revision.number);
    if (is_new) continue;
    return fail(ErrorKind::kConflict, "service " + service.name.text(),
                revision_id(service.name, owner->second).text() + " and " +
                    revision_id(service.name, revision.number).text() + " both have port " +
                    std::to_string(port_of(revision)) +
                    ", which one app has at a time; want all requests for one of them");
  }
  return {};
}

bool has_port_of_another(const ServiceRecord& service, const RevisionRecord& revision) {
  if (port_of(revision) == 0) return false;
  return std::ranges::any_of(service.revisions, [&](const RevisionRecord& other) {
    return other.number != revision.number && port_of(other) == port_of(revision) &&
           is_reachable(service, other);
  });
}

}  // namespace bellows::machine
