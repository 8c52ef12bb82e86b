#include "tests/support/fake_api_discovery.hpp"

#include <map>
#include <set>

#include "json/writer.hpp"

namespace bellows::test {

bool is_served(const FakeApiKind& kind, int minor_version) {
  const std::string version = api_version(kind.resource);
  if (version == "discovery.k8s.io/v1") return minor_version >= 21;
  if (version == "discovery.k8s.io/v1beta1") return minor_version < 25;
  if (version == "autoscaling/v2") return minor_version >= 23;
  if (version == "autoscaling/v2beta2") return minor_version < 26;
  return true;
}

std::optional<FakeApiAnswer> page_of(const FakeApiPages& pages, const std::string& path,
                                     const std::string& accept) {
  const auto page = pages.find(path);
  if (page == pages.end()) return std::nullopt;
  const auto& [type, body] = page->second;
  if (accept != type && accept != "*/*") return api_status(406, "NotAcceptable", "only " + type);
  return FakeApiAnswer{.status = 200, .body = body};
}

std::optional<FakeApiAnswer> discover(const FakeApiStore& store, int minor_version,
                                      const std::string& path) {
  bellows::json::Writer writer;
  if (path == "/version") {
    const std::string minor = std::to_string(minor_version);
    writer.text("major", "1").text("minor", minor).text("gitVersion", "v1." + minor + ".0");
    return FakeApiAnswer{.status = 200, .body = writer.end()};
  }
  if (path == "/readyz" || path == "/livez") return FakeApiAnswer{.status = 200, .body = "ok"};
  std::map<std::string, std::set<std::string>> versions;  // by group
  for (const auto& [resource, kind] : store.kinds()) {
    if (is_served(kind, minor_version)) versions[resource.group].insert(api_version(resource));
  }
  if (path == "/apis") {
    writer.text("kind", "APIGroupList").open_list("groups");
    for (const auto& [group, all] : versions) {
      if (group.empty()) continue;
      writer.open().text("name", group).open_list("versions");
      for (const std::string& one : all) writer.open().text("groupVersion", one).close();
      writer.close().close();
    }
    return FakeApiAnswer{.status = 200, .body = writer.close().end()};
  }
  const std::string wanted = path.starts_with("/apis/")  ? path.substr(6)
                             : path.starts_with("/api/") ? path.substr(5)
                                                         : "";
  bool is_known = false;
  writer.text("kind", "APIResourceList").text("groupVersion", wanted).open_list("resources");
  for (const auto& [resource, kind] : store.kinds()) {
    if (api_version(resource) != wanted || !is_served(kind, minor_version)) continue;
    is_known = true;
    const auto add = [&, &kind = kind](const std::string& name) {
      writer.open().text("name", name).text("kind", kind.kind);
      writer.flag("namespaced", kind.is_namespaced).open_list("verbs");
      for (const char* verb : {"get", "list", "watch", "patch"}) writer.text(verb);
      writer.close().close();
    };
    add(resource.plural);
    if (kind.has_status) add(resource.plural + "/status");
    if (kind.has_scale) add(resource.plural + "/scale");
  }
  if (!is_known) return std::nullopt;
  return FakeApiAnswer{.status = 200, .body = writer.close().end()};
}

}  // namespace bellows::test
