#include "recommender/kubernetes/io/object_writer.hpp"

#include <chrono>
#include <optional>

#include "base/sys/log.hpp"
#include "kubernetes/core/patch.hpp"

namespace bellows::recommender {

namespace {

/// VPA has 10.
constexpr int kWriters = 16;
/// After it what is still under way is left to the next loop.
constexpr Duration kMostTime = std::chrono::minutes(1);
constexpr Duration kBetweenCheckpoints = std::chrono::milliseconds(20);

kubernetes::ApiRequest request_of(kubernetes::ApiVerb verb, kubernetes::Resource resource,
                                  std::string ns, std::string name = {},
                                  std::string subresource = {}) {
  kubernetes::ApiRequest request(verb, std::move(resource), std::move(ns), std::move(name),
                                 std::move(subresource));
  if (verb != kubernetes::ApiVerb::kDelete) request.query = "fieldManager=bellows-recommender";
  return request;
}

}  // namespace

ObjectWriter::ObjectWriter(http::net::io_context& io, const sys::Clock& clock,
                           kubernetes::ApiClient& client)
    : clock_(clock), client_(client), tasks_(io) {}

bool ObjectWriter::succeeded(const Result<std::string>& answer) {
  return succeeded(answer ? nullptr : &answer.error());
}

bool ObjectWriter::succeeded(const Error* error) {
  if (error == nullptr) return true;
  if (error->kind() == ErrorKind::kCancelled) return false;  // the program ends
  ++counters_.errors[std::string(to_string(error->kind()))];
  if (!is_told_) {
    sys::log::warning("an object cannot be written", {{"error", to_string(*error)}});
  }
  is_told_ = true;
  return false;
}

http::Awaitable<void> ObjectWriter::write_statuses(std::vector<StatusWrite> writes) {
  is_told_ = false;
  queue_ = std::move(writes);
  next_ = 0;
  for (int i = 0; i < kWriters && std::cmp_less(i, queue_.size()); ++i) {
    tasks_.spawn("status writer", [this] { return write_from_queue(); });
  }
  const auto joined = co_await tasks_.join(clock_.now() + kMostTime);
  if (joined) co_return;
  next_ = queue_.size();
  sys::log::warning("statuses are still being written", {{"error", to_string(joined.error())}});
}

http::Awaitable<void> ObjectWriter::write_from_queue() {
  while (next_ < queue_.size()) {
    StatusWrite write = std::move(queue_[next_++]);
    kubernetes::ApiRequest request =
        request_of(kubernetes::ApiVerb::kPatch, vertical_autoscalers(), std::move(write.ns),
                   std::move(write.name), write.is_comparison ? "" : "status");
    request.content_type = kubernetes::kMergePatchType;
    request.body = std::move(write.patch);
    const Result<std::string> answer = co_await client_.call(std::move(request));
    if (succeeded(answer)) ++(write.is_comparison ? counters_.comparisons : counters_.statuses);
  }
}

/// Patches the object, or makes it if there is none.
http::Awaitable<Result<void>> ObjectWriter::write(std::string ns, CheckpointWrite checkpoint) {
  kubernetes::ApiRequest patch = request_of(kubernetes::ApiVerb::kPatch, vertical_checkpoints(), ns,
                                            std::move(checkpoint.name));
  patch.content_type = kubernetes::kJsonPatchType;
  patch.body = std::move(checkpoint.patch);
  patch.priority = kubernetes::Priority::kReport;
  const Result<std::string> patched = co_await client_.call(std::move(patch));
  if (patched) co_return Result<void>();
  if (patched.error().kind() != ErrorKind::kNotFound) co_return fail(patched.error());
  kubernetes::ApiRequest create =
      request_of(kubernetes::ApiVerb::kCreate, vertical_checkpoints(), std::move(ns));
  create.body = std::move(checkpoint.object);
  create.priority = kubernetes::Priority::kReport;
  const Result<std::string> created = co_await client_.call(std::move(create));
  if (!created) co_return fail(created.error());
  co_return Result<void>();
}

http::Awaitable<void> ObjectWriter::write_checkpoints(ClusterState& state, TimePoint until) {
  is_told_ = false;
  const std::vector<std::string> keys = state.stale_checkpoints();
  for (const std::string& key : keys) {
    const std::string ns(kubernetes::split_key(key).ns);
    bool is_complete = true;
    std::vector<CheckpointWrite> writes = state.checkpoints_of(key, clock_.wall_now());
    for (CheckpointWrite& each : writes) {
      const Result<void> written = co_await write(ns, std::move(each));
      const bool is_written = succeeded(written ? nullptr : &written.error());
      if (is_written) ++counters_.checkpoints;
      is_complete = is_complete && is_written;
      const bool may_go_on = co_await http::sleep_for(kBetweenCheckpoints);
      if (!may_go_on) co_return;
    }
    if (is_complete) state.checkpoints_written(key, clock_.wall_now());
    if (clock_.now() >= until || !client_.may_write()) co_return;
  }
}

http::Awaitable<void> ObjectWriter::delete_checkpoints(
    std::vector<std::pair<std::string, std::string>> orphans) {
  for (auto& [ns, name] : orphans) {
    kubernetes::ApiRequest request = request_of(
        kubernetes::ApiVerb::kDelete, vertical_checkpoints(), std::move(ns), std::move(name));
    request.priority = kubernetes::Priority::kReport;
    const Result<std::string> answer = co_await client_.call(std::move(request));
    const bool is_gone = !answer && answer.error().kind() == ErrorKind::kNotFound;
    if (is_gone) continue;
    if (succeeded(answer)) ++counters_.deleted;
  }
}

}  // namespace bellows::recommender
