// The services of a machine as JSON: revisions, shares, replicas, the last rollout.
#include "config/route_json.hpp"
#include "json/writer.hpp"
#include "machine/service/deployer.hpp"

namespace bellows::machine {
namespace {

using machine::RevisionRecord;
using machine::ServiceRecord;

/// Active and Retired as in the seed. `is_needed`: by a rollout that is under way.
std::string_view state_of(bool is_reached, bool is_listed, bool is_needed) {
  if (is_reached) return "Active";
  if (!is_listed) return "Retired";
  return is_needed ? "Starting" : "Draining";
}

}  // namespace

std::string Deployer::page(const RevisionId& only, PageDetail detail) const {
  json::Writer out;
  const auto write_revisions = [&](const RevisionId& name) {
    const auto running = rollouts_.find(name);
    const bool is_rolling = running != rollouts_.end() && !running->second.rollout.is_over();
    const ServiceRecord& service = is_rolling ? running->second.next : records_.at(name);
    out.open_list("revisions");
    for (const RevisionRecord& revision : service.revisions) {
      const RevisionId id = machine::revision_id(service.name, revision.number);
      const bool is_reached =
          revision.share > 0 || !machine::tags_of(records_.at(name), revision.number).empty();
      out.open()
          .text("name", id.text())
          .integer("number", revision.number)
          .integer("share", revision.share)
          .text("state", state_of(is_reached, is_listed(id),
                                  is_rolling && running->second.rollout.plan().needed.contains(
                                                    revision.number)))
          .integer("ready", ready(id))
          .flag("previous", revision.number == service.previous)
          .text("failure", revision.failure)
          .open_list("tags");
      for (const std::string& tag : machine::tags_of(service, revision.number)) out.text(tag);
      out.close().open_list("command");
      if (detail == PageDetail::kShown) {
        for (const std::string& word : revision.content->command) out.text(word);
      }
      out.close().close();
    }
    out.close();
  };
  out.integer("version", 1).open_list("services");
  const auto write = [&](const RevisionId& name) {
    out.open().text("name", name.text());
    if (const auto record = records_.find(name); record != records_.end()) {
      config::write_route(out, record->second.route);
      write_revisions(name);
    }
    write_rollout(out, name, detail);
    out.close();
  };
  for (const auto& [name, record] : records_) {
    if (only.empty() ? !record.is_removed() : name == only) write(name);
  }
  if (!only.empty() && !records_.contains(only) && rollouts_.contains(only)) write(only);
  return out.close().end_line();
}

}  // namespace bellows::machine
