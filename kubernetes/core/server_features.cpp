#include "kubernetes/core/server_features.hpp"

#include <algorithm>
#include <charconv>

#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

namespace {

/// Returns the leading digits: "20" of "20+".
int leading_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

Result<ServerVersion> parse_version(std::string_view body) {
  BELLOWS_TRY(const auto document, parse_document(body));
  return read_document(*document, "version", [](const Fields& from) {
    ServerVersion version{.major = leading_number(from.view("major")),
                          .minor = leading_number(from.view("minor")),
                          .git_version = from.text("gitVersion")};
    if (version.major == 0) from.invalid("major", "a number as text");
    return version;
  });
}

bool has_native_sidecars(const ServerVersion& version) {
  constexpr int kFirstMinor = 29;
  return version.major > 1 || (version.major == 1 && version.minor >= kFirstMinor);
}

Result<std::set<std::string>> parse_group_list(std::string_view body) {
  BELLOWS_TRY(const auto document, parse_document(body));
  return read_document(*document, "APIGroupList", [](const Fields& from) {
    std::set<std::string> versions{"v1"};
    if (!from.has("groups")) from.invalid("groups", "a list");
    from.each("groups", [&versions](const Fields& group) {
      group.each("versions", [&versions](const Fields& version) {
        versions.insert(version.text("groupVersion"));
      });
    });
    return versions;
  });
}

Result<std::vector<ApiResource>> parse_resource_list(std::string_view body) {
  BELLOWS_TRY(const auto document, parse_document(body));
  return read_document(*document, "APIResourceList", [](const Fields& from) {
    std::vector<ApiResource> resources;
    if (!from.has("resources")) from.invalid("resources", "a list");
    from.each("resources", [&resources](const Fields& one) {
      ApiResource resource{.name = one.text("name"),
                           .kind = one.text("kind"),
                           .group = one.text("group"),
                           .version = one.text("version"),
                           .is_namespaced = one.flag("namespaced"),
                           .verbs = {}};
      one.each_text("verbs",
                    [&resource](std::string_view verb) { resource.verbs.emplace_back(verb); });
      resources.push_back(std::move(resource));
    });
    return resources;
  });
}

bool ServerFeatures::has(std::string_view group_version) const {
  return group_versions.contains(std::string(group_version));
}

std::optional<Resource> ServerFeatures::first_of(
    std::string_view group, std::string_view plural,
    std::initializer_list<std::string_view> versions) const {
  for (const std::string_view wanted : versions) {
    Resource resource{std::string(group), std::string(wanted), std::string(plural)};
    if (has(api_version(resource))) return resource;
  }
  return std::nullopt;
}

std::optional<Resource> ServerFeatures::endpoint_slices() const {
  return first_of("discovery.k8s.io", "endpointslices", {"v1", "v1beta1"});
}

std::optional<Resource> ServerFeatures::pod_disruption_budgets() const {
  return first_of("policy", "poddisruptionbudgets", {"v1", "v1beta1"});
}

std::optional<Resource> ServerFeatures::horizontal_pod_autoscalers() const {
  return first_of("autoscaling", "horizontalpodautoscalers", {"v2", "v2beta2", "v1"});
}

std::optional<Resource> ServerFeatures::scaled_objects() const {
  return first_of("keda.sh", "scaledobjects", {"v1alpha1"});
}

std::optional<Resource> ServerFeatures::pod_metrics() const {
  return first_of("metrics.k8s.io", "pods", {"v1beta1"});
}

bool ServerFeatures::may_have_watch_list() const {
  constexpr int kOnByDefault = 34;
  return version.major > 1 || version.minor >= kOnByDefault;
}

bool ServerFeatures::has_serving_condition() const {
  constexpr int kOnByDefault = 22;
  return has("discovery.k8s.io/v1") && (version.major > 1 || version.minor >= kOnByDefault);
}

bool ServerFeatures::has_pod_deletion_cost() const {
  constexpr int kOnByDefault = 22;
  return version.major > 1 || version.minor >= kOnByDefault;
}

bool ServerFeatures::has_ordered_namespace_deletion() const {
  constexpr int kOnByDefault = 33;
  return version.major > 1 || version.minor >= kOnByDefault;
}

}  // namespace bellows::kubernetes
