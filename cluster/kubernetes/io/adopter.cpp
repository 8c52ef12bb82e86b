#include "cluster/kubernetes/io/adopter.hpp"

#include <utility>
#include <vector>

#include "base/sys/log.hpp"
#include "cluster/kubernetes/core/names.hpp"
#include "cluster/kubernetes/io/requests.hpp"
#include "json/writer.hpp"

namespace bellows::cluster {

namespace {

using namespace std::chrono_literals;

constexpr Duration kAdoptAgain = 5s;
/// The list shows a write within this time, or the Deployment is looked at again.
constexpr Duration kReadAgain = 30s;
/// A limit, so that hundreds of labels at once leave room for orders and statuses in the rate
/// limit.
constexpr std::size_t kMaxAdoptions = 8;

}  // namespace

Adopter::Adopter(const sys::Clock& clock, kubernetes::ApiClient& client, http::TaskGroup& tasks,
                 const Directory& directory, ScaleWriter& scale, EventWriter& events)
    : clock_(clock),
      client_(client),
      tasks_(tasks),
      directory_(directory),
      scale_(scale),
      events_(events) {}

void Adopter::act() {
  waiting_.merge(delayed_);
  delayed_.clear();
  start_waiting();
}

void Adopter::start_waiting() {
  while (!waiting_.empty() && under_way_ < kMaxAdoptions) {
    act_on(waiting_.extract(waiting_.begin()).value());
  }
}

void Adopter::act_on(const std::string& key) {
  const TargetPtr deployment = directory_.find_target(key);
  std::vector<const RevisionObject*> revisions;
  for (const RevisionId& id : directory_.revisions_of(key)) {
    revisions.push_back(directory_.find(id)->object.get());
  }
  const Record* same_name =
      deployment ? directory_.find(RevisionId(kubernetes::object_key(deployment->meta))) : nullptr;
  std::optional<Adoption> adoption = cluster::adoption(
      deployment.get(), revisions, same_name == nullptr ? nullptr : same_name->object.get());
  const bool is_refused = adoption && adoption->kind == Adoption::Kind::kRefuse;
  if (is_refused) {
    refuse(key, deployment->meta, adoption->message);
  } else {
    refused_.erase(key);
  }
  if (!adoption || is_refused) {
    not_before_.erase(key);
    return;
  }
  const TimePoint now = clock_.now();
  const auto not_before = not_before_.find(key);
  if (not_before != not_before_.end() && now < not_before->second) {
    delayed_.insert(key);
    return;
  }
  not_before_[key] = now + kReadAgain;
  ++under_way_;
  tasks_.spawn("adoption of " + key, [this, key, deployment, what = *std::move(adoption)] {
    return carry_out(key, deployment, what);
  });
}

void Adopter::refuse(const std::string& key, const kubernetes::ObjectMeta& deployment,
                     const std::string& message) {
  if (std::exchange(refused_[key], message) == message) return;
  events_.warning_about_deployment(deployment, "NotAdopted", message);
  sys::log::warning("a labelled Deployment is not adopted", {{"target", key}, {"reason", message}});
}

/// Who applies a manifest without the label finds out why nothing is scaled any more.
void Adopter::tell_release(const kubernetes::ObjectMeta& deployment,
                           std::optional<PodCount> restored) {
  const std::string number =
      restored ? "; it has its " + std::to_string(*restored) + " replicas from before back" : "";
  const std::string label(deployment.labels.get(kAutoscaleLabel));
  events_.normal_about_deployment(
      deployment, "Released",
      "its label " + std::string(kAutoscaleLabel) +
          (label.empty() ? " is gone" : " is \"" + label + "\" and not \"true\"") +
          ", so its Revision is deleted and Bellows does not scale it any more" + number +
          "; put the label into its manifest if that was not meant");
}

http::Awaitable<void> Adopter::carry_out(std::string key, TargetPtr deployment, Adoption adoption) {
  const bool creates = adoption.kind == Adoption::Kind::kCreate;
  const std::optional<PodCount> restored = adoption.replicas;
  const Result<void> done = co_await write(deployment->meta.uid, std::move(adoption));
  if (done && !creates) tell_release(deployment->meta, restored);
  --under_way_;
  delayed_.insert(key);
  start_waiting();
  // A conflict: it existed already, or is another one by now. The list shows it.
  if (done || done.error().kind() == ErrorKind::kConflict ||
      done.error().kind() == ErrorKind::kNotFound) {
    co_return;
  }
  not_before_[key] = clock_.now() + kAdoptAgain;
  sys::log::warning(
      creates ? "a labelled Deployment was not adopted" : "a Deployment was not released",
      {{"target", key}, {"error", to_string(done.error())}});
}

http::Awaitable<Result<void>> Adopter::write(std::string deployment_uid, Adoption adoption) {
  if (adoption.replicas) {
    const Result<void> restored = co_await scale_.restore(
        adoption.ns, adoption.name, std::move(deployment_uid), *adoption.replicas);
    // A conflict: the number has changed, so another client has set it.
    if (!restored && restored.error().kind() != ErrorKind::kConflict) {
      co_return fail(restored.error());
    }
  }
  const bool creates = adoption.kind == Adoption::Kind::kCreate;
  kubernetes::ApiRequest request(
      creates ? kubernetes::ApiVerb::kCreate : kubernetes::ApiVerb::kDelete, revisions_resource(),
      adoption.ns);
  request.priority = kubernetes::Priority::kReport;
  if (creates) {
    request.query = "fieldManager=" + std::string(kFieldManager);
    request.body = adoption.body;
  } else {
    request.name = adoption.name;
    request.body = json::Writer().open("preconditions").text("uid", adoption.uid).close().end();
  }
  const auto answer = co_await client_.call(std::move(request));
  if (!answer) co_return fail(answer.error());
  co_return Result<void>();
}

}  // namespace bellows::cluster
