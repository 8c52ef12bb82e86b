#include "injector/core/policy.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "injector/core/names.hpp"
#include "injector/core/protocol.hpp"
#include "injector/core/read_json.hpp"
#include "injector/core/render.hpp"
#include "injector/core/sidecar.hpp"
#include "json/writer.hpp"

namespace bellows::injector {

namespace {

/// A pod whose plan has every flag that depends on the pod.
constexpr std::string_view kSample = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"shop"},
"spec":{"containers":[{"name":"app","ports":[{"name":"http","containerPort":8080}],
"readinessProbe":{"httpGet":{"path":"/up","port":8080}}}]}})";

/// A flag whose value follows from the pod: an expression for it, and its default, with which the
/// flag is left out.
struct PodFlag {
  std::string_view name;
  std::string_view value;
  std::string_view unset;
};

constexpr PodFlag kPodFlags[] = {
    {"revision", R"("$(SERVING_NAMESPACE)/" + variables.workload)", {}},
    {"user-port", "string(variables.port)", {}},
    {"readiness-probe", "variables.probeText", R"("")"},
    {"drain-timeout", "variables.drainText", {}},
    {"drain-quiet-time", "variables.quietText", R"("0s")"},
};

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), by);
    at += by.size();
  }
  return text;
}

/// Returns the lines of `text`, indented.
std::string lines(std::string_view text, std::size_t column) {
  return indented(text, 0, column);
}

std::string cel_text(std::string_view text) {
  return json::quoted(text);
}

std::string cel_text(std::uint16_t number) {
  return std::to_string(number);
}

template <class Values>
std::string cel_list(const Values& values) {
  std::string text;
  for (const auto& value : values) text += (text.empty() ? "" : ", ") + cel_text(value);
  return "[" + text + "]";
}

/// Returns an argument as an expression for a text; `flag` is what is known of it, or the end.
std::string cel_argument(const std::string& text, const PodFlag* flag) {
  if (flag == std::end(kPodFlags)) return json::quoted(text);
  return json::quoted("--" + std::string(flag->name) + "=") + " + " + std::string(flag->value);
}

/// Returns the arguments as an expression. One that may be left out is a list of its own.
std::string cel_arguments(const Node& arguments) {
  std::string text;
  bool is_open = false;  // the list at the end of `text`
  for (const Node& argument : arguments.items) {
    const std::string name = argument.text.substr(2, argument.text.find('=') - 2);
    const PodFlag* const flag = std::ranges::find(kPodFlags, name, &PodFlag::name);
    const std::string one = cel_argument(argument.text, flag);
    if (flag == std::end(kPodFlags) || flag->unset.empty()) {
      text += (is_open ? ",\n      " : text.empty() ? "[" : " +\n    [") + one;
      is_open = true;
      continue;
    }
    text += (is_open        ? "] +\n    ("
             : text.empty() ? "("
                            : " +\n    (") +
            std::string(flag->value) + " == " + std::string(flag->unset) + " ? [] : [" + one + "])";
    is_open = false;
  }
  return is_open ? text + "]" : text;
}

/// Returns a value as an expression; maps are objects of the type `type`.
std::string cel_value(const Node& value, const std::string& type, std::size_t column) {
  if (value.is_scalar()) return value.is_quoted ? json::quoted(value.text) : value.text;
  const std::string inner(column + 2, ' ');
  std::string text;
  if (value.is_sequence()) {
    for (const Node& item : value.items) {
      text += (text.empty() ? "" : ", ") + cel_value(item, type, column);
    }
    return "[" + text + "]";
  }
  const bool has_any_key = type.ends_with(".requests") || type.ends_with(".limits");
  for (const Entry& entry : value.entries) {
    const std::string& key = entry.key.text;
    text += (text.empty() ? "\n" : ",\n") + inner + (has_any_key ? json::quoted(key) : key) + ": ";
    text += key == "args" && type.ends_with("Containers")
                ? cel_arguments(entry.value)
                : cel_value(entry.value, type + "." + key, column + 2);
  }
  return (has_any_key ? "{" : type + "{") + text + "\n" + std::string(column, ' ') + "}";
}

/// Returns the plan and the container of the sample, with which all pods of the policy agree but
/// for kPodFlags and the name of the port.
struct Sample {
  Plan plan;
  Node container;
};

Result<Sample> sample_of(const InjectOptions& options) {
  BELLOWS_TRY(const Node pod, read_json(kSample));
  const Resource resource{
      .root = &pod, .api_version = "v1", .kind = "Pod", .name = "shop", .name_space = {}};
  BELLOWS_TRY(Plan plan, plan_for(resource, {}, options, ""));
  Node container = sidecar_container(plan, options);
  return Sample{.plan = std::move(plan), .container = std::move(container)};
}

struct Named {
  std::string_view name;
  std::string_view expression;
};

// A condition knows no variables: `all` over a list of one names a value. Containers without ports
// are not the app's; one-port leaves one that has.
constexpr Named kConditions[] = {
    {"not-injected",
     R"(!("{{REVISION}}" in object.metadata.?labels.orValue({})) &&
object.spec.containers.all(c, c.name != "{{NAME}}") &&
object.spec.?initContainers.orValue([]).all(c, c.name != "{{NAME}}") &&
object.spec.?volumes.orValue([]).all(v, v.name != "{{TOKEN}}"))"},
    {"not-left-out",
     R"(object.metadata.?labels[?"{{PART_OF}}"].orValue("") != "bellows" &&
!(object.metadata.?annotations[?"{{INJECT}}"].orValue("") in ["disabled", "false"]))"},
    {"serves-requests",
     R"(!object.spec.?hostNetwork.orValue(false) &&
object.spec.?restartPolicy.orValue("Always") == "Always" &&
object.spec.?os.?name.orValue("linux") != "windows" &&
object.spec.?nodeSelector[?"kubernetes.io/os"].orValue("linux") != "windows" &&
object.metadata.?ownerReferences.orValue([]).all(o, !(o.kind in {{OTHER_KINDS}})))"},
    {"no-settings",
     R"(object.metadata.?annotations.orValue({}).all(k,
  !k.startsWith("bellows.dev/") && !k.contains(".knative.dev/") &&
  !(k in ["{{PORT}}", "{{REQUESTS}}", "{{LIMITS}}"])))"},
    {"no-resources-of-the-pod", R"(!has(object.spec.resources))"},
    {"short-name",
     R"(size(object.metadata.?name.orValue("")) <= 63 && size(object.metadata.?generateName.orValue("")) <= 63 &&
object.metadata.?ownerReferences.orValue([]).all(o, size(o.name) <= 63))"},
    {"one-port",
     R"(object.spec.containers.map(c, size(c.?ports.orValue([]))).sum() == 1 &&
object.spec.?initContainers.orValue([]).all(c, size(c.?ports.orValue([])) == 0) &&
object.spec.containers.all(c, c.?ports.orValue([]).all(p,
  p.?protocol.orValue("TCP") == "TCP" && !(p.containerPort in {{TAKEN}}) &&
  !(p.?name.orValue("") in {{TAKEN_NAMES}}))))"},
    {"speaks-http",
     R"cel(object.spec.containers.all(c, c.?ports.orValue([]).all(p, [p.?name.orValue("")].all(n,
  !n.matches("{{MANAGEMENT}}") &&
  (n.matches("^(grpc-web|({{HTTP}})(-|$))") ||
    !n.matches("^({{OTHER}})(-|$)") && (n.matches("-({{HTTP}})$") ||
      !n.matches("-({{OTHER}})$") && (p.containerPort in {{NUMBERS}} ||
        [c.?readinessProbe.?httpGet, c.?livenessProbe.?httpGet, c.?startupProbe.?httpGet].exists(h,
          h.hasValue() && (h.value().port == p.containerPort || n != "" && h.value().port == n)))))))))cel"},
    {"plain-probes",
     R"(object.spec.containers.all(c, c.?ports.orValue([]).all(p,
  [c.?readinessProbe, c.?livenessProbe, c.?startupProbe].all(probe,
    probe.?httpGet.?scheme.orValue("HTTP") == "HTTP") &&
  (!has(c.readinessProbe) ||
    [c.readinessProbe].all(r,
      r.?timeoutSeconds.orValue(1) <= 86400 && r.?periodSeconds.orValue(10) <= 86400 &&
      r.?failureThreshold.orValue(3) <= 86400) &&
    (has(c.readinessProbe.httpGet) && [c.readinessProbe.httpGet].all(a,
      a.?host.orValue("") == "" && size(a.?httpHeaders.orValue([])) == 0 &&
      a.?path.orValue("/").matches("^[A-Za-z0-9/._~%&=:@-]*$") &&
      (a.port == p.containerPort || a.port == p.?name.orValue(""))) ||
    has(c.readinessProbe.tcpSocket) && [c.readinessProbe.tcpSocket].all(a,
      a.?host.orValue("") == "" && (a.port == p.containerPort || a.port == p.?name.orValue(""))))))))"},
    {"no-lifecycle",
     R"(object.spec.containers.all(c, size(c.?ports.orValue([])) == 0 || !has(c.lifecycle)))"},
};

// What plan.cpp, admission.cpp and to_string(ReadinessProbe) do, for the pods of the conditions.
constexpr Named kVariables[] = {
    {"index", R"(object.spec.containers.map(c, size(c.?ports.orValue([])) > 0).indexOf(true))"},
    {"app", "object.spec.containers[variables.index]"},
    {"path", R"("/spec/containers/" + string(variables.index))"},
    {"port", "variables.app.ports[0].containerPort"},
    {"portName", R"(variables.app.ports[0].?name.orValue(""))"},
    {"owners", R"(object.metadata.?ownerReferences.orValue([]))"},
    {"owner", R"(variables.owners.filter(o, o.?controller.orValue(false)) + variables.owners)"},
    {"name",
     R"(size(variables.owner) > 0 ? variables.owner[0].name :
object.metadata.?name.orValue(object.metadata.?generateName.orValue("")).find("^.*[^-]"))"},
    {"hashes",
     R"(["pod-template-hash", "rollouts-pod-template-hash"].map(k, "-" + object.metadata.?labels[?k].orValue(""))
  .filter(h, size(variables.owner) > 0 && variables.name.endsWith(h)))"},
    {"workload",
     R"(size(variables.hashes) == 0 ? variables.name :
variables.name.substring(0, size(variables.name) - size(variables.hashes[0])))"},
    {"grace",
     R"([object.spec.?terminationGracePeriodSeconds.orValue(30)].map(s, s < 0 ? 30 : s > 86400 ? 86400 : s)[0])"},
    {"drain",
     R"(variables.grace - (variables.grace < 1 ? 0 : variables.grace < 6 ? 1 :
variables.grace > 30 ? 5 : variables.grace / 6))"},
    {"drainText",
     R"(variables.drain == 0 ? "0s" :
(variables.drain < 3600 ? "" : string(variables.drain / 3600) + "h") +
(variables.drain % 3600 < 60 ? "" : string(variables.drain % 3600 / 60) + "m") +
(variables.drain % 60 == 0 ? "" : string(variables.drain % 60) + "s"))"},
    {"quietText", R"(string(variables.drain < 4 ? variables.drain : 4) + "s")"},
    {"probe",
     R"(!has(variables.app.readinessProbe) ? "" :
!has(variables.app.readinessProbe.httpGet) ? "" :
[variables.app.readinessProbe.httpGet.?path.orValue("/")].map(p, p.startsWith("/") ? p : "/" + p)[0])"},
    {"probeTimes",
     R"([variables.app.?readinessProbe.?timeoutSeconds.orValue(1), variables.app.?readinessProbe.?periodSeconds.orValue(10),
variables.app.?readinessProbe.?failureThreshold.orValue(3)])"},
    {"probeText",
     R"(variables.probeTimes == [1, 10, 3] ? variables.probe :
(variables.probe == "" ? "{\"tcpSocket\":{}" : "{\"httpGet\":{\"path\":\"" + variables.probe + "\"}") +
",\"timeoutSeconds\":" + string(variables.probeTimes[0]) +
",\"periodSeconds\":" + string(variables.probeTimes[1]) +
",\"failureThreshold\":" + string(variables.probeTimes[2]) + "}")"},
};

constexpr std::string_view kMutation =
    R"((has(object.metadata.labels) ?
  [JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("{{REVISION}}"), value: variables.workload}] :
  [JSONPatch{op: "add", path: "/metadata/labels", value: {"{{REVISION}}": variables.workload}}]) +
(variables.portName == "" ? [] :
  [JSONPatch{op: "replace", path: variables.path + "/ports/0/name", value: "{{USER_PORT}}"}]) +
{{REFERENCES}}(has(variables.app.readinessProbe) ? [JSONPatch{op: "remove", path: variables.path + "/readinessProbe"}] : []) +
[JSONPatch{op: "add", path: variables.path + "/lifecycle", value: Object.spec.containers.lifecycle{preStop: {{HOOK}}}}] +
(has(object.spec.initContainers) ? [] : [JSONPatch{op: "add", path: "/spec/initContainers", value: []}]) +
[JSONPatch{op: "add", path: "/spec/initContainers/-", value: {{SIDECAR}}}])";

constexpr std::string_view kTokenMutation =
    R"( +
(has(object.spec.volumes) ? [] : [JSONPatch{op: "add", path: "/spec/volumes", value: []}]) +
[JSONPatch{op: "add", path: "/spec/volumes/-", value: {{VOLUME}}}])";

/// Other probes that name the app's port.
constexpr std::string_view kReference =
    R"((variables.portName != "" && variables.app.?{{PROBE}}.?{{ACTION}}.?port == optional.of(variables.portName) ?
  [JSONPatch{op: "replace", path: variables.path + "/{{PROBE}}/{{ACTION}}/port", value: "{{USER_PORT}}"}] : []) +
)";

constexpr std::string_view kHead =
    R"(# The API server gives labelled pods a queue-proxy as they are made (Kubernetes 1.36 and later); nothing else runs for it:
#   bellows inject --policy | kubectl apply -f -
#   kubectl label namespace shop {{INJECT}}=enabled     # or this label in a pod template
# A pod that does not fulfil all matchConditions is made unchanged, or injected by the webhook: docs/inject.md.
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata:
  name: bellows-inject
  labels:
    {{PART_OF}}: bellows
spec:
  failurePolicy: Ignore
  reinvocationPolicy: IfNeeded
  matchConstraints:
    resourceRules:
    - apiGroups: [""]
      apiVersions: [v1]
      operations: [CREATE]
      resources: [pods]
      scope: Namespaced
)";

/// A binding: its name and the objects that it selects follow.
constexpr std::string_view kBinding = R"(---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata:
  name: bellows-inject-{{OBJECTS}}
  labels:
    {{PART_OF}}: bellows
spec:
  policyName: bellows-inject
  matchResources:
{{SELECTORS}})";

/// The label on a pod wins over that of its namespace.
constexpr Named kBindings[] = {{"pods", R"(    objectSelector:
      matchLabels:
        {{INJECT}}: enabled
)"},
                               {"namespaces", R"(    objectSelector:
      matchExpressions:
      - {key: {{INJECT}}, operator: DoesNotExist}
    namespaceSelector:
      matchLabels:
        {{INJECT}}: enabled
)"}};

/// What the texts above name in double braces.
using Values = std::vector<std::pair<std::string_view, std::string>>;

std::string filled(std::string_view text, const Values& values) {
  std::string made(text);
  for (const auto& [name, value] : values) {
    made = replaced(std::move(made), "{{" + std::string(name) + "}}", value);
  }
  return made;
}

Values names() {
  std::vector<std::string_view> kinds = kinds_not_injected();
  kinds.push_back(kNodeKind);
  return {{"NAME", std::string(kContainerName)},
          {"TOKEN", std::string(kTokenVolume)},
          {"INJECT", std::string(kInjectAnnotation)},
          {"PART_OF", std::string(kPartOfLabel)},
          {"PORT", std::string(kPortAnnotation)},
          {"REQUESTS", std::string(kRequestsAnnotation)},
          {"LIMITS", std::string(kLimitsAnnotation)},
          {"REVISION", std::string(kRevisionLabel)},
          {"USER_PORT", std::string(kUserPortName)},
          {"TAKEN_NAMES", cel_list(std::vector<std::string_view>{kUserPortName, kActivatorPortName,
                                                                 kAdminPortName})},
          {"OTHER_KINDS", cel_list(kinds)}};
}

/// Returns a regular expression for one of these words of a name, which has dashes between words.
template <class Words>
std::string one_of(const Words& words) {
  std::string text;
  for (const std::string_view word : words) {
    if (word.find_first_of("-/") != std::string_view::npos) continue;
    text += (text.empty() ? "" : "|") + std::string(word);
  }
  return text;
}

/// What choose_app_port() knows of protocols and names. A name with "prom" is one of metrics here,
/// also where the word goes on and means something else.
Values evidence() {
  const ProtocolLists lists = protocol_lists();
  return {{"MANAGEMENT", "prom|" + one_of(lists.management_parts) + "|(^|-)(" +
                             one_of(lists.management_words) + ")(-|$)"},
          {"HTTP", one_of(lists.http_words)},
          {"OTHER", one_of(lists.other_words)},
          {"NUMBERS", cel_list(lists.http_ports)}};
}

std::string references(const Values& values) {
  std::string text;
  for (const char* probe : {"livenessProbe", "startupProbe"}) {
    for (const char* action : {"httpGet", "tcpSocket"}) {
      text += filled(filled(kReference, {{"PROBE", probe}, {"ACTION", action}}), values);
    }
  }
  return text;
}

std::string named_list(std::string_view key, std::span<const Named> all, const Values& values) {
  std::string text = "  " + std::string(key) + ":\n";
  for (const Named& each : all) {
    text += "  - name: " + std::string(each.name) + "\n    expression: |-\n" +
            lines(filled(each.expression, values) + "\n", 6);
  }
  return text;
}

std::string bindings(const Values& values) {
  std::string text;
  for (const Named& each : kBindings) {
    const Values own = {{"OBJECTS", std::string(each.name)},
                        {"SELECTORS", std::string(each.expression)}};
    text += filled(filled(kBinding, own), values);
  }
  return text;
}

/// The name of the queue-proxy's port is that of the pod's, and the only place of the sample's.
std::string sidecar_expression(const Sample& sample) {
  const std::string port = "name: " + json::quoted(sample.plan.port_name);
  return replaced(cel_value(sample.container, "Object.spec.initContainers", 2), port,
                  "name: variables.portName == \"\" ? " + json::quoted(kServingPortName) +
                      " : variables.portName");
}

/// Adds the volume of the token to a pod whose queue-proxy sends stats.
std::string token_expression(const Sample& sample) {
  if (sample.plan.settings.stats_token_file.empty()) return "";
  return filled(kTokenMutation, {{"VOLUME", cel_value(token_volume(), "Object.spec.volumes", 2)}});
}

}  // namespace

Result<std::string> policy_text(const InjectOptions& options) {
  BELLOWS_TRY(const Sample sample, sample_of(options));
  Values values = names();
  std::ranges::move(evidence(), std::back_inserter(values));
  const config::QueueProxySettings& settings = sample.plan.settings;
  values.emplace_back("TAKEN", cel_list(std::vector{settings.serving_port, *settings.activator_port,
                                                    settings.admin_port, *settings.drain_port}));
  Values parts = values;
  parts.emplace_back("REFERENCES", references(values));
  parts.emplace_back(
      "HOOK", cel_value(drain_hook(sample.plan), "Object.spec.containers.lifecycle.preStop", 2));
  parts.emplace_back("SIDECAR", sidecar_expression(sample));
  return filled(kHead, values) + named_list("matchConditions", kConditions, values) +
         named_list("variables", kVariables, values) +
         "  mutations:\n  - patchType: JSONPatch\n    jsonPatch:\n      expression: |-\n" +
         lines(filled(kMutation, parts) + token_expression(sample) + "\n", 8) + bindings(values);
}

}  // namespace bellows::injector
