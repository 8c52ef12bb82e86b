// What is injected where, and what is refused with which reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "config/queue_proxy_settings.hpp"
#include "injector/core/names.hpp"
#include "tests/unit/config/settings_text.hpp"
#include "tests/unit/injector/injecting.hpp"

namespace bellows::injector {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

/// The pod spec of the first workload of `text`.
Node spec_of(const std::string& text) {
  const auto manifests = manifests_of(text);
  for (const Resource& resource : find_resources(manifests)) {
    const Node* const pod = pod_of(resource);
    if (pod != nullptr) return *pod->find("spec");
  }
  ADD_FAILURE() << "no workload in\n" << text;
  return {};
}

Node container_of(const std::string& text, const std::string& name) {
  const Node spec = spec_of(text);
  for (const char* list : {"containers", "initContainers"}) {
    const Node* const containers = spec.find(list);
    if (containers == nullptr) continue;
    for (const Node& container : containers->items) {
      if (container.text_at("name") == name) return container;
    }
  }
  ADD_FAILURE() << "no container " << name << " in\n" << text;
  return {};
}

/// What the queue-proxy itself makes of its flags.
config::QueueProxySettings settings_of(const std::string& text) {
  const Node sidecar = container_of(text, "queue-proxy");
  config::Layer layer = {config::flag("pod", "shop-1")};  // from the environment
  for (const Node& flag : sidecar.find("args")->items) {
    const std::size_t equals = flag.text.find('=');
    layer.push_back(config::flag(flag.text.substr(2, equals - 2), flag.text.substr(equals + 1)));
  }
  const auto settings = config::queue_proxy_schema().apply({layer});
  if (settings) return *settings;
  ADD_FAILURE() << config::problems_text(settings.error()) << text;
  return {};
}

std::string refusal_of(const std::string& text) {
  const Output output = injected(text);
  EXPECT_EQ(output.text, text) << "what is refused stays as it is";
  return output.report;
}

TEST(InjectedPod, HasAQueueProxyWithTheSettingsOfItsRevision) {
  const std::string text =
      "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\n  annotations:\n"
      "    bellows.dev/container-concurrency: \"7\"\n    autoscaling.knative.dev/window: 90s\n"
      "spec:\n  template:\n    metadata:\n      annotations:\n"
      "        bellows.dev/container-concurrency: \"3\"\n        bellows.dev/min-scale: \"2\"\n"
      "        bellows.dev/queue-bytes: 32Mi\n      labels: {app: shop}\n"
      "    spec:\n      containers:\n      - name: app\n" +
      kHttpPort;
  const config::QueueProxySettings settings = settings_of(injected(text).text);
  EXPECT_EQ(settings.revision.text(), "$(SERVING_NAMESPACE)/shop");
  EXPECT_EQ(settings.user_port, 8080);
  EXPECT_EQ(settings.serving_port, 8012);
  EXPECT_EQ(settings.activator_port, 8013);
  EXPECT_EQ(settings.drain_port, 8023);
  EXPECT_FALSE(settings.behind_activator);
  EXPECT_EQ(config::to_string(settings.autoscaler),
            "ws://bellows-autoscaler.bellows-system:8080/v1/stats");
  EXPECT_EQ(settings.container_concurrency, 7) << "the workload's annotation wins";
  EXPECT_EQ(settings.window, 90s);
  EXPECT_EQ(settings.queue_bytes, mebibytes(32));
  EXPECT_EQ(container_of(injected(text).text, "queue-proxy").text_at("resources/limits/memory"),
            "96Mi");
}

TEST(InjectedPod, NamesAnInvalidSettingAndStaysAsItIs) {
  const std::string text =
      "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\n  annotations:\n"
      "    bellows.dev/container-concurrency: many\nspec:\n  template:\n    metadata:\n"
      "      labels: {app: shop}\n    spec:\n      containers:\n      - name: app\n" +
      kHttpPort;
  EXPECT_THAT(refusal_of(text), HasSubstr("refused: annotation bellows.dev/container-concurrency: "
                                          "\"many\": want a whole number from 0 to 1000"));
}

TEST(InjectedPod, IsAsRestrictedAsAPodSecurityStandardWants) {
  const Node context =
      *container_of(injected(app_of(kHttpPort)).text, "queue-proxy").find("securityContext");
  EXPECT_EQ(context.text_at("runAsNonRoot"), "true");
  EXPECT_EQ(context.text_at("runAsUser"), "65532");
  EXPECT_EQ(context.text_at("allowPrivilegeEscalation"), "false");
  EXPECT_EQ(context.text_at("readOnlyRootFilesystem"), "true");
  EXPECT_EQ(context.text_at("capabilities/drop/0"), "ALL");
  EXPECT_EQ(context.text_at("seccompProfile/type"), "RuntimeDefault");
}

TEST(InjectedPod, HasATokenForTheAutoscalerAlone) {
  const std::string text = app_of(kHttpPort + "      volumes:\n      - name: data\n");
  const std::string output = injected(text).text;
  const Node spec = spec_of(output);
  ASSERT_EQ(spec.find("volumes")->items.size(), 2U);
  const Node& volume = spec.find("volumes")->items.back();
  EXPECT_EQ(volume.text_at("name"), "bellows-stats-token");
  const Node* const token = volume.at("projected/sources/0/serviceAccountToken");
  ASSERT_NE(token, nullptr) << output;
  EXPECT_EQ(token->text_at("audience"), "bellows-stats");
  EXPECT_EQ(token->text_at("expirationSeconds"), "3600");
  const Node sidecar = container_of(output, "queue-proxy");
  EXPECT_EQ(sidecar.text_at("volumeMounts/0/name"), "bellows-stats-token");
  EXPECT_EQ(sidecar.text_at("volumeMounts/0/readOnly"), "true");
  EXPECT_EQ(settings_of(output).stats_token_file,
            sidecar.text_at("volumeMounts/0/mountPath") + "/" + token->text_at("path"));
  EXPECT_EQ(container_of(output, "app").find("volumeMounts"), nullptr);
}

TEST(InjectedPod, HasNoTokenWithoutAnAutoscaler) {
  InjectOptions options = options_of_tests();
  options.autoscaler = "";
  EXPECT_THAT(injected(app_of(kHttpPort), options).text, Not(HasSubstr("token")));
}

TEST(InjectedPod, IsRefusedIfAVolumeHasTheNameOfOurs) {
  EXPECT_THAT(refusal_of(app_of(kHttpPort + "      volumes:\n      - name: bellows-stats-token\n")),
              HasSubstr("volume bellows-stats-token: is there, and not by `bellows inject`"));
  EXPECT_THAT(refusal_of(app_of(kHttpPort + "      volumes: {}\n")),
              HasSubstr("spec.volumes: want a list, or nothing"));
}

TEST(InjectedPod, HasTheLabelOfItsRevision) {
  const auto manifests = manifests_of(injected(app_of(kHttpPort)).text);
  const Node& root = manifests.front().documents.front().root;
  EXPECT_EQ(root.at("spec/template/metadata/labels")->find(kRevisionLabel)->text, "shop");
}

TEST(NativeSidecar, IsTheLastInitContainerThatAlwaysRestartsAndHasAHook) {
  InjectOptions options = options_of_tests();
  options.is_native = true;
  const std::string text = deployment_of(
      "      initContainers:\n      - name: first\n      containers:\n      - name: app\n" +
      kHttpPort);
  const std::string output = injected(text, options).text;
  const Node spec = spec_of(output);
  ASSERT_EQ(spec.find("initContainers")->items.size(), 2U);
  const Node& sidecar = spec.find("initContainers")->items.back();
  EXPECT_EQ(sidecar.text_at("restartPolicy"), "Always");
  EXPECT_EQ(sidecar.find("startupProbe"), nullptr) << "it would hold back the app";
  EXPECT_EQ(sidecar.text_at("lifecycle/preStop/httpGet/path"), "/drain/pod");
  EXPECT_EQ(spec.find("containers")->items.size(), 1U);
}

TEST(Sidecar, IsNoNativeOneUnlessTold) {
  const std::string output = injected(app_of(kHttpPort)).text;
  EXPECT_EQ(spec_of(output).find("initContainers"), nullptr);
  EXPECT_EQ(container_of(output, "queue-proxy").find("restartPolicy"), nullptr);
}

struct ProbeCase {
  std::string probe;        // lines of the container
  std::string queue_proxy;  // its readiness-probe as text; empty: a TCP connect
  bool moves = true;
};

TEST(ReadinessProbe, GoesToTheQueueProxyIfThatCanSendIt) {
  const std::string base = "        readinessProbe:\n";
  const std::vector<ProbeCase> cases = {
      {base + "          httpGet: {path: /up, port: 8080}\n", "/up"},
      {base + "          httpGet: {port: http}\n", "/"},
      {base + "          httpGet: {path: /up, port: 9090}\n          periodSeconds: 3\n",
       R"({"httpGet":{"path":"/up","port":9090},"timeoutSeconds":1,"periodSeconds":3,"failureThreshold":3})"},
      {base + "          tcpSocket: {port: http}\n", ""},
      {"", "", false},
      {base + "          exec: {command: [\"true\"]}\n", "", false},
      {base + "          grpc: {port: 8080}\n", "", false},
      {base + "          httpGet: {path: /up, port: 9443, scheme: HTTPS}\n", "", false},
      {base + "          httpGet: {path: /up, port: 8080, host: other}\n", "", false},
      {base + "          httpGet: {port: 8080, httpHeaders: [{name: Host, value: a}]}\n", "",
       false},
      {base + "          httpGet: {port: unknown}\n", "", false},
  };
  for (const ProbeCase& each : cases) {
    SCOPED_TRACE(each.probe);
    const std::string output = injected(app_of(kNamedPort + each.probe)).text;
    EXPECT_EQ(config::to_string(settings_of(output).readiness), each.queue_proxy);
    const bool stays = container_of(output, "app").find("readinessProbe") != nullptr;
    EXPECT_EQ(stays, !each.moves && !each.probe.empty());
    const Node sidecar = container_of(output, "queue-proxy");
    EXPECT_EQ(sidecar.text_at("readinessProbe/httpGet/path"), "/readyz");
    EXPECT_EQ(sidecar.text_at("readinessProbe/httpGet/port"), "8022");
    EXPECT_EQ(sidecar.text_at("readinessProbe/periodSeconds"), "1");
  }
}

TEST(NamedPort, MovesToTheQueueProxyAndTheProbesThatStayFollow) {
  const std::string output =
      injected(app_of(kNamedPort + "        livenessProbe: {httpGet: {port: http}}\n"
                                   "        startupProbe: {tcpSocket: {port: http}}\n"
                                   "        readinessProbe: {httpGet: {port: http, host: other}}\n"
                                   "        lifecycle: {postStart: {httpGet: {port: http}}}\n"))
          .text;
  const Node app = container_of(output, "app");
  for (const char* path :
       {"ports/0/name", "livenessProbe/httpGet/port", "startupProbe/tcpSocket/port",
        "readinessProbe/httpGet/port", "lifecycle/postStart/httpGet/port"}) {
    EXPECT_EQ(app.text_at(path), "user-port") << path;
  }
  EXPECT_EQ(app.text_at("ports/0/containerPort"), "8080");
  const Node sidecar = container_of(output, "queue-proxy");
  EXPECT_EQ(sidecar.text_at("ports/0/name"), "http");
  EXPECT_EQ(sidecar.text_at("ports/0/containerPort"), "8012");
  EXPECT_EQ(sidecar.text_at("ports/1/name"), "queue-port");
  EXPECT_EQ(sidecar.text_at("ports/1/containerPort"), "8013");
}

TEST(QueueProxyPorts, AreOthersWhereAContainerHasThem) {
  const std::string output =
      injected(app_of("        ports:\n        - {name: http, containerPort: 8012}\n"
                      "        - {name: user-port, containerPort: 8022}\n"))
          .text;
  const config::QueueProxySettings settings = settings_of(output);
  EXPECT_EQ(settings.user_port, 8012);
  EXPECT_EQ(settings.serving_port, 18012);
  EXPECT_EQ(settings.activator_port, 8013);
  EXPECT_EQ(settings.admin_port, 18022);
  EXPECT_EQ(container_of(output, "app").text_at("ports/0/name"), "user-port-2");
  EXPECT_EQ(container_of(output, "queue-proxy").text_at("readinessProbe/httpGet/port"), "18022");
}

TEST(DrainTimeout, FitsIntoTheGracePeriodOfThePod) {
  const auto drain_of = [](const std::string& grace) {
    const std::string line =
        grace.empty() ? "" : "      terminationGracePeriodSeconds: " + grace + "\n";
    const Output output =
        injected(deployment_of(line + "      containers:\n      - name: app\n" + kHttpPort));
    const config::QueueProxySettings settings = settings_of(output.text);
    const bool has_warning =
        output.report.find("terminationGracePeriodSeconds") != std::string::npos;
    return std::tuple(settings.drain_timeout, settings.drain_quiet_time, has_warning);
  };
  EXPECT_EQ(drain_of(""), std::tuple(25s, 4s, false));
  EXPECT_EQ(drain_of("600"), std::tuple(595s, 4s, false));
  EXPECT_EQ(drain_of("10"), std::tuple(9s, 4s, false));
  EXPECT_EQ(drain_of("4"), std::tuple(3s, 3s, true));
  EXPECT_EQ(drain_of("1"), std::tuple(0s, 0s, true));
  EXPECT_EQ(drain_of("0"), std::tuple(0s, 0s, true));
}

TEST(DrainTimeout, ThatTheGracePeriodCutsIsReported) {
  const auto report_of = [](const std::string& timeout, const std::string& grace) {
    return injected(
               "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\n  annotations:\n"
               "    bellows.dev/drain-timeout: " +
               timeout +
               "\nspec:\n  template:\n    metadata: {labels: {app: shop}}\n    spec:\n"
               "      terminationGracePeriodSeconds: " +
               grace + "\n      containers:\n      - name: app\n" + kHttpPort)
        .report;
  };
  EXPECT_THAT(report_of("1h", "30"),
              HasSubstr("warning: drain-timeout 1h becomes 25s: the pod is killed at its "
                        "terminationGracePeriodSeconds, 30; want 3605 there"));
  EXPECT_THAT(report_of("1h", "3605"), Not(HasSubstr("drain-timeout")));
  EXPECT_THAT(report_of("20s", "30"), Not(HasSubstr("drain-timeout")));
}

TEST(AppHook, HoldsTheAppBackUnlessItHasOneOfItsOwn) {
  const Node hooked = container_of(injected(app_of(kHttpPort)).text, "app");
  EXPECT_EQ(hooked.text_at("lifecycle/preStop/httpGet/path"), "/drain");
  EXPECT_EQ(hooked.text_at("lifecycle/preStop/httpGet/port"), "8023");
  const Output own = injected(
      app_of(kHttpPort + "        lifecycle: {preStop: {exec: {command: [sleep, \"5\"]}}}\n"));
  EXPECT_EQ(container_of(own.text, "app").text_at("lifecycle/preStop/exec/command/0"), "sleep");
  EXPECT_THAT(own.report,
              HasSubstr("warning: container app keeps its preStop hook, and gets SIGTERM "
                        "after it"));
  EXPECT_THAT(own.report, HasSubstr("http://127.0.0.1:8023/drain"));
}

int port_of(const std::string& text) {
  return settings_of(injected(text).text).user_port;
}

TEST(AppPort, IsThatOfTheServiceOrTheOnlyOneOrTheOneThatSaysHttp) {
  const std::string two =
      "        ports:\n        - {name: api, containerPort: 8080}\n"
      "        - {name: metrics, containerPort: 9090}\n";
  const std::string http =
      "        ports:\n        - {name: http, containerPort: 8080}\n"
      "        - {name: metrics, containerPort: 9090}\n";
  EXPECT_EQ(port_of(app_of(http)), 8080);
  EXPECT_EQ(port_of(app_of(two) + service_of("  - {port: 81, targetPort: 9090}\n"
                                             "  - {port: 80, targetPort: 8080}\n")),
            8080)
      << "port 80 is HTTP";
  EXPECT_EQ(port_of(app_of(two) + service_of("  - {port: 1, name: http-a, targetPort: metrics}\n"
                                             "  - {port: 2, name: b, targetPort: api}\n")),
            8080)
      << "metrics are not what callers want";
  EXPECT_EQ(port_of(app_of("        tty: true\n") + service_of("  - {port: 3000}\n")), 3000)
      << "a port need not be declared";
  EXPECT_EQ(port_of(app_of("        ports:\n        - {name: http, containerPort: 0}\n"
                           "        - {name: web, containerPort: 8081}\n")),
            8081)
      << "0 is no port";
  EXPECT_EQ(port_of(app_of(kHttpPort) + service_of("  - {port: 53, protocol: UDP}\n")), 8080);
}

TEST(AppPort, IsTheOneThatAnAnnotationOrAFlagNames) {
  const auto annotated = [](const std::string& port) {
    return "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\n  annotations:\n"
           "    inject.bellows.dev/port: \"" +
           port +
           "\"\nspec:\n  template:\n    metadata:\n"
           "      labels: {app: shop}\n    spec:\n      containers:\n      - name: app\n"
           "        ports:\n        - {name: api, containerPort: 8080}\n"
           "        - {name: b, containerPort: 9090}\n";
  };
  EXPECT_EQ(settings_of(injected(annotated("api")).text).user_port, 8080);
  EXPECT_EQ(settings_of(injected(annotated("9090")).text).user_port, 9090);
  EXPECT_EQ(settings_of(injected(annotated("7070")).text).user_port, 7070);
  EXPECT_THAT(refusal_of(annotated("web")),
              HasSubstr("\"web\" is no port of a container: want one of 8080 (api), 9090 (b)"));
  InjectOptions options = options_of_tests();
  options.port = "b";
  EXPECT_EQ(settings_of(injected(annotated("api"), options).text).user_port, 9090);
}

TEST(AppPort, MaySpeakHttp2) {
  EXPECT_EQ(
      port_of(app_of(kHttpPort) +
              service_of("  - {port: 80, targetPort: 8080, appProtocol: kubernetes.io/h2c}\n")),
      8080);
  EXPECT_EQ(port_of(app_of(kHttpPort) +
                    service_of("  - {port: 80, targetPort: 8080, appProtocol: grpc}\n")),
            8080);
  EXPECT_EQ(port_of(app_of("        ports: [{name: grpc-api, containerPort: 8080}]\n")), 8080);
  EXPECT_EQ(port_of(app_of("        ports: [{name: h2c, containerPort: 8080}]\n")), 8080);
}

struct Refused {
  std::string text;
  std::string reason;
};

TEST(Workload, IsRefusedWithAReasonIfTheWayOfItsRequestsIsNotClear) {
  const std::string two =
      "        ports:\n        - {name: api, containerPort: 8080}\n"
      "        - {name: web, containerPort: 8081}\n";
  const std::vector<Refused> cases = {
      {app_of(two),
       "it has several ports that may be the app's, 8080 (api), 8081 (web), and no "
       "Service of the input"},
      {app_of(two) + service_of("  - {port: 1, targetPort: api}\n  - {port: 2, targetPort: web}\n"),
       "its Services lead to several ports, 8080 (api), 8081 (web), and one queue-proxy takes one"},
      {app_of(kHttpPort) + service_of("  - {port: 80, targetPort: web}\n"),
       "service/shop names port \"web\", which no container has"},
      {app_of(kHttpPort) + service_of("  - {port: 80}\n", "  clusterIP: None\n"),
       "service/shop: is headless: its callers find the pods by name"},
      {app_of(kHttpPort + "      - name: queue-proxy\n"),
       "container queue-proxy: is there, and not by `bellows inject`"},
      {app_of("        ports:\n        - containerPort: 80\n          name: |\n            http\n"),
       "want it on one line"},
      {"kind: Pod\napiVersion: v1\nmetadata: {generateName: a-}\nspec:\n  containers:\n  - name: "
       "app\n"
       "    ports: [{containerPort: 80}]\n",
       "metadata.name: want 1 to 63 characters"},
  };
  for (const Refused& each : cases) {
    SCOPED_TRACE(each.text);
    const std::string report = refusal_of(each.text);
    EXPECT_THAT(report, HasSubstr(": refused: "));
    EXPECT_THAT(report, HasSubstr(each.reason));
  }
}

TEST(Workload, IsSkippedWithAReasonIfItIsNotToBeScaled) {
  const std::string job = "apiVersion: batch/v1\nkind: ";
  const auto pod = [](const std::string& lines) {
    return "apiVersion: v1\nkind: Pod\nmetadata: {name: shop}\nspec:\n" + lines +
           "  containers: [{name: app, ports: [{containerPort: 80}]}]\n";
  };
  const std::vector<Refused> cases = {
      {"apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: a}\n", "one pod on each node"},
      {job + "Job\nmetadata: {name: a}\n", "its pods end by themselves"},
      {job + "CronJob\nmetadata: {name: a}\n", "its pods end by themselves"},
      {"apiVersion: v1\nkind: ReplicationController\nmetadata: {name: a}\n", "want a Deployment"},
      {"apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: a}\nspec: {workloadRef: "
       "{}}\n",
       "workloadRef: its pods are those of another object"},
      {pod("  hostNetwork: true\n"), "hostNetwork: the ports of the queue-proxy"},
      {pod("  restartPolicy: Never\n"), "restartPolicy Never: it ends by itself"},
      {pod("  nodeSelector: {kubernetes.io/os: windows}\n"), "its pods are for Windows"},
      {pod("  os: {name: windows}\n"), "its pods are for Windows"},
      {"apiVersion: v1\nkind: Pod\nmetadata: {name: a, ownerReferences: [{name: b}]}\nspec: {}\n",
       "it belongs to another object"},
      {"apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations:\n"
       "    inject.bellows.dev/inject: disabled\nspec: {}\n",
       "inject.bellows.dev/inject: disabled"},
      {"apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  labels: {app.kubernetes.io/part-of: "
       "bellows}\n"
       "spec: {}\n",
       "it is a part of Bellows"},
  };
  for (const Refused& each : cases) {
    SCOPED_TRACE(each.text);
    const Output output = injected(each.text);
    EXPECT_EQ(output.text, each.text);
    EXPECT_THAT(output.report, HasSubstr(": skipped: "));
    EXPECT_THAT(output.report, HasSubstr(each.reason));
    EXPECT_FALSE(has_refusal(output.lines));
  }
}

TEST(OtherObjects, AreNeitherChangedNorReported) {
  const std::string text =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\nkind: Deployment\n"
      "apiVersion: example.com/v1\nspec: {template: {spec: {containers: [{name: a}]}}}\n"
      "---\njust: data\n---\n- a list\n--- text\n";
  const Output output = injected(text);
  EXPECT_EQ(output.text, text);
  EXPECT_THAT(output.report, Not(HasSubstr("injected")));
}

TEST(Replicas, AreNeverTouched) {
  const std::string text =
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: shop}\nspec:\n"
      "  replicas: 17 # mine\n  future: {field: 1}\n  template:\n    metadata:\n"
      "      labels: {app: shop}\n    spec:\n      containers:\n      - name: app\n" +
      kHttpPort;
  EXPECT_THAT(injected(text).text, HasSubstr("\n  replicas: 17 # mine\n  future: {field: 1}\n"));
}

}  // namespace
}  // namespace bellows::injector
