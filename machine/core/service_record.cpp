#include "machine/core/service_record.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "config/revision_schema.hpp"

namespace bellows::machine {
namespace {

/// The flags of a queue-proxy, fixed at its start (cluster/local/queue_proxy_contract.cpp), and
/// whether the app is measured.
constexpr std::array<std::string_view, 16> kTold = {"port",
                                                    "container-concurrency",
                                                    "revision-timeout",
                                                    "revision-response-start-timeout",
                                                    "revision-idle-timeout",
                                                    "max-tunnel-life",
                                                    "queue-bytes",
                                                    "queue-age",
                                                    "progress-deadline",
                                                    "drain-timeout",
                                                    "app-protocol",
                                                    "readiness-path",
                                                    "liveness-path",
                                                    "liveness-period",
                                                    "liveness-timeout",
                                                    "liveness-threshold"};

bool is_measured(const config::RevisionSettings& settings) {
  return settings.resources.mode != config::ResourcesMode::kOff;
}

}  // namespace

std::vector<config::Change> told_changes(const config::RevisionSettings& before,
                                         const config::RevisionSettings& after) {
  std::vector<config::Change> told = config::revision_schema().changes(before, after);
  const bool is_newly_measured = is_measured(before) != is_measured(after);
  const bool is_probed = !before.liveness_path.empty() || !after.liveness_path.empty();
  std::erase_if(told, [=](const config::Change& change) {
    if (change.name.starts_with("liveness-") && !is_probed) return true;
    if (change.name == "resources-mode") return !is_newly_measured;
    return std::ranges::find(kTold, change.name) == kTold.end();
  });
  return told;
}

bool is_same_content(const config::ServiceContent& a, const config::ServiceContent& b) {
  return a.command == b.command && a.is_starter == b.is_starter && a.stop == b.stop &&
         a.environment == b.environment && a.working_directory == b.working_directory &&
         a.environment_file == b.environment_file && a.user == b.user &&
         a.no_new_privileges == b.no_new_privileges &&
         (a.settings == b.settings || told_changes(*a.settings, *b.settings).empty());
}

const RevisionRecord* ServiceRecord::find(Number number) const {
  const auto found = std::ranges::find(revisions, number, &RevisionRecord::number);
  return found == revisions.end() ? nullptr : &*found;
}

RevisionRecord* ServiceRecord::find(Number number) {
  const auto found = std::ranges::find(revisions, number, &RevisionRecord::number);
  return found == revisions.end() ? nullptr : &*found;
}

const RevisionRecord* ServiceRecord::current() const {
  const RevisionRecord* best = nullptr;
  for (const RevisionRecord& revision : revisions) {
    if (best == nullptr || revision.share >= best->share) best = &revision;
  }
  return best;
}

Shares ServiceRecord::shares() const {
  Shares shares;
  for (const RevisionRecord& revision : revisions) {
    if (revision.share > 0) shares.emplace(revision.number, revision.share);
  }
  return shares;
}

const ServiceRecord* find(const Records& records, const Edits& edits, const RevisionId& name) {
  if (const auto edit = edits.find(name); edit != edits.end()) {
    return edit->second ? &*edit->second : nullptr;
  }
  const auto record = records.find(name);
  return record == records.end() ? nullptr : &record->second;
}

void carry_out(Edits edits, Records& records) {
  for (auto& [name, record] : edits) {
    if (record) {
      records.insert_or_assign(name, *std::move(record));
    } else {
      records.erase(name);
    }
  }
}

bool is_as_declared(const ServiceRecord& service) {
  if (!service.declared || service.revisions.size() != 1 || !service.under_way.empty() ||
      !service.before_canary.empty() || !service.tags.empty()) {
    return false;
  }
  const RevisionRecord& only = service.revisions.front();
  return only.number == 1 && only.share == 100 && service.next_number == 2 &&
         service.previous == 0 && only.failure.empty() &&
         service.route == (*service.declared)->route && only.content == *service.declared;
}

RevisionId revision_id(const RevisionId& service, Number number) {
  constexpr std::size_t kDigits = 5;
  std::string digits = std::to_string(number);
  if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
  return RevisionId(service.text() + "-" + digits);
}

std::optional<Number> number_of(const ServiceRecord& service, std::string_view name) {
  for (const RevisionRecord& revision : service.revisions) {
    const bool is_meant = revision_id(service.name, revision.number).text() == name ||
                          std::to_string(revision.number) == name;
    if (is_meant) return revision.number;
  }
  return std::nullopt;
}

std::vector<std::string> tags_of(const ServiceRecord& service, Number number) {
  std::vector<std::string> tags;
  for (const auto& [tag, of] : service.tags) {
    if (of == number) tags.push_back(tag);
  }
  return tags;
}

bool is_reachable(const ServiceRecord& service, const RevisionRecord& revision) {
  return revision.share > 0 || !tags_of(service, revision.number).empty();
}

config::Route route_for(const ServiceRecord& service, const RevisionRecord& revision) {
  config::Route route = service.route;
  route.tags = tags_of(service, revision.number);
  return route;
}

std::string revision_names(const ServiceRecord& service) {
  std::string names;
  for (const RevisionRecord& revision : service.revisions) {
    names += (names.empty() ? "" : ", ") + revision_id(service.name, revision.number).text();
  }
  return names.empty() ? "none" : names;
}

std::string shares_text(const ServiceRecord& service, const Shares& shares) {
  std::string text;
  for (const auto& [number, share] : shares) {
    text += (text.empty() ? "" : " ") + revision_id(service.name, number).text() + "=" +
            std::to_string(share);
  }
  return text;
}

ServiceRecord new_service(const SharedService& content, Number number) {
  ServiceRecord service{
      .name = content->name, .route = content->route, .revisions = {}, .next_number = number + 1};
  service.revisions.push_back({.number = number, .content = content, .share = 100});
  return service;
}

RevisionRecord& revision_for(ServiceRecord& service, const SharedService& content) {
  for (RevisionRecord& revision : service.revisions) {
    if (!is_same_content(*revision.content, *content)) continue;
    set_settings(revision, *content->settings);
    if (revision.content == content) revision.content = content;  // one copy
    return revision;
  }
  return service.revisions.emplace_back(
      RevisionRecord{.number = service.next_number++, .content = content});
}

void set_settings(RevisionRecord& revision, const config::RevisionSettings& settings) {
  if (*revision.content->settings == settings) return;
  config::Service content = revision.content.whole();
  content.settings = settings;
  revision.content = std::move(content);
}

void set_shares(ServiceRecord& service, const Shares& shares) {
  const RevisionRecord* const before = service.current();
  const Number served = before != nullptr && before->share > 0 ? before->number : 0;
  for (RevisionRecord& revision : service.revisions) {
    const auto share = shares.find(revision.number);
    revision.share = share == shares.end() ? 0 : share->second;
  }
  const RevisionRecord* const now = service.current();
  if (served != 0 && now != nullptr && now->number != served) service.previous = served;
}

void forget_old(ServiceRecord& service, std::int32_t keep) {
  const auto is_kept = [&](const RevisionRecord& revision) {
    return !is_reachable(service, revision);
  };
  auto kept = std::ranges::count_if(service.revisions, is_kept);
  std::erase_if(service.revisions, [&](const RevisionRecord& revision) {
    if (kept <= keep || !is_kept(revision) || revision.number == service.previous) return false;
    --kept;
    return true;
  });
}

config::ServiceRevision runnable(const ServiceRecord& service, const RevisionRecord& revision) {
  config::ServiceRevision run(revision_id(service.name, revision.number), revision.content);
  run.of = service.name;
  run.route = route_for(service, revision);
  run.share = revision.share;
  return run;
}

std::vector<config::ServiceRevision> revisions_to_run(const ServiceRecord& service) {
  std::vector<config::ServiceRevision> all;
  for (const RevisionRecord& revision : service.revisions) {
    if (is_reachable(service, revision)) all.push_back(runnable(service, revision));
  }
  return all;
}

}  // namespace bellows::machine
