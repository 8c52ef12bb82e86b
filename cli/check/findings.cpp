#include "cli/check/findings.hpp"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/duration_text.hpp"
#include "base/read_number.hpp"
#include "cluster/kubernetes/core/names.hpp"
#include "json/object.hpp"
#include "kubernetes/core/election.hpp"
#include "kubernetes/core/fields.hpp"
#include "kubernetes/core/lease.hpp"

namespace bellows::cli {

namespace {

constexpr int kOldestMinor = 20;
constexpr std::string_view kCustomResource = "custom resource";

/// Returns true if the JSON value equals the text in YAML: true, 5, shop. Compares numbers by
/// value: a server writes 0.01 in any form.
bool says_the_same(const std::string& text, const boost::json::value& value) {
  if (const auto* same_text = value.if_string()) return text == std::string_view(*same_text);
  if (!value.is_number()) return text == boost::json::serialize(value);
  return read_number<double>(text) == value.to_number<double>();
}

std::string joined(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : path + "." + std::string(key);
}

/// Returns the path of the first part of `ours` that `installed` lacks or has in another form;
/// empty: none.
std::string difference(const DocumentNode& ours, const boost::json::value* installed,
                       const std::string& path) {
  using Kind = DocumentNode::Kind;
  if (installed == nullptr) return path;
  if (ours.kind == Kind::kMap) {
    const auto* object = installed->if_object();
    if (object == nullptr && !ours.members.empty()) return path;
    for (const DocumentMember& member : ours.members) {
      // A server before 1.25 leaves out the rules.
      if (member.key == "description" || member.key == "x-kubernetes-validations") continue;
      std::string found =
          difference(member.value, object->if_contains(member.key), joined(path, member.key));
      if (!found.empty()) return found;
    }
    return {};
  }
  if (ours.kind == Kind::kList) {
    const auto* list = installed->if_array();
    if (list == nullptr || list->size() != ours.items.size()) return path;
    for (std::size_t i = 0; i < ours.items.size(); ++i) {
      std::string found =
          difference(ours.items[i], &(*list)[i], path + "[" + std::to_string(i) + "]");
      if (!found.empty()) return found;
    }
    return {};
  }
  return says_the_same(ours.text, *installed) ? "" : path;
}

const DocumentNode* find(const DocumentNode& node, std::string_view key) {
  for (const DocumentMember& member : node.members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

/// Returns the condition of this type: its status, and "REASON: MESSAGE".
std::pair<std::string, std::string> condition_of(const json::Object& object,
                                                 std::string_view type) {
  const auto status = object.object("status");
  const auto conditions = status ? status->objects("conditions") : tl::unexpected(status.error());
  if (!conditions) return {};
  for (const json::Object& condition : *conditions) {
    if (condition.text("type").value_or("") != type) continue;
    return {condition.text("status").value_or(""),
            condition.text("reason").value_or("") + ": " + condition.text("message").value_or("")};
  }
  return {};
}

/// Returns "shop/web".
std::string object_name(const json::Object& object) {
  const auto meta = object.object("metadata");
  if (!meta) return {};
  return meta->text("namespace").value_or("") + "/" + meta->text("name").value_or("");
}

/// Returns "revision shop/web".
std::string item_name(const json::Object& revision) {
  return "revision " + object_name(revision);
}

std::string continue_token_of(const json::Object& list) {
  const auto meta = list.object("metadata");
  return meta ? meta->text("continue").value_or("") : std::string();
}

/// The reason of SettingsInEffect that Ready has too, with the settings.
constexpr std::string_view kInvalid = "ConfigInvalid: ";

constexpr std::string_view kIdleSettings =
    "remove the setting; or apply the manifest again from bellows inject, which replaces the pods";

/// Remedies for the reasons of Routed whose messages contain none.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRoutedHints = {{
    {"NoActivators",
     "helm upgrade, or kubectl apply -f deploy/activator.yaml; the setting activator-service"},
    {"ActivatorsNotAnswering",
     "the autoscaler must reach the activators at activator-ports: a NetworkPolicy?"},
    {"ServiceNotFound", "make the Service, or name it in spec.serviceName"},
    {"ServiceAmbiguous", "name the Service in spec.serviceName"},
}};

/// Returns the item of a revision that callers do not reach as they should. `why` begins with the
/// reason.
CheckItem unrouted_revision(const json::Object& revision, const std::string& why) {
  const auto known = std::ranges::find_if(
      kRoutedHints, [&](const auto& hint) { return why.starts_with(hint.first); });
  const std::string_view hint =
      known == kRoutedHints.end() ? "until then it does not scale to zero" : known->second;
  return failed(item_name(revision), why, std::string(hint));
}

CheckItem troubled_revision(const json::Object& revision, const std::string& said) {
  std::string name = item_name(revision);
  if (said.empty()) {
    return failed(std::move(name), "the autoscaler has reported nothing about it",
                  "is the autoscaler running, and for this namespace?");
  }
  return failed(std::move(name), said, "kubectl describe, or `bellows explain`, shows more");
}

}  // namespace

CheckItem version_item(const kubernetes::ServerVersion& version, std::string_view url) {
  const std::string text = std::string(url) + " answers, Kubernetes " + version.git_version;
  if (version.major == 1 && version.minor < kOldestMinor) {
    return failed("API server", text, "Bellows needs 1.20 or later");
  }
  return passed("API server", text);
}

std::string first_difference(const DocumentNode& ours, std::string_view installed) {
  boost::system::error_code malformed;
  const boost::json::value value =
      boost::json::parse({installed.data(), installed.size()}, malformed);
  if (malformed) return "the response, which is not JSON";
  return difference(ours, &value, "");
}

CheckItem custom_resource_item(std::string_view installed, const Document& ours) {
  const auto object = json::parse(installed, "custom resource definition");
  if (!object) return unknown(std::string(kCustomResource), to_string(object.error()), "");
  const auto [established, said] = condition_of(*object, "Established");
  if (established != "True") {
    return failed(std::string(kCustomResource), "revisions.bellows.dev is not served; " + said,
                  "kubectl describe crd revisions.bellows.dev");
  }
  const DocumentNode* spec = find(ours.root, "spec");
  DocumentNode wanted;
  wanted.kind = DocumentNode::Kind::kMap;
  wanted.members.push_back({.key = "spec", .line = 0, .value = *spec});
  const std::string differs = first_difference(wanted, installed);
  if (!differs.empty()) {
    return failed(std::string(kCustomResource),
                  "revisions.bellows.dev is of another version of Bellows: " + differs + " differs",
                  apply_hint("crd.yaml"));
  }
  return passed(std::string(kCustomResource), "revisions.bellows.dev is installed and current");
}

Result<std::string> flag_of(std::string_view deployment, std::string_view flag) {
  BELLOWS_TRY(const json::Object object, json::parse(deployment, "deployment"));
  BELLOWS_TRY(const json::Object spec, object.object("spec"));
  BELLOWS_TRY(const json::Object pod, spec.object("template"));
  BELLOWS_TRY(const json::Object pod_spec, pod.object("spec"));
  BELLOWS_TRY(const auto containers, pod_spec.objects("containers"));
  for (const json::Object& container : containers) {
    const auto arguments = container.list("args");
    if (!arguments) continue;
    for (std::size_t i = 0; i < arguments->size(); ++i) {
      const std::string argument = arguments->text(i).value_or("");
      const bool has_value = argument.starts_with(std::string(flag) + "=");
      if (has_value) return argument.substr(flag.size() + 1);
      if (argument == flag && i + 1 < arguments->size()) return arguments->text(i + 1);
    }
  }
  return std::string();
}

CheckItem lease_item(std::string_view lease, WallTime now) {
  const std::string name = "lease";
  const auto read = kubernetes::parse_document(lease).and_then(
      [](const auto& document) { return kubernetes::Lease::from(*document); });
  if (!read) return unknown(name, to_string(read.error()), "");
  const std::string key = read->meta.ns + "/" + read->meta.name;
  if (read->holder.empty() || !read->renewed) {
    return failed(name, "nobody holds " + key + ", so nobody orders replicas",
                  "kubectl -n " + read->meta.ns + " logs deployment/" + read->meta.name);
  }
  const auto member = kubernetes::read_member(read->holder);
  const Duration age = std::max(now - *read->renewed, Duration::zero());
  const std::string text = (member ? member->name : read->holder) + " holds " + key + ", renewed " +
                           duration_text(std::chrono::floor<std::chrono::seconds>(age)) + " ago";
  if (age <= std::chrono::seconds(2 * read->duration_seconds)) return passed(name, text);
  return noted(name, text, "is it running? or its clock and this one differ");
}

Result<RevisionPage> read_revisions(std::string_view body) {
  BELLOWS_TRY(const json::Object list, json::parse(body, "list of revisions"));
  BELLOWS_TRY(const std::vector<json::Object> items, list.objects("items"));
  RevisionPage page;
  for (const json::Object& item : items) {
    const auto [ready, said] = condition_of(item, "Ready");
    const auto [routed, why] = condition_of(item, "Routed");
    const auto [in_effect, idle] = condition_of(item, "SettingsInEffect");
    const bool is_unrouted = routed == "False" && why != said && !why.starts_with("Retired");
    if (ready != "True") page.troubled.push_back(troubled_revision(item, said));
    if (is_unrouted) page.troubled.push_back(unrouted_revision(item, why));
    const bool is_idle = in_effect == "False" && !idle.starts_with(kInvalid);
    if (is_idle) page.troubled.push_back(failed(item_name(item), idle, std::string(kIdleSettings)));
    ++page.all;
    if (ready == "True" && !is_unrouted && in_effect != "False") ++page.ready;
  }
  page.continue_token = continue_token_of(list);
  return page;
}

Result<LabelPage> read_labels(std::string_view body) {
  BELLOWS_TRY(const json::Object list, json::parse(body, "list of Deployments"));
  BELLOWS_TRY(const std::vector<json::Object> items, list.objects("items"));
  LabelPage page;
  for (const json::Object& item : items) {
    const auto meta = item.object("metadata");
    const auto labels = meta ? meta->object("labels") : tl::unexpected(meta.error());
    const std::string value =
        labels ? labels->text(cluster::kAutoscaleLabel).value_or("true") : "true";
    if (value == "true" || value == "false") continue;
    const std::string name = object_name(item);
    page.wrong.push_back(failed("deployment " + name,
                                "label " + std::string(cluster::kAutoscaleLabel) + " \"" + value +
                                    "\": want true, or false",
                                "with another value than true it does not scale"));
  }
  page.continue_token = continue_token_of(list);
  return page;
}

}  // namespace bellows::cli
