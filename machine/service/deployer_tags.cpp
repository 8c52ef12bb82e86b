// Tags: hosts that lead to one revision, whatever its share.
#include <algorithm>
#include <utility>

#include "base/name_list.hpp"
#include "base/sys/log.hpp"
#include "config/text_formats.hpp"
#include "machine/service/deployer.hpp"

namespace bellows::machine {
namespace {

using machine::Number;
using machine::revision_id;
using machine::RevisionRecord;
using machine::ServiceRecord;

std::string tag_names(const ServiceRecord& service) {
  std::vector<std::string> names;
  for (const auto& [tag, number] : service.tags) names.push_back(tag);
  return name_list(names);
}

/// "canary.web.localhost": the hosts of a tag.
std::string hosts_of(const ServiceRecord& service, const std::string& tag) {
  config::Route route = service.route;
  route.tags = {tag};
  std::string hosts;
  for (const config::RouteRule& rule : tag_rules(route)) {
    hosts += (hosts.empty() ? "" : ", ") + to_string(rule);
  }
  return hosts;
}

Result<void> check_tag(const std::string& tag) {
  if (config::name_format().read(tag)) return {};
  return fail(ErrorKind::kInvalidSetting, "tag \"" + tag + "\"",
              "want " + config::name_format().want);
}

}  // namespace

/// The routes as they would be.
Result<void> Deployer::check_tags(const ServiceRecord& next) const {
  if (!next.tags.empty() && !may_have_tags(next.route)) {
    return fail(ErrorKind::kInvalidSetting, "service " + next.name.text(),
                "has no host that a tag can stand before (" + to_string(next.route) +
                    "); want a host that is no wildcard");
  }
  return index_.check(records_, {{next.name, next}});
}

Result<ServiceAnswer> Deployer::tag(const RevisionId& service,
                                    const std::map<std::string, std::string>& tags,
                                    const ServiceOrder& order) {
  BELLOWS_TRY(const ServiceRecord before, existing(service));
  ServiceRecord next = before;
  ServiceAnswer answer;
  for (const auto& [tag, revision] : tags) {
    BELLOWS_CHECKED(check_tag(tag));
    if (revision.empty()) {
      if (next.tags.erase(tag) == 0) {
        return fail(ErrorKind::kNotFound, "tag " + tag,
                    "there is none; want one of: " + tag_names(before));
      }
      answer.lines.push_back(service.text() + ": tag " + tag + " removed");
      continue;
    }
    const std::optional<Number> number = machine::number_of(before, revision);
    if (!number) {
      return fail(ErrorKind::kNotFound, "revision " + revision,
                  "there is none; want one of " + machine::revision_names(before));
    }
    if (const auto old = before.tags.find(tag);
        old != before.tags.end() && old->second == *number) {
      continue;
    }
    next.tags[tag] = *number;
    answer.lines.push_back(service.text() + ": " + hosts_of(next, tag) + " -> " +
                           revision_id(service, *number).text());
  }
  BELLOWS_CHECKED(check_tags(next));
  if (order.dry_run || next.tags == before.tags) return answer;
  std::vector<RevisionId> listed;
  const auto undo = [&](const Error& error) {
    for (const RevisionId& id : listed) (void)cluster_.remove(id);
    return fail(error);
  };
  for (const RevisionRecord& revision : next.revisions) {
    const RevisionId id = revision_id(service, revision.number);
    if (tags_of(next, revision.number).empty() || is_listed(id)) continue;
    config::ServiceRevision run = machine::runnable(next, revision);
    run.settings =
        config::shared_settings(machine::settings_in_force(*run.settings, revision.share, 0));
    if (auto added = cluster_.add(std::move(run)); !added) return undo(added.error());
    listed.push_back(id);
  }
  if (auto saved = state_.save({{service, next}}); !saved) return undo(saved.error());
  keep({{service, next}});
  place_tagged(next);
  for (const std::string& line : answer.lines) sys::log::info("tags changed", {{"change", line}});
  start_watching();
  return answer;
}

/// What has a tag is there, whatever its share; what has neither any more goes.
void Deployer::place_tagged(const ServiceRecord& service) {
  for (const RevisionRecord& revision : service.revisions) {
    const RevisionId id = revision_id(service.name, revision.number);
    if (!is_listed(id)) continue;
    if (!is_reachable(service, revision)) {
      if (!leaving_.contains(id)) leave(service.name, revision);
      continue;
    }
    leaving_.erase(id);
    if (const auto floor = floors_.find(id); floor != floors_.end() && !floor->second.until) {
      floor->second.until = clock_.now() + revision.content->settings->window;
    }
    (void)cluster_.place(id, route_for(service, revision), revision.share);
    configure(service, revision);
  }
}

/// The new revision is started as a proof, gets the tag, and none of the service's requests.
Result<ServiceAnswer> Deployer::deploy_tagged(ServiceRecord record, const config::Service& content,
                                              const ServiceOrder& order) {
  BELLOWS_CHECKED(check_tag(order.tag));
  BELLOWS_CHECKED(check_measured(content));
  BELLOWS_CHECKED(cluster_.check(content));
  BELLOWS_CHECKED(
      cluster_.check_fit({{content.name, content.settings.min_scale, content.settings.max_scale}}));
  BELLOWS_CHECKED(machine::check_fallback(records_, {}, content.name, content.settings));
  const auto change = machine::difference(record, content);
  const Number number = machine::revision_for(record, content).number;
  record.tags[order.tag] = number;
  BELLOWS_CHECKED(check_tags(record));
  ServiceAnswer answer;
  if (change) answer.lines.push_back(change->text);
  answer.lines.push_back(content.name.text() + ": " + hosts_of(record, order.tag) + " -> " +
                         revision_id(content.name, number).text() +
                         ", which gets no other request");
  if (order.dry_run) return answer;
  const machine::Shares shares = record.shares();
  BELLOWS_CHECKED(begin(std::move(record), shares, order, answer));
  return answer;
}

}  // namespace bellows::machine
