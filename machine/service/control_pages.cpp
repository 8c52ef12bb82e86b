#include "machine/service/control_pages.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "autoscaler/service/autoscaler_service.hpp"
#include "base/name_list.hpp"
#include "base/read_number.hpp"
#include "base/sys/log.hpp"
#include "base/timestamp_text.hpp"
#include "cluster/local/local_cluster.hpp"
#include "http/core/status.hpp"
#include "http/io/task_group.hpp"
#include "json/error_page.hpp"
#include "json/writer.hpp"
#include "metrics/stat.hpp"

namespace bellows::machine {

namespace {

constexpr std::string_view kServiceOrders = "/v1/control/services/";
/// The maximum time until the autoscaler sees that a service is paused: it is notified in the next
/// turn of the io thread.
constexpr Duration kPauseTime = std::chrono::seconds(2);

http::Response error_answer(const Error& error) {
  return http::json_response(json::error_page(error), http::status_of(error));
}

http::Response done() {
  return {.status = 204, .content_type = {}, .body = {}, .headers = {}};
}

Error invalid(const std::string& name, const std::string& value, const std::string& want) {
  return {ErrorKind::kMalformed, name, "\"" + value + "\": want " + want};
}

}  // namespace

ControlPages::ControlPages(cluster::LocalCluster& cluster,
                           autoscaler::AutoscalerService& autoscaler, const sys::Clock& clock,
                           MachineControls controls, std::string key)
    : cluster_(cluster),
      autoscaler_(autoscaler),
      clock_(clock),
      controls_(std::move(controls)),
      key_(std::move(key)) {}

void ControlPages::add_routes(http::ServiceServer& server, std::function<Duration()> drain_time) {
  using http::Awaitable;
  using http::Request;
  using http::Response;
  server.route("POST", std::string(kServiceOrders),
               [this](Request request) { return service_page(std::move(request)); });
  server.route("POST", "/v1/control/reload", [this](Request) { return reload(); });
  server.route("POST", "/v1/control/page", [this](Request) -> Awaitable<Response> {
    json::Writer writer;
    writer.integer("version", 1).text("key", key_);
    co_return http::json_response(writer.end_line());
  });
  if (!controls_.stop) return;
  server.route("POST", "/v1/control/stop",
               [this, drain_time = std::move(drain_time)](Request) -> Awaitable<Response> {
                 json::Writer writer;
                 writer.integer("version", 1).integer("at_most_ms", to_milliseconds(drain_time()));
                 controls_.stop();
                 co_return http::json_response(writer.end_line(), 202);
               });
}

Result<RevisionId> ControlPages::revision_of(const RevisionId& name) const {
  const cluster::RevisionPtr found = cluster::leading(cluster_.revisions(), name);
  if (found != nullptr) return found->id;
  std::vector<std::string> names;
  for (const cluster::RevisionPtr& revision : cluster_.revisions()) {
    const std::string& service = revision->service_id().text();
    if (std::ranges::find(names, service) == names.end()) names.push_back(service);
  }
  return fail(unknown_name("service", name.text(), names));
}

http::Awaitable<http::Response> ControlPages::service_page(http::Request request) {
  const std::string rest =
      request.path.substr(std::min(kServiceOrders.size(), request.path.size()));
  const std::size_t slash = rest.rfind('/');
  const std::string action = slash == std::string::npos ? "" : rest.substr(slash + 1);
  const auto known = revision_of(RevisionId(rest.substr(0, slash)));
  if (!known) co_return error_answer(known.error());
  const RevisionId& revision = *known;
  if (action == "logs") co_return logs_of(revision, request.parameter("after"));
  if (action == "wake") co_return wake(revision);
  if (action == "scale") co_return co_await scale(revision, request.parameter("replicas"));
  if (action == "restart") {
    const auto restarted = cluster_.restart(revision);
    if (!restarted) co_return error_answer(restarted.error());
    const RevisionId service = cluster::service_of(cluster_.revisions(), revision);
    sys::log::info("restarting", {{"service", service.text()}, {"revision", revision.text()}});
    co_return done();
  }
  co_return error_answer(
      {ErrorKind::kNotFound, request.path,
       "no such page, want POST /v1/control/services/NAME/logs, /wake, /scale or /restart"});
}

/// Has the autoscaler decide as for a request that waits.
http::Response ControlPages::wake(const RevisionId& revision) const {
  const cluster::RevisionPtr listed = cluster_.revisions().find(revision);
  const RevisionId service = cluster::service_of(cluster_.revisions(), revision);
  if (listed == nullptr || listed->is_paused() || listed->is_retired()) {
    return error_answer(
        {ErrorKind::kConflict, "service " + service.text(),
         "is paused or retired; want `bellows resume " + service.text() + "` before"});
  }
  autoscaler_.sink().accept(metrics::ScaleFromZeroTrigger{
      .revision = revision, .pod = PodName("activator-page"), .boot = 1, .waiting = 1});
  sys::log::info("woken by hand", {{"service", service.text()}, {"revision", revision.text()}});
  return done();
}

http::Response ControlPages::logs_of(const RevisionId& revision, const std::string& after) const {
  const auto output = cluster_.output(revision);
  if (!output) return error_answer(output.error());
  const auto seen = read_number<std::uint64_t>(after.empty() ? "0" : after);
  if (!seen) return error_answer(invalid("after", after, "the number of a line"));
  json::Writer writer;
  writer.integer("version", 1).text("revision", revision.text());
  writer.integer("last", (*output)->last_number());
  if (const auto* const scaled = autoscaler_.registry().find(revision)) {
    const std::string& trouble = scaled->observed.listed().failure_message;
    if (!trouble.empty()) writer.text("trouble", trouble);
    const autoscaler::StartFailures& failed = scaled->failed_starts;
    if (failed.count() > 0) writer.text("start_failure", failed.last());
  }
  writer.open_list("lines");
  for (const cluster::OutputLine& line : (*output)->lines()) {
    if (line.number <= *seen) continue;
    writer.open().integer("number", line.number).text("at", timestamp_text(line.at));
    writer.text("replica", line.replica.text());
    writer.text("stream", line.is_error ? "stderr" : "stdout").text("text", line.text).close();
  }
  return http::json_response(writer.close().end_line());
}

http::Awaitable<http::Response> ControlPages::scale(RevisionId revision, std::string replicas) {
  const auto wanted = read_number<PodCount>(replicas);
  const cluster::RevisionPtr listed = cluster_.revisions().find(revision);
  const PodCount most = listed == nullptr ? 0 : listed->settings.max_scale;
  if (!wanted || *wanted < 0 || (most > 0 && *wanted > most)) {
    co_return error_answer(invalid(
        "replicas", replicas,
        most > 0 ? "a number from 0 to " + std::to_string(most) + ", the max-scale of the service"
                 : "a number of replicas, 0 or more"));
  }
  const auto paused = co_await pause(revision);
  if (!paused) co_return error_answer(paused.error());
  // A variable, because g++ 12 frees a braced temporary within co_await.
  cluster::ScaleOrder order{.desired = *wanted, .drain_first = {}, .reason = "bellows scale"};
  const auto scaled = co_await cluster_.scale(revision, std::move(order));
  if (!scaled) co_return error_answer(scaled.error());
  const RevisionId service = cluster::service_of(cluster_.revisions(), revision);
  sys::log::info("scaled by hand",
                 {{"service", service.text()}, {"revision", revision.text()}, {"to", *wanted}});
  co_return done();
}

/// Pauses first, because a decision made meanwhile would revert the number.
http::Awaitable<Result<void>> ControlPages::pause(const RevisionId& service) {
  const auto set = co_await cluster_.set_state(service, cluster::RevisionState::kPaused);
  if (!set) co_return fail(set.error());
  const TimePoint deadline = clock_.now() + kPauseTime;
  const auto is_seen = [&] {
    const auto* scaled = autoscaler_.registry().find(service);
    return scaled != nullptr && scaled->observed.listed().is_paused();
  };
  while (!is_seen() && clock_.now() < deadline) {
    co_await http::sleep_for(std::chrono::milliseconds(1));
  }
  co_return Result<void>();
}

http::Awaitable<http::Response> ControlPages::reload() const {
  if (!controls_.reload) {
    co_return error_answer({ErrorKind::kUnsupported, "reload",
                            "`bellows run` has no settings file; `bellows up` has"});
  }
  const Reloaded reloaded = co_await controls_.reload();
  json::Writer writer;
  writer.integer("version", 1).open_list("done");
  for (const std::string& line : reloaded.done) writer.text(line);
  writer.close().open_list("errors");
  for (const std::string& line : reloaded.errors) writer.text(line);
  co_return http::json_response(writer.close().end_line());
}

}  // namespace bellows::machine
