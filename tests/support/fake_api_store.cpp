#include "tests/support/fake_api_store.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/check.hpp"
#include "base/timestamp_text.hpp"
#include "json/writer.hpp"
#include "kubernetes/core/fields.hpp"
#include "tests/support/fake_api_patch.hpp"

namespace bellows::test {

using kubernetes::Resource;

namespace {

constexpr std::size_t kLoggedChanges = 20000;
constexpr std::size_t kPages = 100;  // that can be asked for
constexpr std::string_view kReplicasPath = R"({"f:spec":{"f:replicas":{}}})";

boost::json::value parsed(std::string_view text) {
  return boost::json::parse({text.data(), text.size()});
}

/// The object that a client sent; nothing if it is none.
std::optional<boost::json::object> object_in(std::string_view text) {
  boost::system::error_code error;
  boost::json::value value = boost::json::parse({text.data(), text.size()}, error);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

boost::json::object& member(boost::json::object& object, std::string_view key) {
  boost::json::value& value = object[key];
  if (!value.is_object()) value = boost::json::object();
  return value.get_object();
}

std::string text_of(const boost::json::object& object, std::string_view key) {
  const boost::json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string()
             ? std::string(value->get_string().data(), value->get_string().size())
             : std::string();
}

const boost::json::value& value_of(const boost::json::object& object, std::string_view key) {
  static const boost::json::value kNone;
  const boost::json::value* value = object.if_contains(key);
  return value == nullptr ? kNone : *value;
}

std::int64_t integer_of(const boost::json::value& object, std::string_view key,
                        std::int64_t missing) {
  const boost::json::object* members = object.if_object();
  const boost::json::value* value = members == nullptr ? nullptr : members->if_contains(key);
  return value != nullptr && value->is_int64() ? value->get_int64() : missing;
}

kubernetes::StringMap labels_of(const boost::json::object& object) {
  std::optional<Error> wrong_type;
  return kubernetes::Fields(object, "object", wrong_type).object("metadata").map("labels");
}

/// A custom resource may have it as text in its status, as most definitions say.
std::string selector_text(const boost::json::object& object) {
  std::optional<Error> wrong_type;
  const kubernetes::Fields fields(object, "object", wrong_type);
  const kubernetes::Fields spec = fields.object("spec");
  if (spec.is_object("selector")) {
    return kubernetes::Selector::read(spec.object("selector")).text();
  }
  return fields.object("status").text("selector");
}

/// Records who set spec.replicas, as managedFields does: one manager has the field.
void own_replicas(boost::json::object& object, const FakeApiWrite& write,
                  std::string_view subresource) {
  boost::json::value& all = member(object, "metadata")["managedFields"];
  if (!all.is_array()) all = boost::json::array();
  boost::json::array& entries = all.get_array();
  const auto is_owner = [](const boost::json::value& entry) {
    return entry.is_object() && value_of(entry.get_object(), "fieldsV1") == parsed(kReplicasPath);
  };
  entries.erase(std::remove_if(entries.begin(), entries.end(), is_owner), entries.end());
  boost::json::object entry{{"manager", write.manager},
                            {"operation", "Update"},
                            {"time", timestamp_text(write.now)},
                            {"fieldsV1", parsed(kReplicasPath)}};
  if (!subresource.empty()) entry["subresource"] = subresource;
  entries.push_back(std::move(entry));
}

FakeApiAnswer not_found(const FakeApiKind& kind, std::string_view name) {
  return api_status(404, "NotFound",
                    to_string(kind.resource) + " \"" + std::string(name) + "\" not found");
}

FakeApiAnswer conflict(const FakeApiKind& kind, std::string_view name) {
  return api_status(409, "Conflict",
                    "Operation cannot be fulfilled on " + to_string(kind.resource) + " \"" +
                        std::string(name) + "\": the object has been modified");
}

std::string scale_text(const boost::json::object& object) {
  const boost::json::object& meta = object.at("metadata").get_object();
  boost::json::object scale{{"kind", "Scale"}, {"apiVersion", "autoscaling/v1"}};
  boost::json::object& metadata = member(scale, "metadata");
  for (const char* key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const boost::json::value* value = meta.if_contains(key)) metadata[key] = *value;
  }
  // Zero is left out, as the API server does.
  const std::int64_t wanted = integer_of(value_of(object, "spec"), "replicas", 1);
  boost::json::object& spec = member(scale, "spec");
  if (wanted != 0) spec["replicas"] = wanted;
  member(scale, "status")["replicas"] = integer_of(value_of(object, "status"), "replicas", 0);
  member(scale, "status")["selector"] = selector_text(object);
  return boost::json::serialize(scale);
}

}  // namespace

FakeApiAnswer api_status(int code, std::string_view reason, std::string_view message) {
  return {.status = code,
          .body = bellows::json::Writer()
                      .text("kind", "Status")
                      .text("apiVersion", "v1")
                      .open("metadata")
                      .close()
                      .text("status", "Failure")
                      .text("message", message)
                      .text("reason", reason)
                      .integer("code", code)
                      .end()};
}

FakeApiStore::FakeApiStore() {
  add_kind({.resource = kubernetes::pods(), .kind = "Pod", .has_status = true});
  add_kind({.resource = kubernetes::services(), .kind = "Service", .has_status = true});
  add_kind({.resource = kubernetes::events(), .kind = "Event"});
  add_kind({.resource = kubernetes::namespaces(), .kind = "Namespace", .is_namespaced = false});
  for (const auto& [resource, kind] : {std::pair{kubernetes::deployments(), "Deployment"},
                                       std::pair{kubernetes::replica_sets(), "ReplicaSet"},
                                       std::pair{kubernetes::stateful_sets(), "StatefulSet"}}) {
    add_kind({.resource = resource, .kind = kind, .has_status = true, .has_scale = true});
  }
  add_kind({.resource = kubernetes::leases(), .kind = "Lease"});
  add_kind({.resource = {"discovery.k8s.io", "v1", "endpointslices"},
            .kind = "EndpointSlice",
            .other_versions = {"v1beta1"}});
  add_kind({.resource = {"autoscaling", "v2", "horizontalpodautoscalers"},
            .kind = "HorizontalPodAutoscaler",
            .has_status = true,
            .other_versions = {"v1", "v2beta2"}});
}

void FakeApiStore::add_kind(FakeApiKind kind) {
  const auto versions = std::exchange(kind.other_versions, {});
  for (const std::string& version : versions) {
    FakeApiKind other = kind;
    other.resource.version = version;
    kinds_[other.resource] = other;
  }
  kinds_[kind.resource] = std::move(kind);
}

const FakeApiKind* FakeApiStore::find_kind(const Resource& resource) const {
  const auto found = kinds_.find(resource);
  return found == kinds_.end() ? nullptr : &found->second;
}

const FakeApiStore::Stored* FakeApiStore::stored(const FakeApiKind& kind, std::string_view ns,
                                                 std::string_view name) const {
  const auto all = objects_.find(kind.kind);
  if (all == objects_.end()) return nullptr;
  const auto found = all->second.find(Key{ns, name});
  return found == all->second.end() ? nullptr : &found->second;
}

void FakeApiStore::put(const Resource& resource, const std::string& text) {
  const FakeApiKind* kind = find_kind(resource);
  CHECK(kind != nullptr, "the kind is served");
  store(*kind, parsed(text).get_object(), WallTime());
}

void FakeApiStore::remove(const Resource& resource, std::string_view ns, std::string_view name) {
  const FakeApiKind* kind = find_kind(resource);
  if (kind != nullptr && stored(*kind, ns, name) != nullptr) drop(*kind, Key{ns, name});
}

std::shared_ptr<const std::string> FakeApiStore::find(const Resource& resource, std::string_view ns,
                                                      std::string_view name) const {
  const FakeApiKind* kind = find_kind(resource);
  const Stored* found = kind == nullptr ? nullptr : stored(*kind, ns, name);
  return found == nullptr ? nullptr : found->text;
}

std::size_t FakeApiStore::count(const Resource& resource) const {
  const FakeApiKind* kind = find_kind(resource);
  const auto all = kind == nullptr ? objects_.end() : objects_.find(kind->kind);
  return all == objects_.end() ? 0 : all->second.size();
}

std::string FakeApiStore::store(const FakeApiKind& kind, boost::json::object object, WallTime now) {
  boost::json::object& meta = member(object, "metadata");
  const Key key{text_of(meta, "namespace"), text_of(meta, "name")};
  meta["resourceVersion"] = std::to_string(++version_);
  if (text_of(meta, "uid").empty()) meta["uid"] = "uid-" + std::to_string(++made_);
  if (text_of(meta, "creationTimestamp").empty()) meta["creationTimestamp"] = timestamp_text(now);
  object["kind"] = kind.kind;
  if (!object.contains("apiVersion")) object["apiVersion"] = api_version(kind.resource);
  Stored& place = objects(kind)[key];
  const Stored before = place;
  place = {.text = std::make_shared<const std::string>(boost::json::serialize(object)),
           .labels = labels_of(object)};
  log({.version = version_,
       .kind = &kind,
       .ns = key.first,
       .name = key.second,
       .object = place.text,
       .before = before.text,
       .labels = place.labels,
       .labels_before = before.labels});
  return *place.text;
}

void FakeApiStore::drop(const FakeApiKind& kind, const Key& key) {
  const auto found = objects(kind).find(key);
  const Stored before = found->second;
  objects(kind).erase(found);
  log({.version = ++version_,
       .kind = &kind,
       .ns = key.first,
       .name = key.second,
       .object = nullptr,
       .before = before.text,
       .labels = {},
       .labels_before = before.labels});
}

void FakeApiStore::log(FakeApiChange change) {
  changes_.push_back(std::move(change));
  if (changes_.size() > kLoggedChanges) {
    compacted_ = changes_.front().version;
    changes_.pop_front();
  }
  if (told_) told_();
}

void FakeApiStore::compact() {
  compacted_ = version_;
  changes_.clear();
}

void FakeApiStore::replace_data(std::uint64_t first_version) {
  objects_.clear();
  changes_.clear();
  pages_.clear();
  version_ = first_version;
  compacted_ = 0;
  if (told_) told_();
}

void FakeApiStore::changes_since(std::uint64_t version,
                                 const std::function<void(const FakeApiChange&)>& visit) const {
  const auto first = std::upper_bound(
      changes_.begin(), changes_.end(), version,
      [](std::uint64_t wanted, const FakeApiChange& change) { return wanted < change.version; });
  std::for_each(first, changes_.end(), visit);
}

std::vector<std::shared_ptr<const std::string>> FakeApiStore::matching(
    const FakeApiKind& kind, const ListOptions& options) const {
  std::vector<std::shared_ptr<const std::string>> found;
  const auto all = objects_.find(kind.kind);
  if (all == objects_.end()) return found;
  for (const auto& [key, one] : all->second) {
    const bool is_there = (options.ns.empty() || key.first == options.ns) &&
                          (options.name.empty() || key.second == options.name);
    if (is_there && options.labels.matches(one.labels)) found.push_back(one.text);
  }
  return found;
}

void FakeApiStore::each_matching(const FakeApiKind& kind, const ListOptions& options,
                                 const std::function<void(const std::string&)>& visit) const {
  for (const auto& text : matching(kind, options)) visit(*text);
}

FakeApiAnswer FakeApiStore::list(const FakeApiKind& kind, const ListOptions& options) {
  Page page{.rest = {}, .version = version_};
  if (!options.token.empty()) {
    const auto found = std::find_if(pages_.begin(), pages_.end(), [&options](const auto& one) {
      return one.first == options.token;
    });
    if (found == pages_.end() || found->second.version < compacted_) {
      return api_status(410, "Expired", "The provided continue parameter is too old");
    }
    page = found->second;
  } else {
    page.rest = matching(kind, options);
  }
  const std::size_t count =
      options.limit == 0 ? page.rest.size() : std::min(options.limit, page.rest.size());
  const std::size_t left = page.rest.size() - count;
  bellows::json::Writer head;
  head.text("kind", kind.kind + "List").text("apiVersion", api_version(kind.resource));
  head.open("metadata").text("resourceVersion", std::to_string(page.version));
  if (left > 0) {
    const std::string token = "page-" + std::to_string(++made_);
    head.text("continue", token).integer("remainingItemCount", left);
    const auto from = page.rest.begin() + static_cast<std::ptrdiff_t>(count);
    pages_.emplace_back(token, Page{.rest = {from, page.rest.end()}, .version = page.version});
    if (pages_.size() > kPages) pages_.pop_front();
  }
  FakeApiAnswer answer{.status = 200, .body = head.close().end()};
  answer.body.back() = ',';
  answer.body += "\"items\":[";
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) answer.body += ',';
    answer.body += *page.rest[i];
  }
  answer.body += "]}";
  return answer;
}

FakeApiAnswer FakeApiStore::get(const FakeApiKind& kind, std::string_view ns, std::string_view name,
                                std::string_view subresource) const {
  const Stored* found = stored(kind, ns, name);
  if (found == nullptr) return not_found(kind, name);
  if (subresource != "scale") return {.status = 200, .body = *found->text};
  return {.status = 200, .body = scale_text(parsed(*found->text).get_object())};
}

FakeApiAnswer FakeApiStore::create(const FakeApiKind& kind, std::string_view ns,
                                   const FakeApiWrite& write) {
  auto object = object_in(write.body);
  if (!object) return api_status(400, "BadRequest", "the body is no object");
  boost::json::object& meta = member(*object, "metadata");
  if (!ns.empty()) meta["namespace"] = ns;
  if (text_of(meta, "name").empty() && !text_of(meta, "generateName").empty()) {
    meta["name"] = text_of(meta, "generateName") + std::to_string(++made_);
  }
  const std::string name = text_of(meta, "name");
  if (name.empty()) return api_status(422, "Invalid", "name or generateName is required");
  if (stored(kind, ns, name) != nullptr) {
    return api_status(409, "AlreadyExists",
                      to_string(kind.resource) + " \"" + name + "\" already exists");
  }
  meta["uid"] = "uid-" + std::to_string(++made_);
  meta["generation"] = 1;
  meta.erase("creationTimestamp");
  if (kind.has_status) object->erase("status");
  if (kind.has_scale && value_of(*object, "spec").is_object()) own_replicas(*object, write, {});
  return {.status = 201, .body = store(kind, *std::move(object), write.now)};
}

FakeApiAnswer FakeApiStore::update(const FakeApiKind& kind, std::string_view ns,
                                   std::string_view name, std::string_view subresource,
                                   const FakeApiWrite& write) {
  const Stored* found = stored(kind, ns, name);
  if (found == nullptr) return not_found(kind, name);
  auto object = object_in(write.body);
  if (!object) return api_status(400, "BadRequest", "the body is no object");
  if (subresource == "scale") return write_scale(kind, *found, *object, write);
  return this->write(kind, *found, *std::move(object), subresource, write);
}

FakeApiAnswer FakeApiStore::patch(const FakeApiKind& kind, std::string_view ns,
                                  std::string_view name, std::string_view subresource,
                                  const FakeApiWrite& write) {
  const Stored* found = stored(kind, ns, name);
  if (found == nullptr) return not_found(kind, name);
  boost::json::value document = parsed(*found->text);
  if (subresource == "scale") document = parsed(scale_text(document.get_object()));
  Result<void> applied;
  if (write.content_type == "application/json-patch+json") {
    applied = apply_json_patch(document, write.body);
  } else if (write.content_type == "application/merge-patch+json" ||
             write.content_type == "application/strategic-merge-patch+json") {
    applied = apply_merge_patch(document, write.body);
  } else {
    return api_status(415, "UnsupportedMediaType", write.content_type + " is not supported");
  }
  if (!applied && applied.error().kind() == ErrorKind::kMalformed) {
    return api_status(400, "BadRequest", to_string(applied.error()));
  }
  if (!applied) {
    return api_status(422, "Invalid",
                      "the server rejected our request due to an error in our request");
  }
  if (subresource == "scale") return write_scale(kind, *found, document, write);
  return this->write(kind, *found, document.get_object(), subresource, write);
}

FakeApiAnswer FakeApiStore::write_scale(const FakeApiKind& kind, const Stored& before,
                                        const boost::json::value& scale,
                                        const FakeApiWrite& write) {
  boost::json::object object = parsed(*before.text).get_object();
  const std::string version = text_of(member(object, "metadata"), "resourceVersion");
  const std::string name = text_of(member(object, "metadata"), "name");
  if (!scale.is_object()) return api_status(400, "BadRequest", "the body is no Scale");
  const boost::json::value& meta = value_of(scale.get_object(), "metadata");
  const std::string named =
      meta.is_object() ? text_of(meta.get_object(), "resourceVersion") : std::string();
  if (!named.empty() && named != version) return conflict(kind, name);
  const std::int64_t replicas = integer_of(value_of(scale.get_object(), "spec"), "replicas", 0);
  if (replicas < 0) {
    return api_status(422, "Invalid", "spec.replicas: must be greater than or equal to 0");
  }
  member(object, "spec")["replicas"] = replicas;
  const FakeApiAnswer written = this->write(kind, before, std::move(object), "scale", write);
  if (written.status >= 300) return written;
  return {.status = 200, .body = scale_text(parsed(written.body).get_object())};
}

FakeApiAnswer FakeApiStore::write(const FakeApiKind& kind, const Stored& before,
                                  boost::json::object after, std::string_view subresource,
                                  const FakeApiWrite& write) {
  const boost::json::object old = parsed(*before.text).get_object();
  const boost::json::object& old_meta = old.at("metadata").get_object();
  boost::json::object& meta = member(after, "metadata");
  const std::string version = text_of(meta, "resourceVersion");
  if (!version.empty() && version != text_of(old_meta, "resourceVersion")) {
    return conflict(kind, text_of(old_meta, "name"));
  }
  const std::string uid = text_of(meta, "uid");
  if (!uid.empty() && uid != text_of(old_meta, "uid")) {
    return api_status(409, "Conflict", "Precondition failed: UID in object meta differs");
  }
  boost::json::object made = subresource == "status" ? old : std::move(after);
  if (subresource == "status") {
    made["status"] = value_of(after, "status");
  } else if (kind.has_status) {
    made["status"] = value_of(old, "status");
    if (made["status"].is_null()) made.erase("status");
  }
  boost::json::object& made_meta = member(made, "metadata");
  for (const char* key : {"name", "namespace", "uid", "creationTimestamp", "resourceVersion",
                          "generation", "deletionTimestamp", "managedFields"}) {
    made_meta.erase(key);
    if (const boost::json::value* value = old_meta.if_contains(key)) made_meta[key] = *value;
  }
  if (value_of(made, "spec") != value_of(old, "spec")) {
    made_meta["generation"] = integer_of(old.at("metadata"), "generation", 1) + 1;
    const auto replicas = [](const boost::json::object& one) {
      return integer_of(value_of(one, "spec"), "replicas", 1);
    };
    if (kind.has_scale && replicas(made) != replicas(old)) own_replicas(made, write, subresource);
  }
  made["kind"] = kind.kind;
  if (made == old) return {.status = 200, .body = *before.text};
  return {.status = 200, .body = store(kind, std::move(made), write.now)};
}

FakeApiAnswer FakeApiStore::erase(const FakeApiKind& kind, std::string_view ns,
                                  std::string_view name, const FakeApiWrite& write) {
  const Stored* found = stored(kind, ns, name);
  if (found == nullptr) return not_found(kind, name);
  boost::json::object object = parsed(*found->text).get_object();
  const boost::json::value& spec = value_of(object, "spec");
  const bool is_bound =
      kind.kind == "Pod" && spec.is_object() && !text_of(spec.get_object(), "nodeName").empty();
  if (is_bound && write.is_graceful) {
    boost::json::object& meta = member(object, "metadata");
    if (meta.contains("deletionTimestamp")) return {.status = 200, .body = *found->text};
    meta["deletionTimestamp"] = timestamp_text(write.now + std::chrono::seconds(30));
    meta["deletionGracePeriodSeconds"] = 30;
    return {.status = 200, .body = store(kind, std::move(object), write.now)};
  }
  FakeApiAnswer answer{.status = 200, .body = *found->text};
  drop(kind, Key{ns, name});
  return answer;
}

}  // namespace bellows::test
