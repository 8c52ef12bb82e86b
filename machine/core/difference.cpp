#include "machine/core/difference.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/name_list.hpp"
#include "config/revision_schema.hpp"

namespace bellows::machine {
namespace {

std::string list_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return "[" + text + "]";
}

std::string or_unset(const std::string& text) {
  return text.empty() ? "(unset)" : text;
}

/// Builds "command [a] -> [b], GREETING changed". It has only the names of variables, because
/// values may be secrets.
class ChangeText {
 public:
  void add(std::string_view what, const std::string& before, const std::string& after) {
    if (before != after)
      append(std::string(what) + " " + or_unset(before) + " -> " + or_unset(after));
  }
  void add(const std::vector<config::Change>& changes) {
    if (!changes.empty()) append(config::changes_text(changes));
  }
  void add_environment(const std::map<std::string, std::string>& before,
                       const std::map<std::string, std::string>& after) {
    for (const auto& [name, value] : after) {
      const auto old = before.find(name);
      if (old == before.end())
        append("environment " + name + " added");
      else if (old->second != value)
        append("environment " + name + " changed");
    }
    for (const auto& [name, value] : before) {
      if (!after.contains(name)) append("environment " + name + " removed");
    }
  }
  const std::string& text() const { return text_; }

 private:
  void append(const std::string& part) { text_ += (text_.empty() ? "" : ", ") + part; }
  std::string text_;
};

std::string content_text(const config::ServiceContent& before,
                         const config::ServiceContent& after) {
  ChangeText text;
  const auto first = [](const config::ServiceContent& content) {
    return (content.is_starter ? "start " : "command ") + list_text(content.command);
  };
  if (before.is_starter == after.is_starter) {
    text.add(after.is_starter ? "start" : "command", list_text(before.command),
             list_text(after.command));
  } else {
    text.add("", first(before), first(after));
  }
  text.add("stop", list_text(before.stop), list_text(after.stop));
  text.add_environment(before.environment, after.environment);
  text.add("working-directory", before.working_directory, after.working_directory);
  text.add("environment-file", before.environment_file, after.environment_file);
  text.add("run-as-user", before.user, after.user);
  text.add("no-new-privileges", before.no_new_privileges ? "true" : "false",
           after.no_new_privileges ? "true" : "false");
  text.add(config::revision_schema().changes(*before.settings, *after.settings));
  return text.text();
}

/// Returns the id that a revision with `content` would have.
std::string id_of(const ServiceRecord& record, const config::ServiceContent& content) {
  for (const RevisionRecord& revision : record.revisions) {
    if (is_same_content(*revision.content, content)) {
      return "revision " + revision_id(record.name, revision.number).text() + " again";
    }
  }
  return "new revision " + revision_id(record.name, record.next_number).text();
}

bool is_as_applied(const ServiceRecord& record, const SharedService& wanted) {
  return record.declared && *record.declared == wanted;
}

}  // namespace

std::optional<ServiceChange> difference(const ServiceRecord& record, const SharedService& wanted) {
  if (record.is_removed()) return addition(wanted);
  ServiceChange change{.service = record.name};
  const RevisionRecord& current = *record.current();
  std::string text;
  if (!is_same_content(*current.content, *wanted)) {
    change.content = wanted;
    text = id_of(record, *wanted) + ": " + content_text(*current.content, *wanted);
  } else if (current.share < 100) {
    change.content = wanted;
    text = "all requests to " + revision_id(record.name, current.number).text();
  } else if (*current.content->settings != *wanted->settings) {
    change.settings =
        config::revision_schema().changes(*current.content->settings, *wanted->settings);
    if (!change.settings.empty()) change.new_settings = *wanted->settings;
    text = config::changes_text(change.settings);
  }
  if (record.route != wanted->route) {
    change.route = wanted->route;
    text += (text.empty() ? "" : "; ") + std::string("route ") + to_string(record.route) + " -> " +
            to_string(wanted->route);
  }
  if (text.empty()) return std::nullopt;
  change.text = record.name.text() + ": " + text;
  return change;
}

ServiceChange addition(const SharedService& wanted) {
  return {.service = wanted->name,
          .is_new = true,
          .content = wanted,
          .text = wanted->name.text() + ": new service for " + to_string(wanted->route) + ": " +
                  list_text(wanted->command)};
}

ServiceChange removal(const ServiceRecord& record) {
  return {.service = record.name,
          .is_removed = true,
          .text = record.name.text() + ": removed; requests that it has are served"};
}

namespace {

/// Walks through a file and the records, both by name.
class Beside {
 public:
  explicit Beside(const Records& records) : next_(records.begin()), end_(records.end()) {}

  /// Returns the record of that name, which must not precede the last name; nullptr: there is none.
  /// Calls `pass` with the records in between.
  template <class F>
  const ServiceRecord* find(const RevisionId& name, F&& pass) {
    for (; next_ != end_ && next_->first < name; step(pass)) {
    }
    is_asked_for_ = next_ != end_ && next_->first == name;
    return is_asked_for_ ? &next_->second : nullptr;
  }
  template <class F>
  void finish(F&& pass) {
    while (next_ != end_) step(pass);
  }

 private:
  template <class F>
  void step(F&& pass) {
    if (!std::exchange(is_asked_for_, false)) pass(next_->second);
    ++next_;
  }

  Records::const_iterator next_;
  Records::const_iterator end_;
  bool is_asked_for_ = false;  // next_
};

}  // namespace

std::vector<ServiceChange> differences(const Records& records, const FileServices& file,
                                       Scope scope) {
  std::vector<ServiceChange> changes;
  const auto not_in_file = [&](const ServiceRecord& record) {
    if (record.declared && !record.is_removed()) changes.push_back(removal(record));
  };
  Beside beside(records);
  for (const SharedService& wanted : file) {
    const ServiceRecord* const record = beside.find(wanted->name, not_in_file);
    if (record == nullptr) {
      changes.push_back(addition(wanted));
      continue;
    }
    if (scope == Scope::kWhatTheFileChanged && is_as_applied(*record, wanted)) continue;
    if (auto change = difference(*record, wanted)) changes.push_back(std::move(*change));
  }
  beside.finish(not_in_file);
  return changes;
}

FileServices redeclared(const Records& records, const FileServices& file) {
  FileServices all;
  Beside beside(records);
  for (const SharedService& service : file) {
    const ServiceRecord* const record = beside.find(service->name, [](const ServiceRecord&) {});
    if (record == nullptr || !is_as_applied(*record, service)) all.push_back(service);
  }
  return all;
}

FileServices declared(const Records& records) {
  FileServices all;
  all.reserve(records.size());
  for (const auto& [name, record] : records) {
    if (record.declared) all.push_back(*record.declared);
  }
  return all;
}

Result<void> check_fallback(const Records& records, const Edits& edits, const RevisionId& service,
                            const config::RevisionSettings& settings) {
  const std::string& fallback = settings.callers.fallback_service;
  if (fallback.empty()) return {};
  const ServiceRecord* const found = find(records, edits, RevisionId(fallback));
  const bool is_itself = fallback == service.text();
  if (!is_itself && found != nullptr && !found->is_removed()) return {};
  std::set<std::string> names;
  for (const auto& [name, record] : records) {
    if (!edits.contains(name) && !record.is_removed()) names.insert(name.text());
  }
  for (const auto& [name, record] : edits) {
    if (record && !record->is_removed()) names.insert(name.text());
  }
  names.erase(service.text());
  return fail(ErrorKind::kInvalidSetting, "service " + service.text() + ": fallback-service",
              "\"" + fallback + "\": " + (is_itself ? "it is the same" : "there is none") +
                  "; want another service: " + name_list({names.begin(), names.end()}));
}

Result<void> check_removed(const Records& records, const Edits& edits) {
  std::set<std::string> removed;
  for (const auto& [name, record] : edits) {
    if (!record || record->is_removed()) removed.insert(name.text());
  }
  if (removed.empty()) return {};
  const auto check = [&removed](const ServiceRecord& record) -> Result<void> {
    for (const RevisionRecord& revision : record.revisions) {
      const std::string& fallback = revision.content->settings->callers.fallback_service;
      if (!is_reachable(record, revision) || !removed.contains(fallback)) continue;
      return fail(ErrorKind::kConflict, "service " + fallback,
                  "is the fallback-service of " + record.name.text() +
                      "; want that set to another service, or to none, before it is removed");
    }
    return {};
  };
  for (const auto& [name, record] : records) {
    if (edits.contains(name) || record.is_removed()) continue;
    BELLOWS_CHECKED(check(record));
  }
  for (const auto& [name, record] : edits) {
    if (!record || record->is_removed()) continue;
    BELLOWS_CHECKED(check(*record));
  }
  return {};
}

namespace {

/// Takes back what was under way when Bellows ended.
void end_what_was_under_way(StartPlan& plan) {
  for (auto& [name, record] : plan.records) {
    if (!record.before_canary.empty()) {
      set_shares(record, std::exchange(record.before_canary, {}));
      const std::string what = std::exchange(record.under_way, {});
      plan.notes.push_back(
          name.text() + ": a " +
          (what.empty() || what.starts_with("canary") ? std::string("canary") : what) +
          " was under way when Bellows ended: the shares are those before it, " +
          shares_text(record, record.shares()));
    }
    if (record.under_way.empty()) continue;
    plan.notes.push_back(name.text() + ": a " + std::exchange(record.under_way, {}) +
                         " was under way when Bellows ended, and did not take effect");
  }
}

}  // namespace

StartPlan at_start(Records saved, std::vector<config::Service> services) {
  const FileServices file = file_services(std::move(services), declared(saved));
  StartPlan plan{.records = std::move(saved), .notes = {}};
  end_what_was_under_way(plan);
  std::set<RevisionId> in_file;
  for (const SharedService& wanted : file) {
    in_file.insert(wanted->name);
    const auto [place, is_new] = plan.records.try_emplace(wanted->name);
    ServiceRecord& record = place->second;
    if (is_new) {
      record = new_service(wanted);
    } else if (!is_as_applied(record, wanted)) {
      if (auto change = difference(record, wanted)) {
        plan.notes.push_back(change->text +
                             " (the settings file has changed since it was applied)");
      }
      record.route = wanted->route;
      set_shares(record, {{revision_for(record, wanted).number, 100}});
    } else if (record.is_removed()) {
      plan.notes.push_back(wanted->name.text() + ": stays removed; `bellows apply` restores it");
    } else if (const auto change = difference(record, wanted)) {
      plan.notes.push_back(wanted->name.text() + ": runs " +
                           revision_id(record.name, record.current()->number).text() +
                           ", which the settings file does not have; `bellows apply` undoes that");
    }
    record.name = wanted->name;
    record.declared = wanted;
    record.expires.reset();  // what a file has stays
  }
  std::erase_if(plan.records, [&](const auto& entry) {
    return entry.second.declared && !in_file.contains(entry.first);
  });
  return plan;
}

}  // namespace bellows::machine
