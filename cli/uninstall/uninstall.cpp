#include "cli/uninstall/uninstall.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <utility>

#include "base/duration_text.hpp"
#include "base/query.hpp"
#include "base/sys/clock.hpp"
#include "cli/uninstall/kinds.hpp"
#include "cluster/kubernetes/core/names.hpp"
#include "command/admin/run_blocking.hpp"
#include "http/io/task_group.hpp"
#include "json/writer.hpp"
#include "kubernetes/core/bare_object.hpp"
#include "kubernetes/core/fields.hpp"
#include "kubernetes/core/scale.hpp"
#include "kubernetes/io/discovery.hpp"

namespace bellows::cli {

namespace {

using namespace std::chrono_literals;
using kubernetes::ApiAnswer;
using kubernetes::ApiRequest;
using kubernetes::ApiVerb;
using kubernetes::EndpointSlice;
using kubernetes::Resource;

constexpr int kForbidden = 403;
constexpr int kMissing = 404;
constexpr Duration kLook = 500ms;
constexpr Duration kTold = 5s;
constexpr Duration kToldAgain = 30s;
constexpr std::size_t kMostTold = 5;  // lines of one progress report
/// A running autoscaler removes a slice within this time after replicas are ready, in two steps;
/// else this command removes it.
constexpr Duration kAutoscalersTurn = 15s;
/// Nodes follow the last slice within this time.
constexpr Duration kLateNodes = 5s;
/// A pod that has not started by then needs a person.
constexpr Duration kStartLimit = 10min;  // see its message
/// The control plane deletes what is in a namespace within this time, usually.
constexpr Duration kNamespaceLimit = 2min;

constexpr const char* kEmptyList = R"({"metadata":{},"items":[]})";
const std::string kPartOfBellows = "app.kubernetes.io/part-of=bellows";

Resource revisions() {
  return kubernetes::resource_of(cluster::kApiVersion, cluster::kRevisionPlural);
}

Result<void> success_of(const Result<ApiAnswer>& answer) {
  if (!answer) return fail(answer.error());
  if (!answer->is_success() && answer->http_status != kMissing) return fail(answer->error());
  return {};
}

/// Returns true if the API server is away or busy, so that it may answer later.
bool is_outage(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::kTimeout:
    case ErrorKind::kRefused:
    case ErrorKind::kReset:
    case ErrorKind::kOverloaded:
    case ErrorKind::kUnavailable:
      return true;
    default:
      return false;
  }
}

std::string selector_text(const kubernetes::Service& service) {
  std::string text;
  for (const auto& [key, value] : service.selector) {
    text += (text.empty() ? "" : ",") + key + "=" + value;
  }
  return text;
}

std::string key_of(const EndpointSlice& slice) {
  return kubernetes::object_key(slice.meta.ns, slice.service());
}

std::string labels_of(const EndpointSlice& slice) {
  return std::string(kubernetes::kServiceNameLabel) + "=" + std::string(slice.service());
}

}  // namespace

Result<void> Uninstall::run() {
  BELLOWS_CHECKED(look());
  const auto unserved = unserved_without_us(unserved_);
  if (unserved && !is_dry_run_) return fail(*unserved);
  BELLOWS_CHECKED(release());
  BELLOWS_CHECKED(start_all());
  BELLOWS_CHECKED(wait_for_slices());
  BELLOWS_CHECKED(remove_programs());
  if (unserved) return fail(*unserved);
  BELLOWS_CHECKED(changes_.refusals());
  if (!has_told_) {
    out_ << "There is nothing of Bellows on this cluster.\n";
  } else if (!is_dry_run_) {
    out_ << "Bellows is removed. Pods keep their queue-proxy, which works without it; `bellows "
            "uninject` removes it from manifests.\n";
  }
  return {};
}

void Uninstall::tell(const std::string& done, const std::string& what) {
  has_told_ = true;
  out_ << (is_dry_run_ ? "would be " : "") << done << ": " << what << std::endl;
}

void Uninstall::tell_waiting(const std::string& what) {
  out_ << "waiting: " << what << std::endl;
}

bool Uninstall::is_time_to_tell() {
  const TimePoint now = sys::system_clock().now();
  if (now - told_ < kTold) return false;
  told_ = now;
  return true;
}

void Uninstall::pause() {
  command::run_blocking(io_, http::sleep_for(kLook));
}

/// Returns false for the kinds of operators that a cluster lacks, so that nobody needs rights to
/// them.
bool Uninstall::has_kind(const Resource& resource) const {
  return features_.has(resource.group.empty() ? resource.version
                                              : resource.group + "/" + resource.version);
}

Result<ApiAnswer> Uninstall::list(const Resource& resource, const std::string& ns,
                                  const std::string& labels) {
  if (!has_kind(resource))
    return ApiAnswer{.http_status = kMissing, .body = kEmptyList, .description = {}};
  ApiRequest request(ApiVerb::kList, resource, ns);
  if (!labels.empty()) request.query = "labelSelector=" + percent_encoded(labels);
  BELLOWS_TRY(ApiAnswer answer, cluster_.send(std::move(request)));
  if (answer.http_status == kMissing) answer.body = kEmptyList;
  if (!answer.is_success() && answer.http_status != kMissing) return fail(answer.error());
  return answer;
}

Result<std::vector<EndpointSlice>> Uninstall::slices_of(const std::string& ns,
                                                        const std::string& labels) {
  BELLOWS_TRY(const ApiAnswer answer, list(slices_, ns, labels));
  return read_slice_list(answer.body);
}

/// Reads what there is to do.
Result<void> Uninstall::look() {
  BELLOWS_TRY(features_, command::run_blocking(io_, kubernetes::discover(cluster_.api())));
  const auto slices = features_.endpoint_slices();
  if (!slices) return fail(ErrorKind::kUnsupported, "the API server", "has no EndpointSlices");
  slices_ = *slices;
  BELLOWS_TRY(const ApiAnswer labelled,
              list(kubernetes::deployments(), {}, std::string(cluster::kAutoscaleLabel)));
  BELLOWS_TRY(labelled_, kubernetes::read_object_keys(labelled.body));
  BELLOWS_TRY(const ApiAnswer listed, list(revisions(), {}, {}));
  BELLOWS_TRY(revisions_, read_revision_list(listed.body));
  BELLOWS_TRY(ours_, slices_of({}, std::string(kubernetes::kSliceManagedByLabel) + "=" +
                                       std::string(cluster::kSliceManager)));
  targets_ = released_targets(revisions_, ours_);
  for (const ReleasedTarget& target : targets_) {
    BELLOWS_TRY(const auto replicas, replicas_of(target));
    if (replicas == 0) at_zero_.insert(to_string(target));
  }
  return look_at_services();
}

/// Finds Services of ours_ that nothing else serves: without a selector the control plane fills
/// none.
Result<void> Uninstall::look_at_services() {
  BELLOWS_TRY(const ApiAnswer answer, list(kubernetes::services(), {}, {}));
  BELLOWS_TRY(auto all, read_service_list(answer.body));
  std::map<std::string, kubernetes::Service> by_key;
  for (kubernetes::Service& each : all) {
    std::string key = kubernetes::object_key(each.meta);
    by_key.emplace(std::move(key), std::move(each));
  }
  for (const EndpointSlice& slice : ours_) {
    const auto found = by_key.find(key_of(slice));
    if (found == by_key.end()) continue;
    services_.insert(*found);
    if (!found->second.selector.empty()) continue;
    BELLOWS_TRY(const auto slices, slices_of(slice.meta.ns, labels_of(slice)));
    if (!is_served(slices)) unserved_.push_back(found->first);
  }
  return {};
}

/// Takes away the labels first, else the autoscaler would make the Revisions again.
Result<void> Uninstall::release() {
  for (const std::string& deployment : labelled_) {
    BELLOWS_CHECKED(remove_label(deployment));
    tell("unlabelled", "Deployment " + deployment);
  }
  for (const cluster::RevisionObject& revision : revisions_) {
    BELLOWS_CHECKED(remove(revisions(), kubernetes::object_key(revision.meta)));
  }
  return {};
}

Result<void> Uninstall::remove_label(const std::string& deployment) {
  return changes_.patch(kubernetes::deployments(), deployment, {},
                        json::Writer()
                            .open("metadata")
                            .open("labels")
                            .null(cluster::kAutoscaleLabel)
                            .close()
                            .close()
                            .end());
}

/// Returns nullopt for a kind that the server does not serve (any more). Asks once for each
/// apiVersion.
Result<std::optional<Resource>> Uninstall::resource_of(const cluster::TargetRef& target) {
  auto known = kinds_.find(target.api_version);
  if (known == kinds_.end()) {
    auto resources = command::run_blocking(
        io_, kubernetes::discover_resources(cluster_.api(), target.api_version));
    const bool is_missing = !resources && resources.error().kind() == ErrorKind::kNotFound;
    if (!resources && !is_missing) return fail(std::move(resources).error());
    known = kinds_
                .emplace(target.api_version, is_missing ? std::vector<kubernetes::ApiResource>()
                                                        : *std::move(resources))
                .first;
  }
  for (const kubernetes::ApiResource& each : known->second) {
    const bool is_it = each.kind == target.kind && each.name.find('/') == std::string::npos;
    if (is_it) return kubernetes::resource_of(target.api_version, each.name);
  }
  return std::nullopt;
}

/// Returns nullopt for a target that does not exist any more.
Result<std::optional<PodCount>> Uninstall::replicas_of(const ReleasedTarget& target) {
  BELLOWS_TRY(const auto resource, resource_of(target.target));
  if (!resource) return std::nullopt;
  const auto answer =
      cluster_.send(ApiRequest(ApiVerb::kGet, *resource, target.ns, target.target.name, "scale"));
  BELLOWS_CHECKED(success_of(answer));
  if (answer->http_status == kMissing) return std::nullopt;
  BELLOWS_TRY(const auto document, kubernetes::parse_document(answer->body));
  BELLOWS_TRY(const auto scale, kubernetes::Scale::from(*document));
  return scale.replicas;
}

/// Gives a target at zero its number back. A request may have started its first replica since
/// look().
Result<void> Uninstall::start(const ReleasedTarget& target) {
  BELLOWS_TRY(const auto replicas, replicas_of(target));
  const bool was_at_zero = at_zero_.erase(to_string(target)) > 0;
  if (!replicas || *replicas >= (was_at_zero ? target.replicas : 1)) return {};
  BELLOWS_CHECKED(set_replicas(target));
  tell("started",
       to_string(target) + " with " + std::to_string(target.replicas) +
           (target.replicas == 1 ? " replica" : " replicas") +
           (target.has_number ? "" : ", because its number before Bellows is 0 or unknown"));
  return {};
}

Result<void> Uninstall::set_replicas(const ReleasedTarget& target) {
  BELLOWS_TRY(const auto resource, resource_of(target.target));
  if (!resource) return {};
  return changes_.patch(
      *resource, kubernetes::object_key(target.ns, target.target.name), "scale",
      json::Writer().open("spec").integer("replicas", target.replicas).close().end());
}

Result<void> Uninstall::start_all() {
  for (const ReleasedTarget& target : targets_) BELLOWS_CHECKED(start(target));
  return {};
}

/// Returns true if the slice is gone. An autoscaler removes it; without one this command does, once
/// the Service's own pods have been ready for long enough, or where there is no Service.
Result<bool> Uninstall::is_over(Wait& wait) {
  const EndpointSlice& slice = wait.slice;
  BELLOWS_TRY(const auto all, slices_of(slice.meta.ns, labels_of(slice)));
  const bool is_there = std::ranges::any_of(
      all, [&](const EndpointSlice& each) { return each.meta.uid == slice.meta.uid; });
  const TimePoint now = sys::system_clock().now();
  if (!is_served(all)) {
    wait.served_since.reset();
  } else if (!wait.served_since) {
    wait.served_since = now;
  }
  if (!is_there) return true;
  const bool has_service = services_.contains(key_of(slice));
  const bool is_left = wait.served_since && now - *wait.served_since >= kAutoscalersTurn;
  if (has_service && !is_left) return false;
  BELLOWS_CHECKED(remove(slices_, kubernetes::object_key(slice.meta)));
  return true;
}

/// Returns what keeps the Service from its pods. It only tells, so an error is told too.
std::string Uninstall::delay_of_service(const Wait& wait) {
  if (wait.served_since) return "its pods are ready, callers are moving to them";
  const auto service = services_.find(key_of(wait.slice));
  if (service == services_.end() || service->second.selector.empty()) return "no ready endpoint";
  const auto listed = list(kubernetes::pods(), wait.slice.meta.ns, selector_text(service->second));
  const auto pods = listed ? read_pod_list(listed->body) : tl::unexpected(listed.error());
  if (!pods) return "no ready pod: " + to_string(pods.error());
  const sys::Clock& clock = sys::system_clock();
  return "no ready pod: " + delay_of(*pods, {.now = clock.now(), .wall = clock.wall_now()});
}

/// Every 5 s if something has changed, else every 30 s.
void Uninstall::tell_delays(const std::vector<Wait>& waits, TimePoint end) {
  if (!is_time_to_tell()) return;
  std::vector<std::string> delays;
  const std::size_t told = std::min(waits.size(), kMostTold);
  for (std::size_t i = 0; i < told; ++i) {
    delays.push_back("Service " + key_of(waits[i].slice) + ": " + delay_of_service(waits[i]));
  }
  if (waits.size() > told) delays.push_back(std::to_string(waits.size() - told) + " more Services");
  if (delays == delays_ && told_ - delays_told_ < kToldAgain) return;
  for (const std::string& delay : delays) {
    tell_waiting(delay + "; " + rounded_duration_text(std::max(end - told_, Duration())) + " left");
  }
  delays_told_ = told_;
  delays_ = std::move(delays);
}

/// Takes those out of `waits` that are over, and starts what is at zero if any is left.
Result<void> Uninstall::follow_slices(std::vector<Wait>& waits) {
  for (Wait& wait : waits) {
    if (wait.is_over) continue;  // told before an outage
    BELLOWS_TRY(wait.is_over, is_over(wait));
    if (!wait.is_over || !services_.contains(key_of(wait.slice))) continue;
    tell(wait.served_since ? "served by its own pods" : "without endpoints, its slice is gone",
         "Service " + key_of(wait.slice));
  }
  std::erase_if(waits, [](const Wait& wait) { return wait.is_over; });
  return waits.empty() ? Result<void>() : start_all();
}

Result<void> Uninstall::wait_for_slices() {
  if (is_dry_run_) {
    for (const EndpointSlice& slice : ours_) {
      const std::string key = kubernetes::object_key(slice.meta);
      BELLOWS_CHECKED(changes_.remove(slices_, key));
      tell("deleted", "EndpointSlice " + key + ", once pods of the Service are ready");
    }
    return {};
  }
  std::vector<Wait> waits;
  for (const EndpointSlice& slice : ours_) waits.push_back({.slice = slice});
  const TimePoint end = sys::system_clock().now() + kStartLimit;
  told_ = sys::system_clock().now();
  if (!waits.empty()) {
    tell_waiting(
        "for ready pods, 10 minutes at most; Ctrl-C ends it, a second run goes on from here");
  }
  for (;;) {
    const Result<void> seen = follow_slices(waits);
    if (!seen && !is_outage(seen.error())) return seen;
    if (waits.empty()) break;
    if (sys::system_clock().now() > end)
      return fail(seen ? never_served(waits.front()) : seen.error());
    if (seen) {
      tell_delays(waits, end);
    } else if (is_time_to_tell()) {
      tell_waiting(to_string(seen.error()));
    }
    pause();
  }
  const TimePoint quiet = sys::system_clock().now() + kLateNodes;
  while (!ours_.empty() && sys::system_clock().now() < quiet) pause();
  return {};
}

Error Uninstall::never_served(const Wait& wait) {
  return {ErrorKind::kTimeout, "Service " + key_of(wait.slice),
          delay_of_service(wait) +
              ", for 10 minutes; the programs stay until it has one. Correct the pod and run this "
              "again; if nobody needs the Service: kubectl -n " +
              wait.slice.meta.ns + " delete endpointslice " + wait.slice.meta.name};
}

/// Returns the namespaces with programs of Bellows or with what belongs to them, and that of the
/// flags: a chart may have another one, and two installations have two.
Result<std::set<std::string>> Uninstall::namespaces_of_programs() {
  std::set<std::string> found = {namespaced_name(cluster_.flags().autoscaler, "").value().ns};
  for (const Resource& kind : kinds_of_programs()) {
    BELLOWS_TRY(const ApiAnswer listed, list(kind, {}, kPartOfBellows));
    BELLOWS_TRY(const auto keys, kubernetes::read_object_keys(listed.body));
    for (const std::string& key : keys) found.emplace(kubernetes::split_key(key).ns);
  }
  return found;
}

/// Pods are injected no more, then the programs go before their rights, and the kind before its
/// namespace.
Result<void> Uninstall::remove_programs() {
  BELLOWS_TRY(const std::set<std::string> namespaces, namespaces_of_programs());
  for (const Resource& kind : kinds_of_injection()) BELLOWS_CHECKED(remove_all(kind, {}));
  for (const std::string& ns : namespaces) {
    for (const Resource& kind : kinds_of_programs()) BELLOWS_CHECKED(remove_all(kind, ns));
    if (const auto budgets = features_.pod_disruption_budgets()) {
      BELLOWS_CHECKED(remove_all(*budgets, ns));
    }
  }
  BELLOWS_CHECKED(remove_definition());
  for (const Resource& kind : kinds_around_programs()) BELLOWS_CHECKED(remove_all(kind, {}));
  BELLOWS_TRY(const ApiAnswer listed, list(kubernetes::namespaces(), {}, kPartOfBellows));
  BELLOWS_TRY(const auto ours, kubernetes::read_object_keys(listed.body));
  for (const std::string& ns : namespaces) {
    if (std::ranges::find(ours, ns) != ours.end()) BELLOWS_CHECKED(remove_namespace(ns));
  }
  return {};
}

Result<void> Uninstall::remove_definition() {
  const Resource definitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
  const std::string name(cluster::kRevisionCrd);
  const auto found = cluster_.send(ApiRequest(ApiVerb::kGet, definitions, "", name));
  if (found && found->http_status == kMissing) return {};
  return remove(definitions, name);
}

/// A namespace with objects of others stays, because it would take them with it.
Result<void> Uninstall::remove_namespace(const std::string& ns) {
  BELLOWS_TRY(const std::string foreign, foreign_objects(ns));
  if (!foreign.empty()) {
    tell("kept", "namespaces " + ns + ", which has " + foreign +
                     "; if nothing needs them: kubectl delete namespace " + ns);
    return {};
  }
  BELLOWS_CHECKED(remove(kubernetes::namespaces(), ns));
  return is_dry_run_ ? Result<void>() : wait_for_namespace(ns);
}

/// Returns "configmaps a, b; secrets c". What the user may not list counts as foreign.
Result<std::string> Uninstall::foreign_objects(const std::string& ns) {
  std::string all;
  for (const Resource& kind : kinds_of_users()) {
    BELLOWS_TRY(const ApiAnswer answer, cluster_.send(ApiRequest(ApiVerb::kList, kind, ns)));
    if (answer.http_status == kMissing) continue;
    std::string names = "that you may not list";
    if (answer.http_status != kForbidden) {
      if (!answer.is_success()) return fail(answer.error());
      BELLOWS_TRY(names, foreign_names(answer.body));
    }
    if (!names.empty()) all += (all.empty() ? "" : "; ") + to_string(kind) + " " + names;
  }
  return all;
}

Result<void> Uninstall::wait_for_namespace(const std::string& ns) {
  const TimePoint end = sys::system_clock().now() + kNamespaceLimit;
  told_ = sys::system_clock().now();
  for (;;) {
    const auto answer = cluster_.send(ApiRequest(ApiVerb::kGet, kubernetes::namespaces(), {}, ns));
    const Result<void> seen = success_of(answer);
    if (!seen && !is_outage(seen.error())) return seen;
    if (seen && answer->http_status == kMissing) return {};
    if (sys::system_clock().now() > end) {
      return fail(ErrorKind::kTimeout, "namespace " + ns,
                  "is still being deleted after 2 minutes; all else is removed. Its conditions "
                  "have the reason: kubectl get namespace " +
                      ns + " -o yaml");
    }
    if (is_time_to_tell()) tell_waiting("namespace " + ns + " is being deleted");
    pause();
  }
}

Result<void> Uninstall::remove_all(const Resource& resource, const std::string& ns) {
  BELLOWS_TRY(const ApiAnswer listed, list(resource, ns, kPartOfBellows));
  BELLOWS_TRY(const auto keys, kubernetes::read_object_keys(listed.body));
  for (const std::string& key : keys) BELLOWS_CHECKED(remove(resource, key));
  return {};
}

Result<void> Uninstall::remove(const Resource& resource, const std::string& key) {
  BELLOWS_TRY(const bool was_there, changes_.remove(resource, key));
  if (was_there) tell("deleted", kubernetes::to_string(resource) + " " + key);
  return {};
}

}  // namespace bellows::cli
