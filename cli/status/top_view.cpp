#include "cli/status/top_view.hpp"

#include <algorithm>
#include <utility>

#include "base/duration_text.hpp"
#include "base/quantity_text.hpp"
#include "cli/status/status_items.hpp"
#include "report/text_table.hpp"

namespace bellows::cli {
namespace {

constexpr std::size_t kLeastWidth = 60;
/// The ratio of loads from which on the chart changes to another service, so that it does not
/// alternate.
constexpr double kMuchBusier = 2;

/// Returns the first `width` cells of the text; the last of them shows that there is more.
std::string cut(const std::string& text, std::size_t width) {
  if (report::display_width(text) <= width) return text;
  std::string part;
  std::size_t cells = 0;
  for (const char c : text) {
    const bool begins = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (begins && ++cells == width) break;
    part += c;
  }
  return part + "…";
}

/// Returns the last cells of a replica's name, in which names differ.
std::string end_of(const std::string& name) {
  constexpr std::size_t kMost = 20;
  return name.size() <= kMost ? name : "…" + name.substr(name.size() - kMost + 1);
}

std::string state_of(const ServiceStatus& revision) {
  if (revision.is_paused) return "Paused";
  return revision.mode == "panic" ? "panic" : revision.state;
}

std::string replicas_of(const ServiceStatus& revision) {
  std::string text = std::to_string(revision.ready) + "/" + std::to_string(revision.desired);
  if (revision.starting > 0) text += " +" + std::to_string(revision.starting);
  return text;
}

/// Returns the busiest first if there are too many; otherwise in the order of the status.
std::vector<const ServiceStatus*> shown_services(const Status& status) {
  std::vector<const ServiceStatus*> shown;
  for (const ServiceStatus& revision : status.services) shown.push_back(&revision);
  if (shown.size() <= TopView::kServices) return shown;
  std::ranges::stable_sort(shown, std::greater(), [](const ServiceStatus* revision) {
    return std::pair(!service_trouble(*revision).empty(), load_now(*revision));
  });
  shown.resize(TopView::kServices);
  return shown;
}

std::vector<std::string> service_lines(const Status& status, std::size_t width) {
  constexpr std::size_t kOthers = 56;  // the other columns and the gaps
  std::vector<std::vector<std::string>> rows;
  for (const ServiceStatus* revision : shown_services(status)) {
    rows.push_back({cut(revision->name, std::max<std::size_t>(12, width - kOthers)),
                    state_of(*revision), replicas_of(*revision), load_text(load_now(*revision)),
                    load_text(revision->target), load_text(revision->waiting)});
  }
  std::vector<std::string> lines = report::table_lines({{"SERVICE"},
                                                        {"STATE"},
                                                        {"READY"},
                                                        {"IN FLIGHT", report::Align::kRight},
                                                        {"TARGET", report::Align::kRight},
                                                        {"WAITING", report::Align::kRight}},
                                                       rows);
  if (rows.size() < status.services.size()) {
    lines.push_back("and " + std::to_string(status.services.size() - rows.size()) +
                    " more services with less load");
  }
  return lines;
}

std::vector<std::string> replica_lines(const ServiceStatus& revision) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> troubles;
  for (const ReplicaStatus& replica : revision.replicas) {
    if (!replica.trouble.empty()) troubles.push_back("! " + replica.trouble);
    if (rows.size() == TopView::kReplicas) continue;
    rows.push_back({end_of(replica.name), replica.phase, load_text(replica.in_flight),
                    replica.cpu ? to_string(*replica.cpu) : "-",
                    replica.memory ? rounded_text(*replica.memory) : "-",
                    replica.start_took ? rounded_duration_text(*replica.start_took) : "-",
                    std::to_string(replica.restarts)});
  }
  if (rows.empty()) return {};
  std::vector<std::string> lines = report::table_lines({{"REPLICA"},
                                                        {"PHASE"},
                                                        {"IN FLIGHT", report::Align::kRight},
                                                        {"CPU", report::Align::kRight},
                                                        {"MEMORY", report::Align::kRight},
                                                        {"START", report::Align::kRight},
                                                        {"RESTARTS", report::Align::kRight}},
                                                       rows);
  if (rows.size() < revision.replicas.size()) {
    lines.push_back("and " + std::to_string(revision.replicas.size() - rows.size()) +
                    " more replicas");
  }
  lines.insert(lines.end(), troubles.begin(), troubles.end());
  return lines;
}

/// Returns `text` in as many lines as it needs, broken at blanks.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && report::display_width(line) + 1 + report::display_width(word) > width) {
      lines.push_back(std::exchange(line, "  "));
      line += word;
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
    at = end + 1;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

void append(std::vector<std::string>& lines, std::vector<std::string> more) {
  for (std::string& line : more) lines.push_back(std::move(line));
}

}  // namespace

void TopView::add(const Status& status) {
  std::map<std::string, StatusHistory> kept;
  const ServiceStatus* busiest = nullptr;
  const ServiceStatus* before = nullptr;
  for (const ServiceStatus& revision : status.services) {
    StatusHistory& history = kept[revision.name];
    history = std::move(histories_[revision.name]);
    history.add(revision);
    if (revision.name == busiest_) before = &revision;
    if (busiest == nullptr || load_now(revision) > load_now(*busiest)) busiest = &revision;
  }
  histories_ = std::move(kept);
  const bool stays = before != nullptr && busiest != nullptr &&
                     load_now(*busiest) <= kMuchBusier * load_now(*before);
  if (!stays && busiest != nullptr) busiest_ = busiest->name;
}

const ServiceStatus* TopView::charted(const Status& status) const {
  const std::string& wanted = name_.empty() ? busiest_ : name_;
  const auto found = std::ranges::find(status.services, wanted, &ServiceStatus::name);
  return found == status.services.end() ? nullptr : &*found;
}

std::string TopView::title(const ServiceStatus& revision) const {
  const auto found = histories_.find(revision.name);
  const std::size_t count = found == histories_.end() ? 0 : found->second.in_flight.size();
  return "the last " + duration_text(interval_ * static_cast<std::int64_t>(count)) + " of " +
         (name_.empty() ? "the busiest, " : "") + revision.name;
}

std::vector<std::string> TopView::tables(const Status& status, std::size_t width) const {
  const std::size_t cells = std::max(width, kLeastWidth);
  std::vector<std::string> lines = cluster_lines(status);
  append(lines, service_lines(status, cells));
  for (const ServiceStatus& revision : status.services) {
    const std::string trouble = service_trouble(revision);
    if (trouble.empty()) continue;
    append(lines, wrapped("! " + revision.name + ": " + trouble, cells));
  }
  if (const ServiceStatus* const revision = charted(status)) {
    lines.emplace_back();
    append(lines, wrapped(revision->name + ": " + std::to_string(revision->desired) + " because " +
                              revision->because,
                          cells));
    append(lines, replica_lines(*revision));
  }
  for (std::string& line : lines) line = cut(line, cells);
  return lines;
}

std::vector<std::string> TopView::lines(const Status& status, std::size_t width) const {
  std::vector<std::string> lines = tables(status, width);
  lines.emplace_back();
  const ServiceStatus* const revision = charted(status);
  if (revision == nullptr) {
    if (!name_.empty()) lines.push_back("no service " + name_ + " to chart");
    return lines;
  }
  lines.push_back(cut(title(*revision), std::max(width, kLeastWidth)));
  append(lines, chart_lines(histories_.at(revision->name), std::max(width, kLeastWidth)));
  return lines;
}

}  // namespace bellows::cli
