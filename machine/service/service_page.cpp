#include "machine/service/service_page.hpp"

#include <optional>
#include <string_view>

#include "config/route_json.hpp"

namespace bellows::machine {
namespace {

/// The progress of the last change of a service's shares; a canary's steps together.
struct Progress {
  std::string_view cause;
  std::string_view stage;
  std::string message;
  Duration took{};
  std::string goes_back_if = {};           // of a canary that runs
  std::optional<std::int32_t> share = {};  // of a canary: the percent of its step,
  bool is_in_force = false;                // and whether it gets it already
};

Progress progress_of(const Rollout& rollout, TimePoint now) {
  return {.cause = rollout.plan().cause,
          .stage = to_string(rollout.stage()),
          .message = rollout.message(),
          .took = rollout.took(now)};
}

Progress progress_of(const RunningCanary& run, const Rollout& rollout, TimePoint now) {
  const bool is_back = run.canary.stage() == Canary::Stage::kBack;
  const bool is_under_way = !run.canary.is_over() || (is_back && !rollout.is_over());
  Progress progress{.cause = kCanary,
                    .stage = is_under_way ? kCanary
                             : is_back    ? "failed"
                                          : "done",
                    .message = run.canary.message(now),
                    .took = run.ended.value_or(now) - run.began};
  if (run.canary.stage() == Canary::Stage::kShifting) progress.message += ", " + rollout.message();
  if (!run.canary.is_over()) progress.goes_back_if = run.canary.watches();
  progress.share = run.canary.share();
  progress.is_in_force = run.canary.stage() == Canary::Stage::kWatching;
  return progress;
}

Progress progress_of(const RunningCanary* run, const Rollout& rollout, TimePoint now) {
  return run == nullptr ? progress_of(rollout, now) : progress_of(*run, rollout, now);
}

/// What decides the state of a revision.
struct Place {
  bool is_reached = false;
  bool is_listed = false;
  bool is_retired = false;  // by the user
  bool is_needed = false;   // by a running rollout
};

std::string_view state_of(const Place& place) {
  if (place.is_retired) return "Retired";
  if (place.is_reached) return "Active";
  if (!place.is_listed) return "Retired";
  return place.is_needed ? "Starting" : "Draining";
}

}  // namespace

std::string ServicePage::page(const RevisionId& only, PageDetail detail) const {
  json::Writer out;
  out.integer("version", 1).open_list("services");
  for (const auto& [name, record] : store_.records()) {
    if (only.empty() ? !record.is_removed() : name == only) write_service(out, name, detail);
  }
  const bool is_coming = !only.empty() && store_.find(only) == nullptr;
  if (is_coming && rollouts_.find(only) != nullptr) write_service(out, only, detail);
  return out.close().end_line();
}

void ServicePage::write_service(json::Writer& out, const RevisionId& name,
                                PageDetail detail) const {
  out.open().text("name", name.text());
  if (const ServiceRecord* const record = store_.find(name)) {
    config::write_route(out, record->route);
    if (record->expires) {
      out.integer("expires_in_ms", to_milliseconds(*record->expires - clock_.wall_now()));
    }
    if (placer_.is_retired(*record)) out.flag("retired", true);
    write_revisions(out, *record, detail);
  }
  write_rollout(out, name, detail);
  out.close();
}

void ServicePage::write_revisions(json::Writer& out, const ServiceRecord& record,
                                  PageDetail detail) const {
  const RunningRollout* const running =
      rollouts_.is_under_way(record.name) ? rollouts_.find(record.name) : nullptr;
  const ServiceRecord& service = running != nullptr ? running->next : record;
  out.open_list("revisions");
  for (const RevisionRecord& revision : service.revisions) {
    const RevisionId id = revision_id(service.name, revision.number);
    const bool is_reached = revision.share > 0 || !tags_of(record, revision.number).empty();
    const bool is_needed =
        running != nullptr && running->rollout.plan().needed.contains(revision.number);
    out.open()
        .text("name", id.text())
        .integer("number", revision.number)
        .integer("share", revision.share)
        .text("state", state_of({.is_reached = is_reached,
                                 .is_listed = placer_.is_listed(id),
                                 .is_retired = placer_.is_retired(id),
                                 .is_needed = is_needed}))
        .integer("ready", placer_.ready(id))
        .flag("previous", revision.number == service.previous)
        .text("failure", revision.failure)
        .open_list("tags");
    for (const std::string& tag : tags_of(service, revision.number)) out.text(tag);
    out.close().open_list("command");
    if (detail == PageDetail::kShown) {
      for (const std::string& word : revision.content->command) out.text(word);
    }
    out.close().close();
  }
  out.close();
}

void ServicePage::write_rollout(json::Writer& out, const RevisionId& service,
                                PageDetail detail) const {
  const RunningRollout* const running = rollouts_.find(service);
  if (running == nullptr) return;
  const Progress made = progress_of(canaries_.find(service), running->rollout, clock_.now());
  out.open("rollout")
      .text("cause", made.cause)
      .text("stage", made.stage)
      .text("message", made.message)
      .number("seconds", to_seconds(made.took));
  if (made.share) out.integer("share", *made.share).flag("in_force", made.is_in_force);
  out.open_list("last_lines");
  if (detail == PageDetail::kShown) {
    for (const std::string& line : running->last_lines) out.text(line);
  }
  out.close().close();
}

std::string ServicePage::under_way() const {
  json::Writer out;
  bool is_empty = true;
  out.open_list("under_way");
  for (const auto& [service, running] : rollouts_.all()) {
    if (running.rollout.is_over() && canaries_.under_way(service) == nullptr) continue;
    const Progress made = progress_of(canaries_.find(service), running.rollout, clock_.now());
    is_empty = false;
    out.open()
        .text("service", service.text())
        .text("cause", made.cause)
        .text("message", made.message)
        .integer("age_ms", to_milliseconds(made.took));
    if (!made.goes_back_if.empty()) out.text("goes_back_if", made.goes_back_if);
    out.close();
  }
  return is_empty ? "" : out.close().end();
}

}  // namespace bellows::machine
