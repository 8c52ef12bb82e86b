#include "cluster/kubernetes/core/crd.hpp"

#include <cmath>
#include <string_view>
#include <vector>

#include "base/number_text.hpp"
#include "cluster/kubernetes/core/names.hpp"
#include "config/help.hpp"
#include "config/reach.hpp"
#include "config/revision_schema.hpp"
#include "json/yaml_lines.hpp"

namespace bellows::cluster {

namespace {

using config::Declaration;
using config::Kind;
using json::YamlLines;

constexpr std::string_view kIntroduction =
    R"(# Made from the declarations in config/. Renew it with:
#     cmake --build --preset dev --target crd_manifest && build/dev/bin/crd_manifest deploy/crd.yaml
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: revisions.bellows.dev
  labels:
    app.kubernetes.io/name: bellows
    app.kubernetes.io/part-of: bellows
spec:
  group: bellows.dev
  scope: Namespaced
  names:
    kind: Revision
    listKind: RevisionList
    plural: revisions
    singular: revision
    shortNames:
    - brev
  versions:
  - name: v1alpha1
    served: true
    storage: true
    subresources:
      status: {}
    additionalPrinterColumns:
    - name: Ready
      type: string
      description: True if it takes requests and has no problem.
      jsonPath: .status.conditions[?(@.type=="Ready")].status
    - name: Active
      type: string
      description: True if it has replicas; at zero its requests wait at the activator.
      jsonPath: .status.conditions[?(@.type=="Active")].status
    - name: Desired
      type: integer
      description: The replicas that the load needs.
      jsonPath: .status.desiredReplicas
    - name: Replicas-Ready
      type: integer
      description: The replicas that are ready.
      jsonPath: .status.readyReplicas
    - name: Reason
      type: string
      description: The reason of the condition Ready.
      jsonPath: .status.conditions[?(@.type=="Ready")].reason
    - name: Age
      type: date
      description: The time since it was made.
      jsonPath: .metadata.creationTimestamp
    - name: Decision
      type: string
      priority: 1
      description: The last decision of the autoscaler.
      jsonPath: .status.reason
    - name: Target
      type: string
      priority: 1
      description: The name of the scaled object.
      jsonPath: .spec.scaleTargetRef.name
    schema:
      openAPIV3Schema:
        type: object
        description: A workload whose replicas follow its requests, to zero too.
        required:
        - spec
        properties:
          apiVersion:
            type: string
            description: bellows.dev/v1alpha1.
          kind:
            type: string
            description: Revision.
          metadata:
            type: object
          spec:
            type: object
            description: The scaled object, and how it is scaled.
            required:
            - scaleTargetRef
            properties:
              scaleTargetRef:
                type: object
                description: The scaled object, in the namespace of the Revision. Its kind needs the subresource scale.
                required:
                - name
                properties:
                  apiVersion:
                    type: string
                    default: apps/v1
                    pattern: ^([a-z0-9.-]+/)?[a-z0-9]+$
                    description: Its group and version.
                  kind:
                    type: string
                    default: Deployment
                    pattern: ^[A-Za-z0-9]+$
                    description: Its kind, Deployment or any other one with the subresource scale.
                  name:
                    type: string
                    minLength: 1
                    maxLength: 253
                    description: Its name.
              serviceName:
                type: string
                maxLength: 63
                description: The Service whose requests count. The default is the one whose selector matches the pods.
              port:
                type: integer
                format: int32
                minimum: 1
                maximum: 65535
                description: The port at which a pod takes requests. The default is the port queue-port of the container queue-proxy, or 8012.
              state:
                type: string
                default: Active
                enum:
                - Active
                - Paused
                - Retired
                description: Active scales. Paused leaves the number of replicas as it is. Retired takes it out of service and to zero.
              with:
                type: string
                enum:
                - hpa
                description: Shares the target with its HorizontalPodAutoscaler. Bellows scales between zero and its minimum, the HorizontalPodAutoscaler all above.
              scaling:
                type: object
                description: The settings. They win over annotations of the target.
)";

constexpr std::string_view kStatus = R"(          status:
            type: object
            description: The autoscaler's report.
            properties:
              observedGeneration:
                type: integer
                format: int64
                description: The generation of the Revision that the report is about.
              conditions:
                type: array
                description: What holds of it. docs/kubernetes.md lists types and reasons.
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys:
                - type
                items:
                  type: object
                  description: One of them, as in metav1.Condition.
                  required:
                  - type
                  - status
                  - reason
                  - message
                  - lastTransitionTime
                  properties:
                    type:
                      type: string
                      description: What the condition is about, Ready for example.
                    status:
                      type: string
                      description: Whether it holds.
                      enum:
                      - "True"
                      - "False"
                      - Unknown
                    reason:
                      type: string
                      minLength: 1
                      description: The reason in one word.
                    message:
                      type: string
                      description: The reason as a sentence, with what to do.
                    lastTransitionTime:
                      type: string
                      format: date-time
                      description: The time of the last change of the status.
                    observedGeneration:
                      type: integer
                      format: int64
                      description: The generation of the Revision that the condition is about.
              replicas:
                type: integer
                format: int32
                description: The pods that are not terminating.
              readyReplicas:
                type: integer
                format: int32
                description: The pods that are ready.
              desiredReplicas:
                type: integer
                format: int32
                description: The number that the load needs.
              mode:
                type: string
                description: stable or panic.
              reason:
                type: string
                description: The last decision in one line.
              settings:
                type: object
                description: The last valid settings, which stay in force while newer ones are invalid.
                additionalProperties:
                  type: string
                  description: The value of the setting with this name.
              learnedTarget:
                type: number
                description: The target that the slow brain has learned. Activators fill a replica to twice that while others start.
              activatorPort:
                type: integer
                format: int32
                description: The port at which activators take its requests.
              restingPorts:
                type: array
                description: Ports of deleted Revisions. They are assigned again after five minutes.
                items:
                  type: object
                  description: One port.
                  required: [port, since]
                  properties:
                    port:
                      type: integer
                      format: int32
                      description: The port.
                    since:
                      type: string
                      format: date-time
                      description: The time of its release.
              savedState:
                type: string
                description: The state from which the next autoscaler resumes.
)";

/// Writes a rule about one setting. Each rule is one line and its message another, so that
/// tools/manifest can leave them out.
void write_rule(const std::string& rule, const Declaration& declaration, YamlLines& yaml) {
  yaml.line("x-kubernetes-validations:");
  yaml.line("- rule: " + json::quoted(rule));
  yaml.line("  message: " + json::quoted("want " + config::valid_values_text(declaration)));
}

/// Writes a bound with a fraction as a rule too. The API server drops the fraction when it compares
/// `minimum` with a whole number, and so takes 0 for at least 0.01 (tried on 1.36.2).
void write_fraction(const Declaration& declaration, YamlLines& yaml) {
  const config::Bounds& bounds = declaration.bounds;
  if (!bounds.min || bounds.also || *bounds.min == std::floor(*bounds.min)) return;
  const std::string comparison = bounds.min_excluded ? "self > " : "self >= ";
  write_rule(comparison + plain_text(*bounds.min), declaration, yaml);
}

/// Writes bounds of plain numbers. Those of quantities are in the description, because the schema
/// sees a text; the autoscaler checks them.
void write_bounds(const Declaration& declaration, YamlLines& yaml) {
  const config::Bounds& bounds = declaration.bounds;
  const auto range = [&](YamlLines& out) {
    if (bounds.min) out.plain("minimum", plain_text(*bounds.min));
    if (bounds.min && bounds.min_excluded) out.plain("exclusiveMinimum", "true");
    if (bounds.max) out.plain("maximum", plain_text(*bounds.max));
    if (bounds.max && bounds.max_excluded) out.plain("exclusiveMaximum", "true");
  };
  if (!bounds.also) return range(yaml);
  yaml.line("anyOf:");
  yaml.line("- enum:").line("  - " + plain_text(*bounds.also));
  if (bounds.min) yaml.line("- minimum: " + plain_text(*bounds.min));
  if (bounds.max) yaml.line("  maximum: " + plain_text(*bounds.max));
}

/// Returns a bound as CEL reads it.
std::string cel_duration(double nanoseconds) {
  return "duration('" + plain_text(nanoseconds / 1e9) + "s')";
}

/// Writes the bounds of a duration as a rule. CEL does not know days, which the autoscaler checks.
void write_duration_bounds(const Declaration& declaration, YamlLines& yaml) {
  const config::Bounds& bounds = declaration.bounds;
  std::string rule;
  const auto add = [&](const std::string& comparison, double bound) {
    rule +=
        (rule.empty() ? "" : " && ") + ("duration(self) " + comparison + " ") + cel_duration(bound);
  };
  if (bounds.min) add(bounds.min_excluded ? ">" : ">=", *bounds.min);
  if (bounds.max) add(bounds.max_excluded ? "<" : "<=", *bounds.max);
  if (rule.empty()) return;
  if (bounds.also) rule += " || duration(self) == " + cel_duration(*bounds.also);
  write_rule("self.contains('d') || " + rule, declaration, yaml);
}

void write_quantity(std::string_view pattern, YamlLines& yaml) {
  yaml.plain("x-kubernetes-int-or-string", "true");
  yaml.text("pattern", pattern);
}

void write_type(const Declaration& declaration, YamlLines& yaml) {
  switch (declaration.kind) {
    case Kind::kInteger:
    case Kind::kNumber:
    case Kind::kPercent:
      yaml.plain("type", declaration.kind == Kind::kInteger ? "integer" : "number");
      write_bounds(declaration, yaml);
      return write_fraction(declaration, yaml);
    case Kind::kFlag:
      yaml.plain("type", "boolean");
      return;
    case Kind::kChoice:
      yaml.plain("type", "string").line("enum:");
      for (const std::string& choice : declaration.choices) yaml.line("- " + json::quoted(choice));
      return;
    case Kind::kDuration:
      // Without a length the server takes a CEL rule over it for too costly.
      yaml.plain("type", "string")
          .plain("maxLength", "64")
          .text("pattern", "^(0|([0-9.]+(d|h|m|s|ms|us|ns))+)$");
      return write_duration_bounds(declaration, yaml);
    case Kind::kBytes:
      return write_quantity("^[0-9.]+(Ki|Mi|Gi|Ti|k|M|G|T)?$", yaml);
    case Kind::kCpu:
      return write_quantity("^[0-9.]+m?$", yaml);
    case Kind::kText:
    case Kind::kEndpoint:
    case Kind::kWebSocketUrl:
      yaml.plain("type", "string");
      return;
  }
}

/// Returns what the rule wants with the names of spec.scaling.
std::string in_camel_case(const config::LayoutRule& rule) {
  std::string text = rule.want;
  for (const std::string& setting : rule.settings) {
    const std::string name = config::camel_case(setting);
    for (std::size_t at = text.find(setting); at != std::string::npos;
         at = text.find(setting, at + name.size())) {
      text.replace(at, setting.size(), name);
    }
  }
  return text;
}

/// The depth of what spec.scaling has.
constexpr std::size_t kScalingDepth = 8;

/// Writes the rules between settings that both are in spec.scaling: annotations may have others, so
/// the autoscaler checks all of them too.
void write_rules(YamlLines& yaml) {
  yaml.line("x-kubernetes-validations:");
  for (const config::LayoutRule& rule : config::revision_schema().rules()) {
    if (rule.cel.empty()) continue;
    std::string text;
    for (const std::string& setting : rule.settings) {
      const std::string member = "self." + config::camel_case(setting);
      text += "!has(" + member + ") || ";
      const bool is_duration = rule.cel.find("duration(" + member + ")") != std::string::npos;
      if (is_duration) text += member + ".contains('d') || ";
    }
    yaml.line("- rule: " + json::quoted(text + rule.cel));
    yaml.line("  message: " + json::quoted("want " + in_camel_case(rule)));
  }
}

}  // namespace

std::string crd_yaml() {
  YamlLines settings(kScalingDepth);
  write_rules(settings);
  settings.open("properties");
  for (Declaration declaration : config::revision_schema().declarations()) {
    if (config::is_refused_on_kubernetes(declaration.name)) continue;
    settings.open(config::camel_case(declaration.name));
    write_type(declaration, settings);
    declaration.variable.clear();  // a cluster has no environment variables
    settings.text("description", config::flag_text(declaration));
    settings.close();
  }
  return std::string(kIntroduction) + settings.end() + std::string(kStatus);
}

}  // namespace bellows::cluster
