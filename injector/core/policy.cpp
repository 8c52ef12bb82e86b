#include "injector/core/policy.hpp"

#include <optional>
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
    {"readiness-probe", "variables.probe", R"("")"},
    {"drain-timeout", "variables.drain", {}},
    {"drain-quiet-time", "variables.quiet", R"("0s")"},
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

std::string cel_list(std::initializer_list<std::span<const std::string_view>> lists) {
  std::string text;
  for (const auto& list : lists) {
    for (const std::string_view word : list) {
      text += (text.empty() ? "" : ", ") + json::quoted(word);
    }
  }
  return "[" + text + "]";
}

std::string cel_numbers(std::initializer_list<std::span<const std::uint16_t>> lists) {
  std::string text;
  for (const auto& list : lists) {
    for (const std::uint16_t number : list) {
      text += (text.empty() ? "" : ", ") + std::to_string(number);
    }
  }
  return "[" + text + "]";
}

/// Returns the arguments as an expression: those that every pod has, and those that follow from it.
std::string cel_arguments(const Node& arguments) {
  std::string text;
  for (const Node& argument : arguments.items) {
    const std::string name = argument.text.substr(2, argument.text.find('=') - 2);
    const PodFlag* flag = nullptr;
    for (const PodFlag& each : kPodFlags) {
      if (each.name == name) flag = &each;
    }
    std::string one = "[" + json::quoted(argument.text) + "]";
    if (flag != nullptr) {
      one = "[" + json::quoted("--" + name + "=") + " + " + std::string(flag->value) + "]";
      if (!flag->unset.empty()) {
        one = "(" + std::string(flag->value) + " == " + std::string(flag->unset) +
              " ? [] : " + one + ")";
      }
    }
    text += (text.empty() ? "" : " +\n    ") + one;
  }
  return text;
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

// "All containers" need not have ports; those that have are the app: the condition one-port.
constexpr Named kConditions[] = {
    {"not-injected",
     R"((object.spec.containers + object.spec.?initContainers.orValue([])).all(c, c.name != "queue-proxy"))"},
    {"is-wanted",
     R"(object.metadata.?labels[?"app.kubernetes.io/part-of"].orValue("") != "bellows" &&
!(object.metadata.?annotations[?"$INJECT"].orValue("") in ["disabled", "false"]))"},
    {"serves-requests",
     R"(!object.spec.?hostNetwork.orValue(false) &&
object.spec.?restartPolicy.orValue("Always") == "Always" &&
object.spec.?os.?name.orValue("linux") != "windows" &&
object.spec.?nodeSelector[?"kubernetes.io/os"].orValue("linux") != "windows" &&
object.metadata.?ownerReferences.orValue([]).all(o,
  !(o.kind in ["DaemonSet", "Job", "CronJob", "ReplicationController", "Node"])))"},
    {"no-settings",
     R"(!has(object.metadata.annotations) || object.metadata.annotations.all(k,
  !k.startsWith("bellows.dev/") && !k.contains(".knative.dev/") &&
  !(k in ["$PORT", "$REQUESTS", "$LIMITS"])))"},
    {"one-port",
     R"(object.spec.containers.map(c, size(c.?ports.orValue([]))).sum() == 1 &&
object.spec.?initContainers.orValue([]).all(c, size(c.?ports.orValue([])) == 0) &&
object.spec.containers.all(c, c.?ports.orValue([]).all(p,
  p.?protocol.orValue("TCP") == "TCP" && !(p.containerPort in $TAKEN))))"},
    {"no-lifecycle",
     R"(object.spec.containers.all(c, size(c.?ports.orValue([])) == 0 || !has(c.lifecycle)))"},
    {"plain-probes",
     R"(object.spec.containers.all(c, c.?ports.orValue([]).all(p,
  [c.?readinessProbe, c.?livenessProbe, c.?startupProbe].all(probe,
    probe.?httpGet.?scheme.orValue("HTTP") == "HTTP") &&
  (!has(c.readinessProbe) ||
    (has(c.readinessProbe.httpGet) || has(c.readinessProbe.tcpSocket)) &&
    [c.readinessProbe.?httpGet, c.readinessProbe.?tcpSocket].all(a,
      !a.hasValue() ||
      a.?host.orValue("") == "" && size(a.?httpHeaders.orValue([])) == 0 &&
      a.?path.orValue("").matches("^[A-Za-z0-9/._~%&=:@!$()*+,;-]*$$") &&
      (a.value().port == p.containerPort || a.value().port == p.?name.orValue("")))))))"},
    {"speaks-http",
     R"(object.spec.containers.all(c, c.?ports.orValue([]).all(p, [p.?name.orValue("").lowerAscii()].all(n,
  !n.matches("$PARTS") && n.split("-").all(w, !(w in $WORDS)) &&
  [[n.split("-")[0], n.substring(n.lastIndexOf("-") + 1)]].all(w,
    n.startsWith("grpc-web") || w[0] in $HTTP || !(w[0] in $OTHER) && w[1] in $HTTP ||
    !(w[0] in $OTHER) && !(w[1] in $OTHER) &&
    (p.containerPort in $NUMBERS ||
      [c.?readinessProbe.?httpGet, c.?livenessProbe.?httpGet, c.?startupProbe.?httpGet].exists(h,
        h.hasValue() && (h.value().port == p.containerPort || n != "" && h.value().port == p.name))))))))"},
};

// The same as in plan.cpp and admission.cpp.
constexpr Named kVariables[] = {
    {"index", R"(object.spec.containers.map(c, size(c.?ports.orValue([])) > 0).indexOf(true))"},
    {"app", "object.spec.containers[variables.index]"},
    {"path", R"("/spec/containers/" + string(variables.index))"},
    {"port", "variables.app.ports[0].containerPort"},
    {"portName", R"(variables.app.ports[0].?name.orValue(""))"},
    {"owners", R"(object.metadata.?ownerReferences.orValue([]))"},
    {"owner", R"(variables.owners.filter(o, o.?controller.orValue(false)) + variables.owners)"},
    {"suffix",
     R"(size(variables.owner) == 0 ? "-" :
"-" + object.metadata.?labels[?"pod-template-hash"].orValue(
  object.metadata.?labels[?"rollouts-pod-template-hash"].orValue("")))"},
    {"fullName",
     R"(size(variables.owner) > 0 ? variables.owner[0].name :
object.metadata.?name.orValue(object.metadata.?generateName.orValue("")))"},
    {"workload",
     R"(variables.fullName.endsWith(variables.suffix) ?
variables.fullName.substring(0, size(variables.fullName) - size(variables.suffix)) : variables.fullName)"},
    {"grace",
     R"([object.spec.?terminationGracePeriodSeconds.orValue(30)].map(s, s > 86400 ? 86400 : s)[0])"},
    {"seconds",
     R"(variables.grace - (variables.grace < 1 ? variables.grace : variables.grace < 6 ? 1 :
variables.grace > 30 ? 5 : variables.grace / 6))"},
    {"drain",
     R"(variables.seconds == 0 ? "0s" :
(variables.seconds < 3600 ? "" : string(variables.seconds / 3600) + "h") +
(variables.seconds % 3600 < 60 ? "" : string(variables.seconds % 3600 / 60) + "m") +
(variables.seconds % 60 == 0 ? "" : string(variables.seconds % 60) + "s"))"},
    {"quiet", R"(string(variables.seconds < 4 ? variables.seconds : 4) + "s")"},
    {"probePath",
     R"([variables.app.?readinessProbe.?httpGet.?path.orValue("")].map(p, p.startsWith("/") ? p : "/" + p)[0])"},
    {"probeTimes",
     R"([variables.app.?readinessProbe.?timeoutSeconds.orValue(1),
variables.app.?readinessProbe.?periodSeconds.orValue(10),
variables.app.?readinessProbe.?failureThreshold.orValue(3)])"},
    {"probe",
     R"(!has(variables.app.readinessProbe) ? "" : variables.probeTimes == [1, 10, 3] ?
(has(variables.app.readinessProbe.httpGet) ? variables.probePath : "") :
(has(variables.app.readinessProbe.httpGet) ?
  "{\"httpGet\":{\"path\":\"" + variables.probePath + "\"}" : "{\"tcpSocket\":{}") +
",\"timeoutSeconds\":" + string(variables.probeTimes[0]) +
",\"periodSeconds\":" + string(variables.probeTimes[1]) +
",\"failureThreshold\":" + string(variables.probeTimes[2]) + "}")"},
};

/// `$SIDECAR` and `$HOOK` are objects.
constexpr std::string_view kMutation =
    R"((has(object.metadata.labels) ?
  [JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("$REVISION"), value: variables.workload}] :
  [JSONPatch{op: "add", path: "/metadata/labels", value: {"$REVISION": variables.workload}}]) +
(variables.portName == "" ? [] :
  [JSONPatch{op: "replace", path: variables.path + "/ports/0/name", value: "$USER"}] +
  ["livenessProbe", "startupProbe"].map(probe, variables.app[?probe].?httpGet.?port == optional.of(variables.portName),
    JSONPatch{op: "replace", path: variables.path + "/" + probe + "/httpGet/port", value: "$USER"}) +
  ["livenessProbe", "startupProbe"].map(probe, variables.app[?probe].?tcpSocket.?port == optional.of(variables.portName),
    JSONPatch{op: "replace", path: variables.path + "/" + probe + "/tcpSocket/port", value: "$USER"})) +
(has(variables.app.readinessProbe) ? [JSONPatch{op: "remove", path: variables.path + "/readinessProbe"}] : []) +
[JSONPatch{op: "add", path: variables.path + "/lifecycle", value: Object.spec.containers.lifecycle{preStop: $HOOK}}] +
(has(object.spec.initContainers) ? [] : [JSONPatch{op: "add", path: "/spec/initContainers", value: []}]) +
[JSONPatch{op: "add", path: "/spec/initContainers/-", value: $SIDECAR}])";

constexpr std::string_view kHead =
    R"(# Injects pods as they are made, without a webhook. Made by `bellows inject --policy`.
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata:
  name: bellows-inject
  labels:
    app.kubernetes.io/part-of: bellows
spec:
  failurePolicy: Ignore
  reinvocationPolicy: IfNeeded
  matchConstraints:
    resourceRules:
    - apiGroups: [""]
      apiVersions: [v1]
      operations: [CREATE]
      resources: [pods]
)";

constexpr std::string_view kBindings = R"(---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata:
  name: bellows-inject-pods
  labels:
    app.kubernetes.io/part-of: bellows
spec:
  policyName: bellows-inject
  matchResources:
    objectSelector:
      matchLabels:
        $INJECT: enabled
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata:
  name: bellows-inject-namespaces
  labels:
    app.kubernetes.io/part-of: bellows
spec:
  policyName: bellows-inject
  matchResources:
    namespaceSelector:
      matchLabels:
        $INJECT: enabled
    objectSelector:
      matchExpressions:
      - {key: $INJECT, operator: DoesNotExist}
)";

/// Writes the names and lists into an expression.
std::string filled(std::string text, const Plan& plan) {
  using enum Protocol;
  std::string parts;
  for (const std::string_view part : management_parts()) {
    parts += (parts.empty() ? "" : "|") + std::string(part);
  }
  const std::string taken = "[" + std::to_string(plan.settings.serving_port) + ", " +
                            std::to_string(*plan.settings.activator_port) + ", " +
                            std::to_string(plan.settings.admin_port) + ", " +
                            std::to_string(*plan.settings.drain_port) + "]";
  const std::pair<std::string_view, std::string> values[] = {
      {"$INJECT", std::string(kInjectAnnotation)},
      {"$PORT", std::string(kPortAnnotation)},
      {"$REQUESTS", std::string(kRequestsAnnotation)},
      {"$LIMITS", std::string(kLimitsAnnotation)},
      {"$REVISION", std::string(kRevisionLabel)},
      {"$USER", std::string(kUserPortName)},
      {"$TAKEN", taken},
      {"$PARTS", parts},
      {"$WORDS", cel_list({management_words()})},
      {"$HTTP", cel_list({words_of(kHttp), words_of(kHttp2)})},
      {"$OTHER", cel_list({words_of(kTls), words_of(kOther)})},
      {"$NUMBERS", cel_numbers({numbers_of(kHttp), numbers_of(kHttp2)})},
      {"$$", "$"},
  };
  for (const auto& [name, value] : values) text = replaced(std::move(text), name, value);
  return text;
}

std::string named_list(std::string_view key, std::span<const Named> all, const Plan& plan) {
  std::string text = "  " + std::string(key) + ":\n";
  for (const Named& each : all) {
    text += "  - name: " + std::string(each.name) + "\n    expression: |-\n" +
            lines(filled(std::string(each.expression), plan) + "\n", 6);
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

}  // namespace

Result<std::string> policy_text(const InjectOptions& options) {
  InjectOptions native = options;
  native.is_native = true;
  native.selection = {};
  native.port.clear();
  BELLOWS_TRY(const Sample sample, sample_of(native));
  std::string mutation = filled(std::string(kMutation), sample.plan);
  mutation =
      replaced(std::move(mutation), "$HOOK",
               cel_value(drain_hook(sample.plan), "Object.spec.containers.lifecycle.preStop", 2));
  mutation = replaced(std::move(mutation), "$SIDECAR", sidecar_expression(sample));
  return std::string(kHead) + named_list("matchConditions", kConditions, sample.plan) +
         named_list("variables", kVariables, sample.plan) +
         "  mutations:\n  - patchType: JSONPatch\n    jsonPatch:\n      expression: |-\n" +
         lines(mutation + "\n", 8) + filled(std::string(kBindings), sample.plan);
}

}  // namespace bellows::injector
