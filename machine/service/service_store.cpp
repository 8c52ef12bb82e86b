#include "machine/service/service_store.hpp"

#include <utility>
#include <vector>

#include "base/name_list.hpp"
#include "base/sys/log.hpp"

namespace bellows::machine {
namespace {

std::vector<std::string> names_of(const Records& records) {
  std::vector<std::string> names;
  for (const auto& [name, record] : records) {
    if (!record.is_removed()) names.push_back(name.text());
  }
  return names;
}

/// Returns the running service that has a revision of that name; nullptr: none has.
const ServiceRecord* owner_of(const Records& records, const RevisionId& revision) {
  for (const auto& [name, record] : records) {
    if (record.is_removed()) continue;
    for (const RevisionRecord& each : record.revisions) {
      if (revision_id(name, each.number) == revision) return &record;
    }
  }
  return nullptr;
}

}  // namespace

ServiceStore::ServiceStore(Records records, std::string state_file)
    : records_(std::move(records)), index_(records_), file_(std::move(state_file), records_) {}

const ServiceRecord* ServiceStore::find(const RevisionId& service) const {
  const auto found = records_.find(service);
  return found == records_.end() ? nullptr : &found->second;
}

Result<const ServiceRecord*> ServiceStore::find_running(const RevisionId& service) const {
  const ServiceRecord* const found = find(service);
  if (found != nullptr && !found->is_removed()) return found;
  if (const ServiceRecord* const owner = owner_of(records_, service)) {
    return fail(ErrorKind::kNotFound, "service \"" + service.text() + "\"",
                "that is a revision; want its service: " + owner->name.text());
  }
  return fail(unknown_name("service", service.text(), names_of(records_)));
}

Result<void> ServiceStore::change(Edits edits) {
  if (is_closed_) {
    return fail(ErrorKind::kUnavailable, "the services",
                "are unchanged: Bellows is shutting down; want the order after its restart");
  }
  BELLOWS_CHECKED(file_.save(edits));
  keep(std::move(edits));
  return {};
}

void ServiceStore::note(ServiceRecord record) {
  const RevisionId name = record.name;
  Edits edits{{name, std::move(record)}};
  const Result<void> saved = is_closed_ ? Result<void>() : file_.save(edits);
  if (!saved) sys::log::warning("state not saved", {{"error", to_string(saved.error())}});
  keep(std::move(edits));
}

void ServiceStore::keep(Edits edits) {
  for (const auto& [name, record] : edits) {
    index_.replace(find(name), record ? &*record : nullptr);
  }
  carry_out(std::move(edits), records_);
}

}  // namespace bellows::machine
