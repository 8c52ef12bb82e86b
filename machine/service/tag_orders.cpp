#include "machine/service/tag_orders.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "base/name_list.hpp"
#include "base/sys/log.hpp"
#include "config/text_formats.hpp"
#include "machine/core/difference.hpp"

namespace bellows::machine {
namespace {

std::string tag_names(const ServiceRecord& service) {
  std::vector<std::string> names;
  for (const auto& [tag, number] : service.tags) names.push_back(tag);
  return name_list(names);
}

/// Returns "canary.web.localhost": the hosts of a tag.
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

/// Changes one tag of `next`. Returns the change as text; empty: the tag had that revision before.
Result<std::string> changed_tag(const ServiceRecord& before, ServiceRecord& next,
                                const std::string& tag, const std::string& revision) {
  BELLOWS_CHECKED(check_tag(tag));
  if (revision.empty()) {
    if (next.tags.erase(tag) == 0) {
      return fail(ErrorKind::kNotFound, "tag " + tag,
                  "there is none; want one of: " + tag_names(before));
    }
    return next.name.text() + ": tag " + tag + " removed";
  }
  const std::optional<Number> number = number_of(before, revision);
  if (!number) {
    return fail(ErrorKind::kNotFound, "revision " + revision,
                "there is none; want one of " + revision_names(before));
  }
  if (const auto old = before.tags.find(tag); old != before.tags.end() && old->second == *number) {
    return std::string();
  }
  next.tags[tag] = *number;
  return next.name.text() + ": " + hosts_of(next, tag) + " -> " +
         revision_id(next.name, *number).text();
}

}  // namespace

Result<ServiceAnswer> TagOrders::tag(const RevisionId& service,
                                     const std::map<std::string, std::string>& tags,
                                     const ServiceOrder& order) {
  BELLOWS_TRY(const ServiceRecord before, checks_.existing(service));
  ServiceRecord next = before;
  ServiceAnswer answer;
  for (const auto& [tag, revision] : tags) {
    BELLOWS_TRY(std::string line, changed_tag(before, next, tag, revision));
    if (!line.empty()) answer.lines.push_back(std::move(line));
  }
  BELLOWS_CHECKED(checks_.tags(next));
  if (order.dry_run || next.tags == before.tags) return answer;
  BELLOWS_CHECKED(take_effect(next));
  for (const std::string& line : answer.lines) {
    sys::log::info("tags changed", {{"service", service.text()}, {"change", line}});
  }
  return answer;
}

/// Sets the tags, or changes nothing after an error.
Result<void> TagOrders::take_effect(const ServiceRecord& next) {
  std::vector<RevisionId> listed;
  const auto undo = [&](const Error& error) {
    for (const RevisionId& id : listed) placer_.remove(id);
    return fail(error);
  };
  for (const RevisionRecord& revision : next.revisions) {
    const RevisionId id = revision_id(next.name, revision.number);
    if (tags_of(next, revision.number).empty() || placer_.is_listed(id)) continue;
    if (auto added = placer_.list(next, revision); !added) return undo(added.error());
    listed.push_back(id);
  }
  if (auto changed = store_.change({{next.name, next}}); !changed) return undo(changed.error());
  placer_.follow_tags(next);
  return {};
}

Result<ServiceAnswer> TagOrders::deploy(ServiceRecord record, const config::Service& content,
                                        const ServiceOrder& order) {
  BELLOWS_CHECKED(check_tag(order.tag));
  BELLOWS_CHECKED(checks_.tagged(content));
  const auto change = difference(record, content);
  const Number number = revision_for(record, content).number;
  record.tags[order.tag] = number;
  BELLOWS_CHECKED(checks_.tags(record));
  ServiceAnswer answer;
  if (change) answer.lines.push_back(change->text);
  answer.lines.push_back(content.name.text() + ": " + hosts_of(record, order.tag) + " -> " +
                         revision_id(content.name, number).text() +
                         ", which gets no other request");
  if (order.dry_run) return answer;
  const Shares shares = record.shares();
  canaries_.forget(content.name);
  BELLOWS_CHECKED(rollouts_.begin(std::move(record), shares, order));
  answer.rolling_out.push_back(content.name);
  return answer;
}

}  // namespace bellows::machine
