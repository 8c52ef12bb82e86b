// Manifests as people write them, each with a name.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/unit/injector/injecting.hpp"

namespace bellows::injector {

struct Shape {
  friend void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }
  std::string name;
  std::string text;
};

inline std::string with_windows_lines(const std::string& text) {
  std::string lines;
  for (const char c : text) lines += c == '\n' ? "\r\n" : std::string(1, c);
  return lines;
}

inline std::string without_last_line_break(std::string text) {
  text.pop_back();
  return text;
}

inline const std::string kJson = R"({
  "apiVersion": "apps/v1",
  "kind": "Deployment",
  "metadata": {"name": "shop"},
  "spec": {
    "template": {
      "metadata": {
        "labels": {"app": "shop"},
        "annotations": {}
      },
      "spec": {
        "containers": [
          {
            "name": "app",
            "image": "a",
            "ports": [{"name": "http", "containerPort": 8080}],
            "readinessProbe": {
              "httpGet": {"path": "/up", "port": "http"}
            },
            "livenessProbe": {"tcpSocket": {"port": "http"}}
          }
        ]
      }
    }
  }
}
)";

inline std::vector<Shape> plain_shapes() {
  const std::string probe =
      "        readinessProbe:\n          httpGet:\n            path: /up\n"
      "            port: 8080\n";
  return {
      {"the least", app_of(kHttpPort)},
      {"a named port", app_of(kNamedPort)},
      {"a readiness probe at the end", app_of(kHttpPort + probe)},
      {"a readiness probe in the middle with comments",
       app_of(kNamedPort + "        # ready?\n" + probe +
              "          # seconds\n          periodSeconds: 3\n        # after it\n"
              "        resources: {}\n")},
      {"a readiness probe first",
       deployment_of("      containers:\n      - readinessProbe:\n          tcpSocket:\n"
                     "            port: http\n        name: app\n" +
                     kNamedPort)},
      {"probes by name",
       app_of(kNamedPort +
              "        livenessProbe:\n          httpGet: {path: /live, port: http}\n"
              "        startupProbe:\n          tcpSocket:\n            port: \"http\"\n")},
      {"an own hook",
       app_of(kNamedPort + "        lifecycle:\n          preStop:\n            exec:\n"
                           "              command: [sleep, '5']\n")},
      {"another hook",
       app_of(kHttpPort + "        lifecycle:\n          postStart:\n            httpGet:\n"
                          "              port: 8080\n        tty: false\n")},
      {"hooks in brackets", app_of(kHttpPort + "        lifecycle: {}\n")},
      {"hooks of null", app_of(kHttpPort + "        lifecycle: ~\n        tty: false\n")},
      {"nothing after lifecycle", app_of("        lifecycle:\n" + kHttpPort)},
      {"init containers",
       deployment_of("      initContainers:\n      - name: init\n        image: b\n"
                     "      containers:\n      - name: app\n" +
                     kHttpPort)},
      {"an empty list of init containers",
       deployment_of("      initContainers: []\n      containers:\n      - name: app\n" +
                     kHttpPort)},
  };
}

inline std::vector<Shape> shapes_with_volumes() {
  return {
      {"a volume of its own, last",
       app_of(kHttpPort + "      volumes:\n      - name: data\n        emptyDir: {} # here\n")},
      {"a volume of its own, further in and first",
       deployment_of("      volumes:\n        - name: data\n          emptyDir: {}\n\n"
                     "      # below\n      containers:\n      - name: app\n" +
                     kHttpPort)},
      {"volumes of nothing", app_of(kHttpPort + "      volumes: # none\n      tty: false\n")},
      {"volumes of nothing at the end", app_of(kHttpPort + "      volumes:\n")},
      {"volumes written as null", app_of(kHttpPort + "      volumes: null # none\n")},
  };
}

inline std::vector<Shape> odd_shapes() {
  return {
      {"an own security context",
       deployment_of("      securityContext:\n        runAsUser: 1000\n      containers:\n"
                     "      - name: app\n        securityContext: {privileged: true}\n" +
                     kHttpPort)},
      {"dashes further in, comments everywhere",
       "# top\n---\n# second\n" +
           deployment_of("      # before\n      containers:   # here\n          # first\n"
                         "          -   # the app\n              name: app   # its name\n"
                         "              ports:\n                -   containerPort: 8080 # yes\n"
                         "                    name:   http   # the name\n"
                         "                # below\n              # after\n          # end\n\n"
                         "      # volumes\n      volumes: []\n")},
      {"a block of text at the end",
       app_of(kHttpPort + "        command:\n        - sh\n        - |+\n          # no comment\n"
                          "          true\n\n      volumes: []\n")},
      {"a folded text that looks like a comment",
       app_of(kHttpPort + "        args:\n        - >-\n          a\n          # b\n")},
      {"annotations",
       deployment_of("      containers:\n      - name: app\n" + kHttpPort) + "  # of the object\n"},
  };
}

inline std::vector<Shape> more_shapes() {
  const std::string labels =
      "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: shop}\nspec:\n"
      "  template:\n    metadata:\n";
  const std::string pod = "    spec:\n      containers:\n      - name: app\n" + kHttpPort;
  return {
      {"annotations of null", labels + "      annotations:\n      labels: {app: shop}\n" + pod},
      {"annotations written as null", labels +
                                          "      annotations: null # none\n      labels:\n"
                                          "        app: shop\n" +
                                          pod},
      {"an empty map of annotations", labels +
                                          "      annotations: {}\n      labels:\n"
                                          "        app: shop\n" +
                                          pod},
      {"other annotations", labels +
                                "      labels:\n        app: shop\n      annotations:\n"
                                "        a/b: \"c\" # d\n        # e\n" +
                                pod},
      {"Windows lines", with_windows_lines(app_of(kNamedPort + "        # x\n"))},
      {"no line break at the end", without_last_line_break(app_of(kNamedPort))},
      {"a byte order mark", "\xEF\xBB\xBF" + app_of(kNamedPort)},
      {"umlauts",
       "# Geschäft ü\n" + app_of(kNamedPort + "        env: [{name: Ä, value: ö}] # ß\n")},
      {"a document that ends with dots", app_of(kHttpPort) + "...\n"},
      {"a directive", "%YAML 1.2\n---\n" + app_of(kHttpPort)},
  };
}

inline std::vector<Shape> collected_shapes() {
  return {
      {"JSON", kJson},
      {"JSON on one line",
       R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"shop"},"spec":{"containers":[{"name":"app","ports":[{"containerPort":8080}],"readinessProbe":{"tcpSocket":{"port":8080}}}]}})"
       "\n"},
      {"JSON with null",
       R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"shop"},"spec":{"volumes":null,"containers":[{"name":"app","ports":[{"containerPort":8080}]}]}})"
       "\n"},
      {"brackets of YAML",
       "kind: Pod\napiVersion: v1\nmetadata: {name: shop, labels: {a: don't}}\n"
       "spec: {containers: [{name: app, # the app\n  ports: [{containerPort: 8080}], }]} # end\n"},
      {"a Service with a number",
       app_of(kNamedPort) + service_of("  - port: 80\n    targetPort: 8080\n")},
      {"a Service without a target",
       app_of(kHttpPort) +
           service_of("  - port: 8080 # both\n  - {port: 9090, targetPort: 9090}\n")},
      {"a Service in JSON lines",
       app_of(kHttpPort) +
           "--- {apiVersion: v1, kind: Service, metadata: {name: s}, spec: {selector: {app: "
           "shop}, ports: [{port: 80, targetPort: 8080}]}}\n"},
      {"a List",
       "kind: List\napiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Service\n  metadata:\n    "
       "name: shop\n"
       "  spec:\n    selector: {app: shop}\n    ports:\n    - port: 80\n      targetPort: 8080\n"
       "# the pods\n- apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: shop}\n  spec:\n"
       "    template:\n      metadata:\n        labels: {app: shop}\n      spec:\n        "
       "containers:\n"
       "        - name: app\n          ports: [{containerPort: 8080, name: web}]\n"
       "          readinessProbe: {httpGet: {port: web}}\n"},
      {"many documents",
       "---\n---\n# nothing\n---\na: 1\n---\n" + app_of(kHttpPort) + "---\nkind: Job\n"},
      {"an anchor elsewhere",
       app_of(kHttpPort + "        env: &env\n        - {name: A, value: b}\n"
                          "      - name: other\n        env: *env\n")},
      {"as kubectl prints it",
       "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  annotations:\n"
       "    kubectl.kubernetes.io/last-applied-configuration: |\n      {\"kind\":\"Deployment\"}\n"
       "  name: shop\nspec:\n  replicas: 2\n  template:\n    metadata:\n      creationTimestamp: "
       "null\n"
       "      labels:\n        app: shop\n    spec:\n      containers:\n      - image: a\n        "
       "name: app\n"
       "        ports:\n        - containerPort: 8080\n          name: http\n          protocol: "
       "TCP\n"
       "        readinessProbe:\n          failureThreshold: 3\n          httpGet:\n            "
       "path: /\n"
       "            port: http\n            scheme: HTTP\n          periodSeconds: 10\n"
       "          successThreshold: 1\n          timeoutSeconds: 1\n        resources: {}\n"
       "        terminationMessagePath: /dev/termination-log\n      dnsPolicy: ClusterFirst\n"
       "status: {}\n"},
  };
}

/// Where changes fall into values that anchors, aliases and merge keys share.
inline std::vector<Shape> shared_shapes() {
  const std::string head = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\n";
  const std::string pod = "    spec:\n      containers:\n      - name: app\n" + kNamedPort;
  return {
      {"labels by an alias", head +
                                 "  labels: &labels\n    app: shop # all\nspec:\n  template:\n"
                                 "    metadata:\n      labels: *labels # same\n" +
                                 pod},
      {"labels with an anchor", head +
                                    "spec:\n  template:\n    metadata:\n"
                                    "      labels: &labels {app: shop}\n" +
                                    pod + "  selector: {matchLabels: *labels}\n"},
      {"probes by an alias", app_of(kNamedPort + "        readinessProbe: &probe # both\n"
                                                 "          httpGet: {port: http}\n"
                                                 "        livenessProbe: *probe\n")},
      {"a merge key with a probe",
       "x: &x\n  readinessProbe: {tcpSocket: {port: http}}\n  tty: true\n" +
           app_of("        # defaults\n        <<: *x # of all\n" + kNamedPort)},
      {"a merge key first",
       "x: &x {readinessProbe: {tcpSocket: {port: 8080}}, tty: yes}\n" +
           deployment_of("      containers:\n      - <<: *x\n        name: app\n" + kNamedPort)},
      {"a merge key in brackets",
       "x: &x {readinessProbe: {tcpSocket: {port: 8080}}}\n" +
           deployment_of(
               "      containers: [{name: app, <<: *x, ports: [{containerPort: 8080}]}]\n")},
      {"objects in a row", kJson + kJson.substr(0, kJson.size() - 1)},
  };
}

inline std::vector<Shape> common_shapes() {
  std::vector<Shape> shapes = plain_shapes();
  for (auto* more : {shapes_with_volumes, odd_shapes, more_shapes}) {
    for (Shape& shape : more()) shapes.push_back(std::move(shape));
  }
  for (Shape& shape : collected_shapes()) shapes.push_back(std::move(shape));
  for (Shape& shape : shared_shapes()) shapes.push_back(std::move(shape));
  return shapes;
}

}  // namespace bellows::injector
