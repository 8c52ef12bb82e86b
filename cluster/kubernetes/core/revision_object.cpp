#include "cluster/kubernetes/core/revision_object.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <limits>
#include <utility>

#include "base/read_number.hpp"
#include "cluster/core/report.hpp"
#include "cluster/kubernetes/core/names.hpp"
#include "json/object.hpp"
#include "kubernetes/core/container.hpp"
#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/fields.hpp"

namespace bellows::cluster {

namespace {

using kubernetes::Fields;

RevisionState read_state(const Fields& spec) {
  const std::string_view state = spec.view("state");
  if (state.empty() || state == "Active") return RevisionState::kActive;
  if (state == "Paused") return RevisionState::kPaused;
  if (state == "Retired") return RevisionState::kRetired;
  spec.invalid("state", "Active, Paused or Retired");
  return RevisionState::kPaused;
}

TargetRef read_target(const Fields& spec) {
  const Fields ref = spec.object("scaleTargetRef");
  TargetRef target;
  if (ref.has("apiVersion")) target.api_version = ref.text("apiVersion");
  if (ref.has("kind")) target.kind = ref.text("kind");
  target.name = ref.text("name");
  if (!target.has_valid_kind()) {
    ref.invalid("apiVersion", "GROUP/VERSION or VERSION, and a kind of letters and digits");
  }
  return target;
}

/// Returns numbers, flags and texts as the texts from which settings are read.
Texts read_scaling(const Fields& spec) {
  Texts texts;
  if (!spec.has("scaling")) return texts;
  const auto scaling = json::parse(spec.json("scaling"), "spec.scaling");
  if (!scaling) {
    spec.invalid("scaling", "an object of settings");
    return texts;
  }
  for (const std::string_view key : scaling->keys()) {
    auto text = scaling->setting_text(key);
    if (text) {
      texts.emplace_back(key, *std::move(text));
    } else {
      spec.object("scaling").invalid(key, "a text, a number, true or false");
    }
  }
  return texts;
}

StatusObject read_status(const Fields& status) {
  StatusObject saved;
  saved.observed_generation = status.integer("observedGeneration");
  saved.conditions = kubernetes::read_conditions(status, "conditions");
  saved.replicas = status.int32("replicas");
  saved.ready_replicas = status.int32("readyReplicas");
  saved.desired_replicas = status.int32("desiredReplicas");
  saved.mode = status.text("mode");
  saved.reason = status.text("reason");
  saved.has_settings = status.has("settings");
  for (const auto& [key, value] : status.map("settings")) saved.settings.emplace_back(key, value);
  saved.saved_state = status.text("savedState");
  saved.learned_target =
      status.optional_number("learnedTarget", kLeastLearnedTarget, kMostLearnedTarget);
  saved.activator_port = kubernetes::read_port(status, "activatorPort");
  status.each("restingPorts", [&saved](const Fields& resting) {
    const auto since = resting.time("since");
    if (since) saved.resting_ports[kubernetes::read_port(resting, "port")] = *since;
  });
  return saved;
}

std::optional<std::uint16_t> read_port(const Fields& spec) {
  const auto port = spec.optional_int32("port");
  if (!port) return std::nullopt;
  if (*port < 1 || *port > std::numeric_limits<std::uint16_t>::max()) {
    spec.invalid("port", "a port from 1 to 65535");
    return std::nullopt;
  }
  return static_cast<std::uint16_t>(*port);
}

}  // namespace

std::string_view TargetRef::group() const {
  const std::size_t slash = api_version.find('/');
  return slash == std::string::npos ? std::string_view()
                                    : std::string_view(api_version).substr(0, slash);
}

bool TargetRef::has_valid_kind() const {
  constexpr std::string_view kInVersions = "abcdefghijklmnopqrstuvwxyz0123456789";
  constexpr std::string_view kInGroups = "abcdefghijklmnopqrstuvwxyz0123456789.-";
  constexpr std::string_view kInKinds =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  const auto consists_of = [](std::string_view text, std::string_view letters) {
    return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
  };
  const std::size_t slash = api_version.find('/');
  const bool has_group = slash != std::string::npos;
  const std::string_view version = std::string_view(api_version).substr(has_group ? slash + 1 : 0);
  return (!has_group || consists_of(group(), kInGroups)) && consists_of(version, kInVersions) &&
         consists_of(kind, kInKinds);
}

std::string target_key(std::string_view ns, const TargetRef& target) {
  std::string key(target.group());
  key += "/" + target.kind + " ";
  key += ns;
  return key + "/" + target.name;
}

std::string target_name(const TargetRef& target) {
  return target.kind + " " + target.name;
}

bool RevisionObject::is_ours() const {
  return meta.labels.get(kManagedByLabel) == kManagedByBellows;
}

PodCount replicas_before(const kubernetes::ObjectMeta& meta) {
  return read_number<PodCount>(meta.annotations.get(kReplicasBeforeAnnotation)).value_or(0);
}

const kubernetes::FieldSet& RevisionObject::fields() {
  static const kubernetes::FieldSet fields = [] {
    kubernetes::FieldSet kept{"/spec", "/status"};
    kubernetes::keep_meta(kept);
    return kept;
  }();
  return fields;
}

Result<RevisionObject> RevisionObject::from(const boost::json::object& pruned) {
  return kubernetes::read_document(pruned, kRevisionKind, [](const Fields& document) {
    RevisionObject object;
    object.meta = kubernetes::read_meta(document);
    const Fields spec = document.object("spec");
    object.target = read_target(spec);
    object.service = spec.text("serviceName");
    object.port = read_port(spec);
    object.state = read_state(spec);
    object.shares_with_hpa = spec.view("with") == "hpa";
    object.scaling = read_scaling(spec);
    object.status = read_status(document.object("status"));
    return object;
  });
}

}  // namespace bellows::cluster
