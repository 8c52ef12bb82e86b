#include "autoscaler/service/status_page.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "autoscaler/journal/journal_lines.hpp"
#include "autoscaler/service/status_json.hpp"
#include "base/sys/log.hpp"
#include "http/core/status.hpp"
#include "json/error_page.hpp"

namespace bellows::autoscaler {
namespace {

constexpr std::string_view kRevisions = "/v1/revisions/";

http::Response json_answer(std::string body, int status = 200) {
  http::Response response;
  response.status = status;
  response.content_type = "application/json";
  response.body = std::move(body);
  return response;
}

http::Response error_answer(const Error& error) {
  return json_answer(json::error_page(error), http::status_of(error));
}

/// NAME of "/v1/revisions/NAME/ACTION"; empty if the path is another.
RevisionId revision_of(std::string_view path, std::string_view action) {
  path.remove_prefix(std::min(path.size(), kRevisions.size()));
  if (!path.ends_with(action)) return {};
  path.remove_suffix(action.size());
  return path.find('/') == std::string_view::npos ? RevisionId(path) : RevisionId();
}

Error unknown_page(const std::string& path) {
  return {ErrorKind::kNotFound, path,
          "no such page, want /v1/revisions/NAME/decisions, /journal or /retire"};
}

Error unknown_revision(const RevisionId& revision) {
  return {ErrorKind::kNotFound, "revision \"" + revision.text() + "\"",
          "not one of those the cluster lists (/v1/status)"};
}

}  // namespace

StatusPage::StatusPage(const RevisionRegistry& registry, const ScaleApplier& applier,
                       cluster::Cluster& cluster, const sys::Clock& clock)
    : registry_(registry), applier_(applier), cluster_(cluster), clock_(clock) {}

void StatusPage::add_routes(http::ServiceServer& server) {
  using http::Awaitable;
  using http::Request;
  using http::Response;
  server.route("GET", "/v1/status", [this](Request) -> Awaitable<Response> { co_return status(); });
  server.route("GET", std::string(kRevisions),
               [this](Request request) -> Awaitable<Response> { co_return page_of(request.path); });
  server.route("POST", std::string(kRevisions),
               [this](Request request) { return retire(std::move(request.path)); });
}

http::Response StatusPage::status() const {
  return json_answer(status_json(registry_, applier_, clock_.now(), resources_));
}

http::Response StatusPage::page_of(const std::string& path) const {
  const bool is_journal = path.ends_with("/journal");
  const RevisionId id = revision_of(path, is_journal ? "/journal" : "/decisions");
  if (id.empty()) return error_answer(unknown_page(path));
  const ScaledRevision* revision = registry_.find(id);
  if (revision == nullptr) return error_answer(unknown_revision(id));
  return is_journal ? journal_of(*revision) : json_answer(decisions_json(*revision, clock_.now()));
}

http::Response StatusPage::journal_of(const ScaledRevision& revision) const {
  const Duration wall_ahead =
      clock_.wall_now().time_since_epoch() - clock_.now().time_since_epoch();
  http::Response response =
      json_answer(journal::journal_lines(revision.journal, revision.id(), wall_ahead));
  response.content_type = "application/jsonl";
  return response;
}

http::Awaitable<http::Response> StatusPage::retire(std::string path) {
  const RevisionId id = revision_of(path, "/retire");
  if (id.empty()) co_return error_answer(unknown_page(path));
  if (registry_.find(id) == nullptr) co_return error_answer(unknown_revision(id));
  const Result<void> result = co_await cluster_.set_state(id, cluster::RevisionState::kRetired);
  if (!result) co_return error_answer(result.error());
  sys::log::info("retired", {{"service", id.text()}});
  http::Response done;
  done.status = 204;
  co_return done;
}

}  // namespace bellows::autoscaler
