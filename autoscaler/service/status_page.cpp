#include "autoscaler/service/status_page.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "autoscaler/service/history_page.hpp"
#include "autoscaler/service/status_json.hpp"
#include "base/name_list.hpp"
#include "base/sys/log.hpp"
#include "http/core/status.hpp"
#include "json/error_page.hpp"

namespace bellows::autoscaler {
namespace {

constexpr std::string_view kRevisions = "/v1/revisions/";

http::Response error_answer(const Error& error) {
  return http::json_response(json::error_page(error), http::status_of(error));
}

/// The parts of "/v1/revisions/NAME/ACTION"; NAME may have a slash in it.
struct RevisionPath {
  RevisionId revision;
  std::string_view action;
};

RevisionPath path_parts(std::string_view path) {
  path.remove_prefix(std::min(path.size(), kRevisions.size()));
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  return {RevisionId(path.substr(0, slash)), path.substr(slash + 1)};
}

/// An order to set a state: the name of its page, and its text in the log.
struct StateOrder {
  std::string_view action;
  cluster::RevisionState state;
  std::string_view done;
};

constexpr std::array<StateOrder, 3> kStateOrders = {
    {{"retire", cluster::RevisionState::kRetired, "retired"},
     {"pause", cluster::RevisionState::kPaused, "paused"},
     {"resume", cluster::RevisionState::kActive, "resumed"}}};

Error unknown_page(const std::string& path) {
  return {ErrorKind::kNotFound, path,
          "no such page, want GET /v1/revisions/NAME/decisions, /journal, /chart, /slow or "
          "/slow-journal, or POST .../retire, /pause or /resume"};
}

Error is_retired(const RevisionId& service) {
  return {ErrorKind::kGone, "service " + service.text(),
          "is retired; `bellows resume " + service.text() + "` brings it back"};
}

Error has_no_slow_brain(const RevisionId& revision) {
  return {ErrorKind::kNotFound, "revision " + revision.text(),
          "slow-brain is off; set it to advise or auto"};
}

Error unknown_name_of(const RevisionId& name, const cluster::RevisionList& known) {
  std::vector<std::string> names;
  std::string_view noun = "revision";
  for (const cluster::RevisionPtr& listed : known) {
    const std::string& service = listed->service_id().text();
    if (std::ranges::find(names, service) == names.end()) names.push_back(service);
    if (!listed->service.empty()) noun = "service";
  }
  return unknown_name(noun, name.text(), names);
}

}  // namespace

StatusPage::StatusPage(const RevisionRegistry& registry, const ScaleApplier& applier,
                       cluster::Cluster& cluster, const StatGuard& guard, const sys::Clock& clock)
    : registry_(registry),
      applier_(applier),
      cluster_(cluster),
      guard_(guard),
      clock_(clock),
      events_(registry, applier, clock, additions_) {}

void StatusPage::add_routes(http::ServiceServer& server) {
  using http::Awaitable;
  using http::Request;
  using http::Response;
  events_.add_routes(server);
  server.route("GET", "/v1/status", [this](Request) -> Awaitable<Response> { co_return status(); });
  server.route("GET", std::string(kRevisions),
               [this](Request request) -> Awaitable<Response> { co_return page_of(request); });
  server.route("POST", std::string(kRevisions),
               [this](Request request) { return set_state(std::move(request.path)); });
}

http::Response StatusPage::status() const {
  return http::json_response(
      status_json(registry_, applier_, cluster_, guard_, clock_.now(), additions_));
}

http::Response StatusPage::page_of(const http::Request& request) const {
  const auto [id, action] = path_parts(request.path);
  constexpr std::array<std::string_view, 5> kPages = {"decisions", "journal", "chart", "slow",
                                                      "slow-journal"};
  if (id.empty() || std::ranges::find(kPages, action) == kPages.end()) {
    return error_answer(unknown_page(request.path));
  }
  const ClockPair now{clock_.now(), clock_.wall_now()};
  const auto history = RevisionHistory::of(registry_, id);
  if (!history) return error_answer(unknown_name_of(id, cluster_.revisions()));
  if (action == "journal" || action == "chart") {
    auto page = action == "chart" ? chart_page(*history, request, now)
                                  : journal_page(*history, request, now);
    return page ? std::move(*page) : error_answer(page.error());
  }
  if (!history->is_listed()) return error_answer(unknown_name_of(id, cluster_.revisions()));
  const ScaledRevision* const revision = &history->leading();
  if (action == "decisions") return http::json_response(decisions_json(*revision, clock_.now()));
  if (!revision->slow) return error_answer(has_no_slow_brain(id));
  if (action == "slow-journal") return http::json_response(revision->slow->journal());
  const std::optional<Observation> seen = revision->journal.last_seen();
  const double load = seen ? seen->stable.total : 0;
  return http::json_response(
      revision->slow->page(revision->observed.listed(), revision->spec.total, load, clock_.now()));
}

http::Awaitable<http::Response> StatusPage::set_state(std::string path) {
  const RevisionPath asked = path_parts(path);
  const auto order = std::ranges::find(kStateOrders, asked.action, &StateOrder::action);
  if (asked.revision.empty() || order == kStateOrders.end()) {
    co_return error_answer(unknown_page(path));
  }
  const std::vector<RevisionId> meant =
      cluster::with_requests(cluster_.revisions(), asked.revision);
  if (meant.empty()) co_return error_answer(unknown_name_of(asked.revision, cluster_.revisions()));
  for (const RevisionId& id : meant) {
    const cluster::RevisionPtr listed = cluster_.revisions().find(id);
    const bool comes_back = order->state == cluster::RevisionState::kActive;
    if (listed != nullptr && listed->is_retired() && !comes_back) {
      co_return error_answer(is_retired(listed->service_id()));
    }
    const Result<void> result = co_await cluster_.set_state(id, order->state);
    if (!result) co_return error_answer(result.error());
    const RevisionId service = cluster::service_of(cluster_.revisions(), id);
    if (comes_back) {
      sys::log::info(order->done, {{"service", service.text()}, {"revision", id.text()}});
    } else {
      sys::log::info(order->done, {{"service", service.text()},
                                   {"revision", id.text()},
                                   {"hint", "`bellows resume " + service.text() + "` undoes it"}});
    }
  }
  http::Response done;
  done.status = 204;
  co_return done;
}

}  // namespace bellows::autoscaler
