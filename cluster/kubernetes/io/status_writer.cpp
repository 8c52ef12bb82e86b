#include "cluster/kubernetes/io/status_writer.hpp"

#include <algorithm>
#include <utility>

#include "base/sys/log.hpp"
#include "cluster/kubernetes/io/requests.hpp"
#include "kubernetes/core/patch.hpp"

namespace bellows::cluster {

namespace {

constexpr int kMaxStatusWrites = 8;
/// The longest sleep: a change that is due earlier may arrive meanwhile.
constexpr Duration kLook = std::chrono::milliseconds(250);

}  // namespace

StatusWriter::StatusWriter(const sys::Clock& clock, kubernetes::ApiClient& client,
                           http::TaskGroup& tasks, const Directory& directory, const Outage& outage,
                           std::function<Standing(const RevisionId&, const Record&)> standing)
    : clock_(clock),
      client_(client),
      tasks_(tasks),
      directory_(directory),
      outage_(outage),
      standing_(std::move(standing)) {}

void StatusWriter::look_at(const RevisionId& id) {
  const Record* record = directory_.find(id);
  if (record == nullptr) {
    schedule_.forget(id);
    told_.erase(id);
    return;
  }
  Told& told = told_[id];
  if (told.uid != record->object->meta.uid) {
    told = {.uid = record->object->meta.uid, .status = record->object->status};
  }
  const Standing standing = standing_(id, *record);
  const StatusObject status =
      status_of(*record, standing, told.status.conditions, clock_.wall_now());
  const auto change = change_of(told.status, status, is_moving(standing));
  if (!change) {
    schedule_.drop(id);
    return;
  }
  schedule_.changed(id, *change, clock_.now());
  if (std::exchange(is_writing_, true)) return;
  tasks_.spawn("statuses", [this] { return write_all(); });
}

http::Awaitable<void> StatusWriter::write_all() {
  for (;;) {
    while (under_way_ < kMaxStatusWrites && !outage_.since()) {
      const auto id = schedule_.take(clock_.now());
      if (!id) break;
      ++under_way_;
      tasks_.spawn("status of " + id->text(), [this, id] { return write(*id); });
    }
    const auto next = schedule_.next();
    if (!next) break;
    const TimePoint now = clock_.now();
    const TimePoint latest = now + kLook;
    const bool may_write = under_way_ < kMaxStatusWrites && !outage_.since();
    const TimePoint until = may_write ? std::clamp(*next, now, latest) : latest;
    const bool may_go_on = co_await http::sleep_until(until);
    if (!may_go_on) co_return;
  }
  is_writing_ = false;
}

http::Awaitable<void> StatusWriter::write(RevisionId id) {
  const Record* record = directory_.find(id);
  if (record == nullptr) {
    --under_way_;
    co_return;
  }
  const std::string uid = record->object->meta.uid;
  StatusObject status =
      status_of(*record, standing_(id, *record), told_[id].status.conditions, clock_.wall_now());
  kubernetes::ApiRequest request =
      patch_request(revisions_resource(), record->object->meta.ns, record->object->meta.name,
                    "status", {std::string(kubernetes::kJsonPatchType), status_patch(uid, status)});
  request.priority = kubernetes::Priority::kReport;
  const auto answer = co_await client_.call(std::move(request));
  --under_way_;
  const auto told = told_.find(id);
  if (told == told_.end() || told->second.uid != uid) co_return;
  if (answer) {
    told->second.status = std::move(status);
  } else if (answer.error().kind() != ErrorKind::kNotFound) {
    sys::log::warning("a status was not written", {{"error", to_string(answer.error())}});
  }
  look_at(id);  // what changed meanwhile, or the same again after a failure
}

}  // namespace bellows::cluster
