#include "kubernetes/core/object_meta.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <utility>
#include <vector>

#include "base/read_number.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

namespace {

std::string_view text_of(const boost::json::object& object, std::string_view key) {
  const boost::json::value* value = object.if_contains({key.data(), key.size()});
  const boost::json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
}

void keep_common(FieldSet& fields) {
  for (const std::string_view path :
       {"/metadata/name", "/metadata/namespace", "/metadata/uid", "/metadata/resourceVersion",
        "/metadata/generation", "/metadata/creationTimestamp", "/metadata/deletionTimestamp",
        "/metadata/labels", "/metadata/ownerReferences"}) {
    fields.keep(path);
  }
}

}  // namespace

std::string object_key(std::string_view ns, std::string_view name) {
  std::string key;
  key.reserve(ns.size() + 1 + name.size());
  if (!ns.empty()) key.append(ns).append("/");
  return key.append(name);
}

std::string object_key(const ObjectMeta& meta) {
  return object_key(meta.ns, meta.name);
}

ObjectName split_key(std::string_view key) {
  const auto slash = key.find('/');
  if (slash == std::string_view::npos) return {.ns = {}, .name = key};
  return {.ns = key.substr(0, slash), .name = key.substr(slash + 1)};
}

ObjectIdentity identity_of(const boost::json::object& object) {
  const boost::json::value* value = object.if_contains("metadata");
  const boost::json::object* metadata = value == nullptr ? nullptr : value->if_object();
  if (metadata == nullptr) return {};
  return {.key = object_key(text_of(*metadata, "namespace"), text_of(*metadata, "name")),
          .uid = std::string(text_of(*metadata, "uid")),
          .resource_version = std::string(text_of(*metadata, "resourceVersion"))};
}

bool is_older(std::string_view version, std::string_view than) {
  const auto a = read_number<std::uint64_t>(version);
  const auto b = read_number<std::uint64_t>(than);
  return a && b && *a < *b;
}

std::size_t hash_of(const SharedList<OwnerReference>& owners) {
  std::size_t hash = owners.size();
  for (const OwnerReference& owner : owners) hash = hash * 31 + std::hash<std::string>()(owner.uid);
  return hash;
}

const OwnerReference* ObjectMeta::controller() const {
  for (const OwnerReference& owner : owners) {
    if (owner.is_controller) return &owner;
  }
  return nullptr;
}

ObjectMeta read_meta(const Fields& object) {
  const Fields from = object.object("metadata");
  ObjectMeta meta;
  meta.name = from.text("name");
  if (meta.name.empty()) from.invalid("name", "a text that is not empty");
  meta.ns = from.text("namespace");
  meta.uid = from.text("uid");
  meta.resource_version = from.text("resourceVersion");
  meta.generation = from.integer("generation");
  meta.created = from.time("creationTimestamp").value_or(WallTime());
  meta.deleted = from.time("deletionTimestamp");
  meta.labels = from.map("labels");
  meta.annotations = from.map("annotations");
  std::vector<OwnerReference> owners;
  from.each("ownerReferences", [&owners](const Fields& owner) {
    owners.push_back({.api_version = owner.text("apiVersion"),
                      .kind = owner.text("kind"),
                      .name = owner.text("name"),
                      .uid = owner.text("uid"),
                      .is_controller = owner.flag("controller")});
  });
  meta.owners = SharedList(std::move(owners));
  return meta;
}

void keep_meta(FieldSet& fields) {
  keep_common(fields);
  fields.keep("/metadata/annotations");
  fields.drop("/metadata/annotations/kubectl.kubernetes.io~1last-applied-configuration");
}

void keep_pod_meta(FieldSet& fields) {
  keep_common(fields);
  fields.keep("/metadata/annotations/controller.kubernetes.io~1pod-deletion-cost");
}

}  // namespace bellows::kubernetes
