#include "machine/core/route_index.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/read_number.hpp"

namespace bellows::machine {
namespace {

using Holders = std::map<config::RouteRule, const ServiceRecord*>;

/// Returns the rules of the service and of its tags.
std::vector<config::RouteRule> all_rules(const ServiceRecord& record) {
  std::vector<config::RouteRule> rules = rules_of(record.route);
  if (record.tags.empty()) return rules;
  config::Route tagged = record.route;
  for (const auto& [tag, number] : record.tags) tagged.tags.push_back(tag);
  for (config::RouteRule& rule : tag_rules(tagged)) rules.push_back(std::move(rule));
  return rules;
}

std::size_t hash_of(const config::RouteRule& rule) {
  const std::hash<std::string> hash;
  std::size_t sum = hash(rule.host) * 31 + hash(rule.path_prefix);
  for (const config::HeaderMatch& match : rule.headers) sum = sum * 31 + hash(match.name);
  return sum;
}

/// Checks the hosts of tags: a tag stands before a host.
Result<void> check_tags(const ServiceRecord& record) {
  if (record.tags.empty() || may_have_tags(record.route)) return {};
  const std::string& tag = record.tags.begin()->first;
  return fail(ErrorKind::kConflict, "service " + record.name.text(),
              "has the tag " + tag +
                  ", but no host before which it can stand; want a host, or split --untag " + tag);
}

Result<void> same_rule(const config::RouteRule& rule, const ServiceRecord& a,
                       const ServiceRecord& b) {
  const auto [earlier, later] = std::minmax(a.name, b.name);
  return fail(ErrorKind::kConflict, "service " + later.text(),
              "takes " + described(rule) + ", as service " + earlier.text() +
                  " does; want another host, path-prefix or headers");
}

Result<void> same_name(const RevisionId& id, const ServiceRecord& service) {
  return fail(
      ErrorKind::kConflict, "service " + id.text(),
      "has the name of a revision of service " + service.name.text() + "; want another name");
}

/// Adds the rules of `record` to those of others.
Result<void> add_rules(const ServiceRecord& record, Holders& holders) {
  BELLOWS_CHECKED(check_tags(record));
  for (config::RouteRule& rule : all_rules(record)) {
    const auto [place, is_new] = holders.emplace(std::move(rule), &record);
    if (!is_new) return same_rule(place->first, *place->second, record);
  }
  return {};
}

/// Rejects revisions with the name of another service.
Result<void> check_revision_names(const ServiceRecord& record, const Records& records,
                                  const Edits& edits) {
  for (const RevisionRecord& revision : record.revisions) {
    const RevisionId id = revision_id(record.name, revision.number);
    if (find(records, edits, id) != nullptr) return same_name(id, record);
  }
  return {};
}

/// Returns the service of which `name` is a revision: "web" of "web-00002". nullptr: there is none.
const ServiceRecord* service_of_revision(const RevisionId& name, const Records& records,
                                         const Edits& edits) {
  const std::string_view text = name.text();
  const std::size_t dash = text.rfind('-');
  if (dash == std::string_view::npos) return nullptr;
  std::string_view digits = text.substr(dash + 1);
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  const auto number = read_number<Number>(digits);
  const RevisionId service(std::string(text.substr(0, dash)));
  if (!number || revision_id(service, *number) != name) return nullptr;
  const ServiceRecord* const record = find(records, edits, service);
  return record != nullptr && record->find(*number) != nullptr ? record : nullptr;
}

}  // namespace

Result<void> check_routes(const Records& records) {
  Holders holders;
  for (const auto& [name, record] : records) {
    if (record.is_removed()) continue;
    BELLOWS_CHECKED(add_rules(record, holders));
    BELLOWS_CHECKED(check_revision_names(record, records, {}));
  }
  return {};
}

RouteIndex::RouteIndex(const Records& records) {
  for (const auto& [name, record] : records) replace(nullptr, &record);
}

void RouteIndex::replace(const ServiceRecord* before, const ServiceRecord* now) {
  if (before != nullptr && !before->is_removed()) {
    for (const config::RouteRule& rule : all_rules(*before)) {
      const auto [first, last] = by_hash_.equal_range(hash_of(rule));
      const auto place = std::find_if(
          first, last, [&](const auto& entry) { return entry.second == before->name; });
      if (place != last) by_hash_.erase(place);
    }
  }
  if (now == nullptr || now->is_removed()) return;
  for (const config::RouteRule& rule : all_rules(*now)) by_hash_.emplace(hash_of(rule), now->name);
}

/// A service in `edits` counts with the rules of its edit.
const ServiceRecord* RouteIndex::holder(const config::RouteRule& rule, const Records& records,
                                        const Edits& edits) const {
  const auto [first, last] = by_hash_.equal_range(hash_of(rule));
  for (auto entry = first; entry != last; ++entry) {
    if (edits.contains(entry->second)) continue;
    const ServiceRecord& record = records.at(entry->second);
    const std::vector<config::RouteRule> rules = all_rules(record);
    if (std::ranges::find(rules, rule) != rules.end()) return &record;
  }
  return nullptr;
}

Result<void> RouteIndex::check(const Records& records, const Edits& edits) const {
  Holders edited;
  for (const auto& [name, record] : edits) {
    if (!record || record->is_removed()) continue;
    BELLOWS_CHECKED(add_rules(*record, edited));
    BELLOWS_CHECKED(check_revision_names(*record, records, edits));
    if (const ServiceRecord* const other = service_of_revision(name, records, edits)) {
      return same_name(name, *other);
    }
  }
  for (const auto& [rule, record] : edited) {
    const ServiceRecord* const other = holder(rule, records, edits);
    if (other != nullptr) return same_rule(rule, *other, *record);
  }
  return {};
}

}  // namespace bellows::machine
