#include "autoscaler/history/chart.hpp"

#include <algorithm>

#include "autoscaler/explain/catalogue.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::history {

void Chart::add(const Decision& decision) {
  const bool is_new_column = columns_.empty() || decision.at - columns_.back().at >= step_;
  Column& column = is_new_column ? columns_.emplace_back() : columns_.back();
  if (is_new_column) column.at = decision.at;
  column.load = std::max(column.load, decision.seen.newest);
  column.mean = decision.seen.stable.total;
  column.capacity = decision.seen.ready * decision.spec.target;
  column.ready = decision.seen.ready;
  column.starting = std::max(column.starting, decision.seen.starting);
  column.desired = decision.replicas;
  column.waiting = std::max(column.waiting, decision.seen.waiting);
  column.is_panic |= decision.mode == Mode::kPanic;
  const bool is_change =
      last_ && (last_->replicas != decision.replicas || last_->mode != decision.mode);
  if (is_change) points_.push_back({*last_, decision});
  if (points_.size() > kMaxPoints) points_.pop_front();
  remember(decision);
}

void Chart::add_changes(const std::vector<journal::ShareChange>& changes, TimePoint from,
                        TimePoint until) {
  for (std::size_t i = 1; i < changes.size(); ++i) {
    const bool is_asked = changes[i].at >= from && changes[i].at <= until;
    if (is_asked && !changes[i - 1].shares.empty()) {
      changes_.emplace_back(changes[i - 1], changes[i]);
    }
  }
}

std::string Chart::json() const {
  json::Writer page;
  const auto list = [&](std::string_view key, auto value_of) {
    page.open_list(key);
    for (const Column& column : columns_) page.number(static_cast<double>(value_of(column)));
    page.close();
  };
  list("at", [this](const Column& column) { return unix_milliseconds(column.at); });
  list("load", [](const Column& column) { return column.load; });
  list("stable_concurrency", [](const Column& column) { return column.mean; });
  list("capacity", [](const Column& column) { return column.capacity; });
  list("ready", [](const Column& column) { return column.ready; });
  list("starting", [](const Column& column) { return column.starting; });
  list("desired", [](const Column& column) { return column.desired; });
  list("waiting", [](const Column& column) { return column.waiting; });
  list("panic", [](const Column& column) { return column.is_panic ? 1 : 0; });
  page.open_list("decisions");
  for (const Point& point : points_) {
    page.open()
        .integer("at", unix_milliseconds(point.decision.at))
        .integer("before", point.before.replicas)
        .integer("want", point.decision.replicas)
        .text("mode", to_string(point.decision.mode))
        .flag("mode_changed", point.before.mode != point.decision.mode)
        .text("rule", to_string(point.decision.rule))
        .text("because", explain::brief(point.decision))
        .close();
  }
  page.close().open_list("shares");
  const auto write_shares = [&page](std::string_view key, const journal::ShareChange& change) {
    page.open(key);
    for (const auto& [revision, share] : change.shares) page.integer(revision.text(), share);
    page.close();
  };
  for (const auto& [before, change] : changes_) {
    page.open().integer("at", unix_milliseconds(change.at));
    write_shares("before", before);
    write_shares("shares", change);
    page.close();
  }
  page.close();
  return page.end();
}

}  // namespace bellows::autoscaler::history
