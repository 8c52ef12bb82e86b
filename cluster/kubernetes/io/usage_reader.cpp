#include "cluster/kubernetes/io/usage_reader.hpp"

#include <utility>

#include "base/sys/log.hpp"
#include "http/io/task_group.hpp"
#include "kubernetes/io/list_reader.hpp"

namespace bellows::cluster {

namespace {

/// The resolution of metrics-server.
constexpr Duration kPeriod = std::chrono::seconds(15);
/// What 100,000 pods of three containers have.
constexpr std::size_t kMaxAnswer = std::size_t{128} * 1024 * 1024;

constexpr std::string_view kNoApi =
    "the API server has no metrics.k8s.io/v1beta1 (metrics-server), so the usage of pods is not "
    "measured";

}  // namespace

UsageReader::UsageReader(const sys::Clock& clock, kubernetes::ApiClient& client, std::string ns,
                         OnReading on_reading)
    : clock_(clock), client_(client), ns_(std::move(ns)), on_reading_(std::move(on_reading)) {}

void UsageReader::use(const kubernetes::ServerFeatures& features) {
  resource_ = features.pod_metrics();
  is_discovered_ = true;
}

http::Awaitable<void> UsageReader::run() {
  Duration pause = Duration::zero();
  for (;;) {
    const bool may_go_on = co_await http::sleep_for(std::exchange(pause, kPeriod));
    if (!may_go_on) co_return;
    if (!is_discovered_) {
      pause = std::chrono::milliseconds(250);
    } else if (resource_) {
      take(co_await read(*resource_));
    } else {
      failed(std::string(kNoApi));
    }
  }
}

http::Awaitable<Result<PodUsages>> UsageReader::read(kubernetes::Resource resource) {
  kubernetes::ApiRequest request(kubernetes::ApiVerb::kList, std::move(resource), ns_);
  request.priority = kubernetes::Priority::kReport;
  request.max_answer_bytes = kMaxAnswer;
  PodUsages usages;
  const auto add = [&](const boost::json::object& item) -> Result<void> {
    BELLOWS_TRY(const kubernetes::PodMetrics measured, kubernetes::PodMetrics::from(item));
    if (const auto usage = usage_of(measured, clock_.wall_now())) {
      usages.emplace(kubernetes::object_key(measured.meta), *usage);
    }
    return {};
  };
  std::optional<Error> rejected;
  const auto reject = [&](const Error& error) {
    if (!rejected) rejected = error;
  };
  const auto read = co_await kubernetes::list_all(client_, std::move(request),
                                                  kubernetes::PodMetrics::fields(), add, reject);
  if (!read) co_return fail(read.error());
  if (rejected) {
    sys::log::warning("the usage of a pod is not used", {{"error", to_string(*rejected)}});
  }
  co_return usages;
}

void UsageReader::take(Result<PodUsages> read) {
  if (!read) return failed("the usage of pods cannot be read: " + to_string(read.error()));
  if (!std::exchange(problem_, {}).empty()) sys::log::info("the usage of pods is measured");
  read_at_ = clock_.now();
  on_reading_({.usages = *std::move(read), .problem = {}});
}

void UsageReader::failed(std::string problem) {
  if (problem_ != problem) {
    problem_ = problem;
    if (resource_) sys::log::warning("the usage of pods is unknown", {{"error", problem}});
  }
  if (read_at_ && clock_.now() - *read_at_ < kUsageAge) return;
  on_reading_({.usages = {}, .problem = std::move(problem)});
}

}  // namespace bellows::cluster
