#include "cluster/kubernetes/io/watches.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/object.hpp>

#include "base/sys/log.hpp"
#include "cluster/kubernetes/core/names.hpp"
#include "cluster/kubernetes/io/requests.hpp"
#include "kubernetes/core/autoscalers.hpp"
#include "kubernetes/core/endpoint_slice.hpp"
#include "kubernetes/core/fields.hpp"
#include "kubernetes/core/item_reader.hpp"
#include "kubernetes/core/object_store.hpp"
#include "kubernetes/io/discovery.hpp"

namespace bellows::cluster {

namespace {

using kubernetes::ObjectSink;
using kubernetes::ObjectStore;

constexpr Duration kKindRetry = std::chrono::minutes(1);
constexpr std::string_view kDeployments = "apps/Deployment";
constexpr std::string_view kScalers = "horizontalpodautoscalers";
constexpr std::string_view kScaledObjects = "scaledobjects";
constexpr std::string_view kSlices = "endpointslices";
constexpr std::string_view kDefinition = "customresourcedefinitions";
constexpr std::string_view kNamespace = "namespaces";
constexpr std::string_view kActivatorSlices = "endpointslices of activators";
/// The kinds without which nothing is joined.
constexpr std::array<std::string_view, 4> kAlways = {"revisions", kDeployments, "pods", "services"};

std::string kind_of(const TargetRef& target) {
  return std::string(target.group()) + "/" + target.kind;
}

TargetRef ref_of(const kubernetes::ScaleTargetRef& target) {
  TargetRef ref;
  if (!target.api_version.empty()) ref.api_version = target.api_version;
  if (!target.kind.empty()) ref.kind = target.kind;
  ref.name = target.name;
  return ref;
}

OtherScaler other(const kubernetes::HorizontalPodAutoscaler& scaler) {
  OtherScaler made{.kind = "HorizontalPodAutoscaler",
                   .ns = scaler.meta.ns,
                   .name = scaler.meta.name,
                   .target = target_key(scaler.meta.ns, ref_of(scaler.target)),
                   .min = scaler.min_replicas,
                   .made_by = {}};
  const kubernetes::OwnerReference* owner = scaler.meta.controller();
  if (owner != nullptr && owner->kind == "ScaledObject") made.made_by = owner->name;
  return made;
}

OtherScaler other(const kubernetes::ScaledObject& scaler) {
  return {.kind = "ScaledObject",
          .ns = scaler.meta.ns,
          .name = scaler.meta.name,
          .target = target_key(scaler.meta.ns, ref_of(scaler.target)),
          .min = scaler.min_replicas.value_or(0),
          .made_by = {}};
}

/// Returns the kind of `target`, if it has the subresource scale.
std::optional<kubernetes::Resource> scalable(const std::vector<kubernetes::ApiResource>& resources,
                                             const TargetRef& target) {
  for (const kubernetes::ApiResource& each : resources) {
    if (each.kind != target.kind || each.name.find('/') != std::string::npos) continue;
    const std::string scale = each.name + "/scale";
    if (std::ranges::find(resources, scale, &kubernetes::ApiResource::name) != resources.end()) {
      return kubernetes::resource_of(target.api_version, each.name);
    }
  }
  return std::nullopt;
}

}  // namespace

/// One kind: its objects, its informer, and what owns the informer's task.
class Watches::Watch final : public ObjectSink {
 public:
  Watch(Watches& owner, kubernetes::ListWatchOptions options, std::unique_ptr<ObjectSink> sink,
        std::function<void()> listed)
      : resource(options.resource),
        sink_(std::move(sink)),
        listed_(std::move(listed)),
        informer_(owner.client_, std::move(options), *this, owner.random_,
                  [name = to_string(resource)](const Error& error) {
                    sys::log::warning("an object cannot be used",
                                      {{"kind", name}, {"error", to_string(error)}});
                  }),
        tasks_(owner.io_) {}

  void start() {
    tasks_.spawn("watch of " + to_string(resource), [this] { return informer_.run(); });
  }
  void stop() { tasks_.stop(); }
  http::Awaitable<Result<void>> join(TimePoint deadline) { return tasks_.join(deadline); }
  /// Forgets all objects, as if the server had listed none.
  void clear() {
    sink_->list_begins();
    sink_->list_complete();
  }
  kubernetes::ListWatchStatus status() const { return informer_.status(); }
  ObjectSink& objects() { return *sink_; }
  bool has_listed() const { return has_listed_; }

  const kubernetes::FieldSet& fields() const override { return sink_->fields(); }
  Result<void> put(const boost::json::object& pruned) override { return sink_->put(pruned); }
  void remove(std::string_view ns, std::string_view name) override { sink_->remove(ns, name); }
  void list_begins() override { sink_->list_begins(); }
  void list_complete() override {
    sink_->list_complete();
    has_listed_ = true;
    listed_();
  }
  bool holds(std::string_view ns, std::string_view name, std::string_view uid,
             std::string_view resource_version) const override {
    return sink_->holds(ns, name, uid, resource_version);
  }

  const kubernetes::Resource resource;

 private:
  std::unique_ptr<ObjectSink> sink_;
  std::function<void()> listed_;
  bool has_listed_ = false;
  kubernetes::Informer informer_;
  http::TaskGroup tasks_;
};

Watches::Watches(http::net::io_context& io, kubernetes::ApiClient& client, Random& random,
                 std::string ns, Directory& directory, WatchCallbacks callbacks)
    : io_(io),
      client_(client),
      random_(random),
      ns_(std::move(ns)),
      directory_(directory),
      callbacks_(std::move(callbacks)),
      scales_(client, tasks_, directory, callbacks_.changed),
      tasks_(io) {}

Watches::~Watches() = default;

kubernetes::ListWatchOptions Watches::options_for(const kubernetes::Resource& resource) const {
  kubernetes::ListWatchOptions options;
  options.resource = resource;
  options.ns = ns_;
  options.try_watch_list = try_watch_list_;
  return options;
}

void Watches::start(std::string key, kubernetes::ListWatchOptions options,
                    std::unique_ptr<ObjectSink> sink, std::function<void()> listed) {
  auto watch =
      std::make_unique<Watch>(*this, std::move(options), std::move(sink), std::move(listed));
  Watch& started = *watch;
  watches_[std::move(key)] = std::move(watch);
  started.start();
}

void Watches::revision_changed(const RevisionObjectPtr& before, const RevisionObjectPtr& after) {
  callbacks_.revision(before, after);
  for (const RevisionObjectPtr& each : {before, after}) {
    if (!each) continue;
    const std::string target = target_key(each->meta.ns, each->target);
    need_kind(each->target);
    scales_.revision_changed(target);
    callbacks_.adoptable(target);
    // A labelled Deployment of this name waits for the Revision to be deleted.
    callbacks_.adoptable(std::string(kDeployments) + " " + kubernetes::object_key(each->meta));
  }
  callbacks_.changed();
}

void Watches::start_revisions() {
  auto sink = std::make_unique<ObjectStore<RevisionObject>>(
      [this](const RevisionObjectPtr& before, const RevisionObjectPtr& after) {
        revision_changed(before, after);
      });
  revisions_ = sink.get();
  start("revisions", options_for(revisions_resource()), std::move(sink), callbacks_.changed);
}

/// Watches one object without a namespace, which who may read only one namespace cannot read.
/// `changed` is a member of callbacks_.
void Watches::start_single(std::string_view key, kubernetes::Resource resource,
                           std::string_view name, const BareObjectCallback& changed) {
  if (!changed || !ns_.empty()) return;
  kubernetes::ListWatchOptions options = options_for(resource);
  options.field_selector = "metadata.name=" + std::string(name);
  start(std::string(key), std::move(options),
        std::make_unique<ObjectStore<kubernetes::BareObject>>(
            [&changed](const BareObjectPtr&, const BareObjectPtr& after) { changed(after); }),
        [] {});
}

void Watches::start_targets(const std::string& kind, const kubernetes::Resource& resource) {
  kinds_[kind] = resource;
  auto sink = std::make_unique<ObjectStore<kubernetes::ScaleTarget>>(
      [this, kind, resource](const TargetPtr& before, const TargetPtr& after) {
        scales_.target_changed({.name = kind, .resource = resource}, before, after);
        if (kind == kDeployments) {
          const kubernetes::ObjectMeta& meta = (after ? after : before)->meta;
          callbacks_.adoptable(kind + " " + kubernetes::object_key(meta));
        }
      });
  start(kind, options_for(resource), std::move(sink), [this, kind] { scales_.listed(kind); });
}

std::unique_ptr<ObjectSink> Watches::scaler_sink(const std::string& key) {
  const auto change = [this](const auto& before, const auto& after) {
    std::optional<OtherScaler> was;
    std::optional<OtherScaler> is;
    if (before) was = other(*before);
    if (after) is = other(*after);
    directory_.scaler_changed(was, is);
    callbacks_.changed();
  };
  if (key == kScalers) {
    return std::make_unique<ObjectStore<kubernetes::HorizontalPodAutoscaler>>(change);
  }
  return std::make_unique<ObjectStore<kubernetes::ScaledObject>>(change);
}

void Watches::follow_optional(const std::string& key,
                              std::optional<kubernetes::Resource> resource) {
  const auto known = watches_.find(key);
  if (known != watches_.end()) {
    if (resource && known->second->resource == *resource) return;
    known->second->stop();
    known->second->clear();
    ended_.push_back(std::move(known->second));
    watches_.erase(known);
  }
  if (resource) start(key, options_for(*resource), scaler_sink(key), callbacks_.changed);
}

void Watches::want_slices(std::string activators_ns) {
  activators_ns_ = std::move(activators_ns);
}

void Watches::start_slices(const std::string& key, const kubernetes::Resource& resource,
                           std::string ns) {
  kubernetes::ListWatchOptions options = options_for(resource);
  options.ns = std::move(ns);
  start(key, std::move(options),
        std::make_unique<ObjectStore<kubernetes::EndpointSlice>>(callbacks_.slice),
        callbacks_.changed);
}

/// Makes new watches for a server with another version of them.
void Watches::follow_slices(const kubernetes::ServerFeatures& features) {
  const auto resource = features.endpoint_slices();
  if (!activators_ns_ || !resource) return;
  const auto follow = [&](std::string_view name, const std::string& ns) {
    const std::string key(name);
    const auto known = watches_.find(key);
    if (known != watches_.end()) {
      if (known->second->resource == *resource) return;
      known->second->stop();
      known->second->clear();
      ended_.push_back(std::move(known->second));
      watches_.erase(known);
    }
    start_slices(key, *resource, ns);
  };
  follow(kSlices, ns_);
  if (!ns_.empty() && ns_ != *activators_ns_) follow(kActivatorSlices, *activators_ns_);
}

void Watches::follow(const kubernetes::ServerFeatures& features) {
  try_watch_list_ = features.may_have_watch_list();
  follow_optional(std::string(kScalers), features.horizontal_pod_autoscalers());
  follow_optional(std::string(kScaledObjects), features.scaled_objects());
  follow_slices(features);
  if (watches_.contains("revisions")) return;
  start_targets(std::string(kDeployments), kubernetes::deployments());
  start("pods", options_for(kubernetes::pods()),
        std::make_unique<ObjectStore<kubernetes::Pod>>(
            [this](const PodPtr& before, const PodPtr& after) {
              directory_.pod_changed(before, after);
              callbacks_.changed();
            }),
        callbacks_.changed);
  start("services", options_for(kubernetes::services()),
        std::make_unique<ObjectStore<kubernetes::Service>>(
            [this](const ServicePtr& before, const ServicePtr& after) {
              directory_.service_changed(before, after);
              callbacks_.changed();
            }),
        callbacks_.changed);
  start_revisions();
  start_single(kDefinition, {"apiextensions.k8s.io", "v1", std::string(kDefinition)}, kRevisionCrd,
               callbacks_.definition);
  if (!activators_ns_) return;
  start_single(kNamespace, kubernetes::namespaces(), *activators_ns_,
               callbacks_.activators_namespace);
}

void Watches::stop() {
  tasks_.stop();
  for (const auto& [key, watch] : watches_) watch->stop();
}

http::Awaitable<Result<void>> Watches::join(TimePoint deadline) {
  Result<void> joined = co_await tasks_.join(deadline);
  std::vector<Watch*> all;
  for (const auto& [key, watch] : watches_) all.push_back(watch.get());
  for (const auto& watch : ended_) all.push_back(watch.get());
  for (Watch* watch : all) {
    Result<void> one = co_await watch->join(deadline);
    if (!one) joined = std::move(one);
  }
  co_return joined;
}

bool Watches::all_listed() const {
  const auto has_listed = [&](std::string_view key) {
    const auto found = watches_.find(std::string(key));
    return found != watches_.end() && found->second->has_listed();
  };
  const auto is_listed_if_watched = [&](std::string_view key) {
    return !watches_.contains(std::string(key)) || has_listed(key);
  };
  return std::ranges::all_of(kAlways, has_listed) && is_listed_if_watched(kScalers) &&
         is_listed_if_watched(kActivatorSlices) && (!activators_ns_ || has_listed(kSlices));
}

std::vector<WatchedKind> Watches::statuses() const {
  std::vector<WatchedKind> statuses;
  for (const auto& [key, watch] : watches_) {
    statuses.push_back({.name = to_string(watch->resource),
                        .status = watch->status(),
                        .is_needed = key != kDefinition && key != kNamespace});
  }
  return statuses;
}

std::optional<kubernetes::Resource> Watches::resource_of(const TargetRef& target) const {
  const auto found = kinds_.find(kind_of(target));
  if (found == kinds_.end()) return std::nullopt;
  return found->second;
}

void Watches::need_kind(const TargetRef& target) {
  const std::string kind = kind_of(target);
  if (kinds_.contains(kind) || !missing_kinds_.insert(kind).second) return;
  tasks_.spawn("look-up of " + kind, [this, target] { return find_kind(target); });
}

/// Asks until the server has the kind: it may be installed later.
http::Awaitable<void> Watches::find_kind(TargetRef target) {
  const std::string kind = kind_of(target);
  for (;;) {
    const auto resources = co_await kubernetes::discover_resources(client_, target.api_version);
    const bool is_answered = resources || resources.error().kind() == ErrorKind::kNotFound;
    if (!is_answered) {
      sys::log::warning("a kind cannot be looked up",
                        {{"kind", kind}, {"error", to_string(resources.error())}});
    }
    const auto found = resources ? scalable(*resources, target) : std::nullopt;
    if (kinds_.contains(kind)) break;  // Deployments, whose watch has started meanwhile
    if (found) {
      start_targets(kind, *found);
      break;
    }
    if (is_answered) {
      directory_.kind_known(kind, "the server has no kind " + target.kind + " in apiVersion " +
                                      target.api_version + " with the subresource scale");
      callbacks_.changed();
    }
    const bool may_go_on = co_await http::sleep_for(kKindRetry);
    if (!may_go_on) co_return;
  }
  missing_kinds_.erase(kind);
}

void Watches::take_slice(const std::string& body) {
  const auto document = kubernetes::parse_document(body);
  const auto watch = watches_.find(std::string(kSlices));
  if (!document || watch == watches_.end()) return;
  const kubernetes::ObjectIdentity identity = kubernetes::identity_of(**document);
  const kubernetes::ObjectName name = kubernetes::split_key(identity.key);
  auto& store = static_cast<ObjectStore<kubernetes::EndpointSlice>&>(watch->second->objects());
  const auto known = store.find(name.ns, name.name);
  if (known && !kubernetes::is_older(known->meta.resource_version, identity.resource_version))
    return;
  if (const auto put = store.put(**document); !put) {
    sys::log::warning("the response to a write cannot be used",
                      {{"error", to_string(put.error())}});
  }
}

void Watches::take_revision(const std::string& body) {
  const auto document = kubernetes::parse_document(body);
  if (!document || revisions_ == nullptr) return;
  const kubernetes::ObjectIdentity identity = kubernetes::identity_of(**document);
  const Record* known = directory_.find(RevisionId(identity.key));
  if (known == nullptr ||
      !kubernetes::is_older(known->object->meta.resource_version, identity.resource_version)) {
    return;
  }
  if (const auto put = revisions_->put(**document); !put) {
    sys::log::warning("the response to a write cannot be used",
                      {{"error", to_string(put.error())}});
  }
}

}  // namespace bellows::cluster
