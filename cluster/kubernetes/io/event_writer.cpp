#include "cluster/kubernetes/io/event_writer.hpp"

#include <utility>

#include "base/sys/log.hpp"
#include "cluster/kubernetes/core/names.hpp"
#include "cluster/kubernetes/io/requests.hpp"
#include "kubernetes/core/patch.hpp"

namespace bellows::cluster {

namespace {

constexpr std::size_t kMaxWaiting = 1000;
constexpr Duration kBetweenEvents = std::chrono::milliseconds(100);

struct What {
  std::string_view type;
  std::string reason;
  std::string message;
};

kubernetes::Event event_about(std::string_view api_version, std::string_view kind,
                              const kubernetes::ObjectMeta& about, What what) {
  kubernetes::Event event;
  event.object = {.api_version = std::string(api_version),
                  .kind = std::string(kind),
                  .ns = about.ns,
                  .name = about.name,
                  .uid = about.uid};
  event.type = what.type;
  event.reason = std::move(what.reason);
  event.message = std::move(what.message);
  event.component = std::string(kFieldManager);
  return event;
}

}  // namespace

EventWriter::EventWriter(const sys::Clock& clock, kubernetes::ApiClient& client,
                         http::TaskGroup& tasks, const Outage& outage)
    : clock_(clock), client_(client), tasks_(tasks), outage_(outage) {}

void EventWriter::normal(const RevisionObject& about, std::string reason, std::string message) {
  add(event_about(kApiVersion, kRevisionKind, about.meta,
                  {"Normal", std::move(reason), std::move(message)}));
}

void EventWriter::warning(const RevisionObject& about, std::string reason, std::string message) {
  add(event_about(kApiVersion, kRevisionKind, about.meta,
                  {"Warning", std::move(reason), std::move(message)}));
}

void EventWriter::normal_about_deployment(const kubernetes::ObjectMeta& about, std::string reason,
                                          std::string message) {
  add(event_about("apps/v1", "Deployment", about,
                  {"Normal", std::move(reason), std::move(message)}));
}

void EventWriter::warning_about_deployment(const kubernetes::ObjectMeta& about, std::string reason,
                                           std::string message) {
  add(event_about("apps/v1", "Deployment", about,
                  {"Warning", std::move(reason), std::move(message)}));
}

void EventWriter::add(kubernetes::Event event) {
  if (!is_writer_ || waiting_.size() >= kMaxWaiting) return;
  waiting_.push_back(std::move(event));
  if (std::exchange(is_writing_, true)) return;
  tasks_.spawn("events", [this] { return write_all(); });
}

http::Awaitable<void> EventWriter::write_all() {
  while (!waiting_.empty()) {
    if (!outage_.since()) {
      kubernetes::Event event = std::move(waiting_.front());
      waiting_.pop_front();
      co_await write(std::move(event));
    }
    const bool may_go_on = co_await http::sleep_for(kBetweenEvents);
    if (!may_go_on) co_return;
  }
  is_writing_ = false;
}

http::Awaitable<void> EventWriter::write(kubernetes::Event event) {
  const std::string ns = event.object.ns;
  const auto written = aggregator_.add(std::move(event), clock_.now(), clock_.wall_now());
  kubernetes::ApiRequest request(kubernetes::ApiVerb::kCreate, kubernetes::events(), ns);
  if (written.is_new) {
    request.body = event_json(written.event);
  } else {
    request = patch_request(kubernetes::events(), ns, written.event.meta.name, {},
                            {std::string(kubernetes::kMergePatchType), written.patch});
  }
  request.priority = kubernetes::Priority::kReport;
  const auto answer = co_await client_.call(std::move(request));
  if (answer) co_return;
  aggregator_.forget(written.event.meta.name);
  sys::log::debug("an event was not written", {{"error", to_string(answer.error())}});
}

}  // namespace bellows::cluster
