#include "cluster/kubernetes/io/scale_writer.hpp"

#include <algorithm>
#include <utility>

#include <boost/json/object.hpp>

#include "base/duration_text.hpp"
#include "base/query.hpp"
#include "base/sys/log.hpp"
#include "cluster/kubernetes/core/adoption.hpp"
#include "cluster/kubernetes/core/names.hpp"
#include "cluster/kubernetes/core/scale_patch.hpp"
#include "cluster/kubernetes/core/target_scale.hpp"
#include "cluster/kubernetes/io/requests.hpp"
#include "kubernetes/core/item_reader.hpp"
#include "kubernetes/core/managed_fields.hpp"
#include "kubernetes/core/patch.hpp"
#include "kubernetes/core/scale.hpp"

namespace bellows::cluster {

namespace {

using namespace std::chrono_literals;

constexpr Duration kTimeout = 10s;
/// Marking takes one call a pod. Beyond this many the others end in Kubernetes' own order.
constexpr std::size_t kMaxVictims = 50;
constexpr std::string_view kVictimCost = "-100";
constexpr Duration kBetweenDrains = 5s;
constexpr const char* kReleased =
    "the label of its Deployment is gone, so it is about to be deleted";

/// Ends the exclusive time of one Revision's order, while the writer lives.
class UnderWay {
 public:
  UnderWay(std::set<RevisionId>& ids, RevisionId id, Lifetime::Observer writer)
      : ids_(ids), id_(std::move(id)), writer_(std::move(writer)) {
    ids_.insert(id_);
  }
  ~UnderWay() {
    if (writer_) ids_.erase(id_);
  }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

 private:
  std::set<RevisionId>& ids_;
  RevisionId id_;
  const Lifetime::Observer writer_;
};

/// Gives `request` priority over reads and reports.
kubernetes::ApiRequest as_order(kubernetes::ApiRequest request) {
  request.priority = kubernetes::Priority::kOrder;
  request.timeout = kTimeout;
  return request;
}

/// Returns false if the number may have been written although no response arrived.
bool is_known(const Result<void>& result) {
  if (result) return true;
  const ErrorKind kind = result.error().kind();
  return kind != ErrorKind::kTimeout && kind != ErrorKind::kReset;
}

Result<void> conflict(const RevisionId& id, std::string message) {
  return fail(ErrorKind::kConflict, "revision " + id.text(), std::move(message));
}

Result<void> replaced(const RevisionId& id) {
  return conflict(id, "its target was replaced while it was scaled");
}

/// Returns true if nobody else has written the number that the target asks for.
bool is_our_number(const Record& record) {
  return record.written && record.written->replicas == record.requested();
}

/// Returns true if the label of its Deployment is gone, so the Revision is about to be deleted.
bool is_being_released(const Record& record) {
  const auto next = adoption(record.target.get(), {record.object.get()}, nullptr);
  return next && next->kind == Adoption::Kind::kRelease;
}

/// Returns an error if the answer to a list of one name does not have the Revision as it is known.
Result<void> still_scales(const RevisionObject& known, const std::string& body) {
  BELLOWS_TRY(const auto listed, kubernetes::read_list<RevisionObject>(body));
  const RevisionId id(kubernetes::object_key(known.meta));
  for (const RevisionObject& now : listed) {
    if (now.meta.uid != known.meta.uid || now.meta.deleted) continue;
    return now.state == known.state ? Result<void>() : conflict(id, "its spec.state has changed");
  }
  return conflict(id, "it was deleted");
}

}  // namespace

ScaleWriter::ScaleWriter(Parts parts) : parts_(std::move(parts)) {}

/// Returns the number to write for `desired`; nullopt: none. An error: nothing may be written.
Result<std::optional<PodCount>> ScaleWriter::number_for(const RevisionId& id, const Record& record,
                                                        PodCount desired) const {
  for (const Finding& finding : record.findings) {
    if (finding.stops_scaling) {
      return fail(ErrorKind::kConflict, "revision " + id.text(), finding.message);
    }
  }
  const PodCount current = record.requested();
  std::optional<PodCount> number = desired;
  if (record.object->shares_with_hpa) {
    number = shared_order(current, desired, record.shared_with ? record.shared_with->min : 1);
  }
  if (number && is_being_released(record)) {
    if (*number < current) return fail(ErrorKind::kConflict, "revision " + id.text(), kReleased);
    if (current == 0) number = std::max(*number, replicas_before(record.object->meta));
  }
  if (!number || *number == current) return std::optional<PodCount>();
  const auto orders = orders_.find(id);
  const TimePoint now = parts_.clock.now();
  if (orders != orders_.end() && orders->second.set_back.next_order(now) > now) {
    return fail(ErrorKind::kConflict, "revision " + id.text(),
                set_back_by(id) + "; the next order is in " +
                    rounded_duration_text(orders->second.set_back.next_order(now) - now));
  }
  return number;
}

http::Awaitable<Result<void>> ScaleWriter::when_reachable(bool is_down) {
  for (;;) {
    switch (parts_.outage.may_order(is_down, parts_.clock.now())) {
      case Outage::Answer::kSend:
        co_return Result<void>();
      case Outage::Answer::kUnreachable:
        co_return fail(ErrorKind::kUnavailable, "the API server", "cannot be reached");
      case Outage::Answer::kUnconfirmed:
        co_return fail(ErrorKind::kUnavailable, "the API server",
                       "is reachable again, but its lists are not confirmed yet; until then "
                       "nothing is scaled down");
      case Outage::Answer::kTooEarly:
        break;
    }
    const bool may_go_on = co_await http::sleep_until(parts_.outage.ready_at());
    if (!may_go_on) co_return fail(ErrorKind::kCancelled, "an order", "we are shutting down");
  }
}

http::Awaitable<Result<void>> ScaleWriter::order(RevisionId id, ScaleOrder order) {
  const Record* record = parts_.directory.find(id);
  if (record == nullptr) {
    co_return fail(ErrorKind::kNotFound, "revision " + id.text(), "is not listed");
  }
  if (!record->is_joined) co_return conflict(id, "its target and pods are unknown yet");
  BELLOWS_CO_TRY(const std::optional<PodCount> number, number_for(id, *record, order.desired));
  if (!number) co_return Result<void>();
  if (!record->target) co_return conflict(id, "its target was deleted");
  if (under_way_.contains(id)) co_return conflict(id, "another order is under way");
  const UnderWay under_way(under_way_, id, lifetime_.observe());
  parts_.directory.scale_begins(id);
  const std::string target_uid = record->target->meta.uid;
  const bool is_down = *number < record->requested();
  Result<void> result = co_await when_reachable(is_down);
  if (result && is_down) {
    result = co_await order_fewer(id, order, target_uid, *number);
  } else if (result) {
    result = co_await order_more(id, target_uid, *number);
  }
  parts_.directory.scale_ended(id, is_known(result));
  finished(id, *number, order.reason, result);
  co_return result;
}

const Record* ScaleWriter::find(const RevisionId& id, const std::string& target_uid) const {
  const Record* record = parts_.directory.find(id);
  const bool is_same = record && record->target && record->target->meta.uid == target_uid;
  return is_same ? record : nullptr;
}

http::Awaitable<Result<void>> ScaleWriter::write(RevisionId id, std::string target_uid,
                                                 Change change) {
  const Record* record = find(id, target_uid);
  if (record == nullptr) co_return replaced(id);
  if (change.seen == change.desired) co_return Result<void>();
  if (change.desired < change.seen && record->object->is_leaving) {
    co_return conflict(id, "it was deleted");
  }
  Result<kubernetes::ApiAnswer> answer = co_await patch(*record, change);
  if (!answer) co_return fail(std::move(answer).error());
  if (answer->http_status == 409 || answer->http_status == 422) {
    co_return co_await after_conflict(id, std::move(target_uid), change);
  }
  co_return taken(id, *answer);
}

http::Awaitable<Result<void>> ScaleWriter::order_more(RevisionId id, std::string target_uid,
                                                      PodCount number) {
  const Record* record = find(id, target_uid);
  if (record == nullptr) co_return replaced(id);
  const Change change{.seen = record->requested(), .desired = number};
  co_return co_await write(id, std::move(target_uid), change);
}

/// Reads the response to an accepted patch.
Result<void> ScaleWriter::taken(const RevisionId& id, const kubernetes::ApiAnswer& answer) {
  if (!answer.is_success()) return fail(answer.error());
  BELLOWS_TRY(const kubernetes::Scale scale, read_scale(answer.body));
  orders_[id].set_back.wrote(parts_.clock.now());
  parts_.directory.scale_written(id, scale.replicas, scale.meta.resource_version);
  return {};
}

/// A test of the patch has failed: the list is behind, or another client has written.
http::Awaitable<Result<void>> ScaleWriter::after_conflict(RevisionId id, std::string target_uid,
                                                          Change change) {
  const auto [seen, desired] = change;
  const Record* record = find(id, target_uid);
  if (record == nullptr) co_return replaced(id);
  const std::string name = target_name(record->object->target);
  // The right to read a target is there; that to read its /scale only where it must be read.
  const bool has_number = record->target != nullptr && !leaves_to_scale(*record->target);
  kubernetes::ApiRequest request = as_order(kubernetes::ApiRequest(
      kubernetes::ApiVerb::kGet, resource_of(*record), record->object->meta.ns,
      record->object->target.name, has_number ? "" : "scale"));
  BELLOWS_CO_TRY(const std::string body, co_await parts_.client.call(std::move(request)));
  BELLOWS_CO_TRY(const kubernetes::Scale scale, read_scale(body));
  record = find(id, target_uid);
  if (record == nullptr || scale.meta.uid != target_uid) co_return replaced(id);
  const bool is_ours = record->written && record->written->replicas == scale.replicas;
  // Nobody has written: the server writes zero in another way than we tested.
  const bool is_zero = seen == 0 && scale.replicas == 0;
  if (is_zero) has_zero_ = !has_zero_;
  if (is_zero || (is_ours && scale.replicas != seen && scale.replicas != desired)) {
    const Change again{.seen = scale.replicas, .desired = desired};
    Result<kubernetes::ApiAnswer> answer = co_await patch(*record, again);
    if (!answer) co_return fail(std::move(answer).error());
    co_return taken(id, *answer);
  }
  if (scale.replicas == desired) co_return Result<void>();
  co_return conflict(id, name + " asks for " + std::to_string(scale.replicas) +
                             " replicas now; the order was made for " + std::to_string(seen));
}

kubernetes::Resource ScaleWriter::resource_of(const Record& record) const {
  return parts_.watches.resource_of(record.object->target).value_or(kubernetes::deployments());
}

http::Awaitable<Result<kubernetes::ApiAnswer>> ScaleWriter::patch(const Record& record,
                                                                  Change change) {
  return parts_.client.send(as_order(patch_request(
      resource_of(record), record.object->meta.ns, record.object->target.name, "scale",
      {std::string(kubernetes::kJsonPatchType),
       scale_patch(record.target->meta.uid, change.seen, change.desired, has_zero_)})));
}

void ScaleWriter::finished(const RevisionId& id, PodCount desired, const std::string& reason,
                           const Result<void>& result) {
  const Record* record = parts_.directory.find(id);
  if (record == nullptr) return;
  std::string& error = orders_[id].error;
  const std::string before = std::exchange(error, result ? "" : to_string(result.error()));
  if (result) {
    parts_.events.normal(
        *record->object, "SuccessfulRescale",
        "New size: " + std::to_string(desired) + (reason.empty() ? "" : "; reason: " + reason));
  } else if (result.error().kind() != ErrorKind::kConflict && before != error) {
    parts_.events.warning(*record->object, "FailedRescale",
                          "New size: " + std::to_string(desired) + "; error: " + error);
  }
  parts_.changed(id);
}

/// Returns the pods of a record that are not gone.
static Revision pods_of(const Record& record) {
  Revision revision;
  for (const auto& [name, member] : record.members) {
    if (member.replica && member.replica->phase != ReplicaPhase::kGone) {
      revision.replicas.push_back(member.replica);
    }
  }
  return revision;
}

/// Chooses the pods that end before it writes the number. Without kept pods the number matters more
/// than the choice.
http::Awaitable<Result<void>> ScaleWriter::order_fewer(RevisionId id, ScaleOrder order,
                                                       std::string target_uid, PodCount number) {
  BELLOWS_CO_TRY(const PodCount seen, co_await number_to_lower(id, target_uid));
  const Record* record = find(id, target_uid);
  if (record == nullptr) co_return replaced(id);
  Revision revision = pods_of(*record);
  const std::string danger = endangers_kept(revision, order, has_deletion_cost_);
  if (!danger.empty()) co_return conflict(id, danger);
  if (has_deletion_cost_) {
    number = std::max(number, in_steps(revision, order, kMaxVictims));
    const bool are_kept = !order.keep.empty();
    const bool are_marked = co_await mark_victims(id, std::move(revision), std::move(order));
    if (are_kept && !are_marked) {
      co_return fail(ErrorKind::kUnavailable, "revision " + id.text(),
                     "the pods that should end were not marked, and others are occupied");
    }
  }
  const Change change{.seen = seen, .desired = number};
  co_return co_await write(id, std::move(target_uid), change);
}

/// Returns the number that the target asks for. If another client has set it, the Revision is read
/// first: who deletes or pauses it and then sets a number must not lose that number because the
/// list of Revisions is behind that of the targets.
http::Awaitable<Result<PodCount>> ScaleWriter::number_to_lower(RevisionId id,
                                                               std::string target_uid) {
  const Record* record = find(id, target_uid);
  if (record == nullptr) co_return fail(replaced(id).error());
  const PodCount seen = record->requested();
  if (is_our_number(*record)) co_return seen;
  const RevisionObjectPtr known = record->object;
  kubernetes::ApiRequest request = as_order(
      kubernetes::ApiRequest(kubernetes::ApiVerb::kList, revisions_resource(), known->meta.ns));
  request.query = "fieldSelector=" + percent_encoded("metadata.name=" + known->meta.name);
  BELLOWS_CO_TRY(const std::string body, co_await parts_.client.call(std::move(request)));
  BELLOWS_CO_CHECKED(still_scales(*known, body));
  co_return seen;
}

http::Awaitable<bool> ScaleWriter::mark_victims(RevisionId id, Revision revision,
                                                ScaleOrder order) {
  const Record* record = parts_.directory.find(id);
  if (record == nullptr) co_return false;
  std::vector<PodName> chosen = victims(revision, order);
  if (chosen.size() > kMaxVictims) chosen.resize(kMaxVictims);
  // Pods that an earlier order marked and that did not end get the common cost back.
  std::vector<std::pair<std::string, bool>> marks;
  for (const auto& [name, member] : record->members) {
    const bool is_victim = std::ranges::find(chosen, PodName(name)) != chosen.end();
    const bool is_marked = member.pod->meta.annotations.get(kDeletionCostAnnotation) == kVictimCost;
    if (is_victim != is_marked) marks.emplace_back(name, is_victim);
  }
  const std::string ns = record->object->meta.ns;
  bool are_marked = true;
  for (const auto& [pod, is_victim] : marks) {
    const bool is_written = co_await mark(ns, pod, is_victim);
    are_marked = are_marked && is_written;
  }
  co_return are_marked;
}

http::Awaitable<bool> ScaleWriter::mark(std::string ns, std::string pod, bool is_victim) {
  const std::string cost(kVictimCost);
  kubernetes::ApiRequest request = as_order(patch_request(
      kubernetes::pods(), std::move(ns), std::move(pod), {},
      {std::string(kubernetes::kMergePatchType),
       kubernetes::annotation_patch(kDeletionCostAnnotation, is_victim ? &cost : nullptr)}));
  const auto answer = co_await parts_.client.call(std::move(request));
  if (!answer) {
    sys::log::warning("a pod was not marked for removal", {{"error", to_string(answer.error())}});
  }
  co_return answer.has_value();
}

void ScaleWriter::drain(const RevisionId& id) {
  const Record* record = parts_.directory.find(id);
  const TimePoint now = parts_.clock.now();
  if (record == nullptr || record->requested() == 0 || under_way_.contains(id)) return;
  Orders& orders = orders_[id];
  if (now < orders.next_drain) return;
  orders.next_drain = now + kBetweenDrains;
  parts_.tasks.spawn("drain of " + id.text(), [this, id] { return write_zero(id); });
}

http::Awaitable<void> ScaleWriter::write_zero(RevisionId id) {
  // It has a name, because g++ 12 destroys an aggregate twice that is made within a co_await.
  ScaleOrder to_zero{.desired = 0, .drain_first = {}, .reason = "retired"};
  const auto drained = co_await order(id, std::move(to_zero));
  if (!drained) {
    sys::log::warning("a retired revision was not drained",
                      {{"revision", id.text()}, {"error", to_string(drained.error())}});
  }
}

void ScaleWriter::set_back(const RevisionId& id) {
  Orders& orders = orders_[id];
  const TimePoint now = parts_.clock.now();
  const Record* record = parts_.directory.find(id);
  sys::log::info("another client has changed the number of replicas",
                 {{"revision", id.text()}, {"replicas", record ? record->requested() : 0}});
  if (orders.set_back.set_back(now)) {
    orders.set_back_by = "another program sets the number of replicas back";
    parts_.tasks.spawn("manager of " + id.text(), [this, id] { return find_manager(id); });
  }
  parts_.changed(id);
}

/// Sends one GET of the whole target: its managedFields are never kept.
http::Awaitable<void> ScaleWriter::find_manager(RevisionId id) {
  const Record* record = parts_.directory.find(id);
  if (record == nullptr) co_return;
  kubernetes::ApiRequest request(kubernetes::ApiVerb::kGet, resource_of(*record),
                                 record->object->meta.ns, record->object->target.name);
  const std::string name = target_name(record->object->target);
  const auto body = co_await parts_.client.call(std::move(request));
  record = parts_.directory.find(id);
  if (!body || record == nullptr) co_return;
  const auto manager = kubernetes::manager_of(*body, "/spec/replicas", kFieldManager);
  std::string who = "another program";
  if (manager && *manager) who = "the field manager \"" + (*manager)->name + "\"";
  std::string text = who + " sets spec.replicas of " + name +
                     " back; take replicas out of its manifest, or set spec.state to Paused";
  parts_.events.warning(*record->object, "ReplicasSetBack", text);
  sys::log::warning("the number of replicas is set back", {{"revision", id.text()}, {"by", who}});
  orders_[id].set_back_by = std::move(text);
  parts_.changed(id);
}

http::Awaitable<Result<void>> ScaleWriter::restore(std::string ns, std::string name,
                                                   std::string uid, PodCount replicas) {
  kubernetes::ApiRequest request = as_order(patch_request(
      kubernetes::deployments(), std::move(ns), std::move(name), "scale",
      {std::string(kubernetes::kJsonPatchType), scale_patch(uid, 0, replicas, has_zero_)}));
  const auto answer = co_await parts_.client.call(std::move(request));
  if (!answer) co_return fail(answer.error());
  co_return Result<void>();
}

void ScaleWriter::forget(const RevisionId& id) {
  orders_.erase(id);
}

std::string ScaleWriter::error_of(const RevisionId& id) const {
  const auto found = orders_.find(id);
  return found == orders_.end() ? std::string() : found->second.error;
}

std::string ScaleWriter::set_back_by(const RevisionId& id) const {
  const auto found = orders_.find(id);
  if (found == orders_.end() || !found->second.set_back.is_slow(parts_.clock.now())) return {};
  return found->second.set_back_by;
}

}  // namespace bellows::cluster
