#include "tests/support/sample_objects.hpp"

#include <algorithm>

#include "json/writer.hpp"

namespace bellows::test {

namespace {

constexpr std::string_view kCreated = "2026-11-20T09:00:00Z";
constexpr std::string_view kStarted = "2026-11-20T09:00:04Z";

/// What server-side bookkeeping looks like: the larger half of a real pod.
void write_managed_fields(json::Writer& pod, std::size_t variables) {
  pod.open_list("managedFields").open();
  pod.text("manager", "kube-controller-manager").text("operation", "Update");
  pod.text("apiVersion", "v1").text("time", kCreated).text("fieldsType", "FieldsV1");
  std::string env = R"({".":{})";
  for (std::size_t i = 0; i < variables; ++i) {
    env += R"(,"k:{\"name\":\"CHECKOUT_SETTING_)" + std::to_string(i) +
           R"(\"}":{".":{},"f:name":{},"f:valueFrom":{".":{},"f:configMapKeyRef":{}}})";
  }
  env += "}";
  pod.raw("fieldsV1",
          R"({"f:metadata":{"f:generateName":{},"f:labels":{".":{},"f:app":{},)"
          R"("f:app.kubernetes.io/part-of":{},"f:pod-template-hash":{},"f:tier":{}},)"
          R"("f:ownerReferences":{".":{},"k:{\"uid\":\"9f0e\"}":{}}},"f:spec":{"f:containers":)"
          R"({"k:{\"name\":\"app\"}":{".":{},"f:env":)" +
              env +
              R"(,"f:image":{},"f:imagePullPolicy":{},"f:livenessProbe":{".":{},)"
              R"("f:failureThreshold":{},"f:httpGet":{".":{},"f:path":{},"f:port":{},"f:scheme":)"
              R"({}}},"f:name":{},"f:ports":{".":{},"k:{\"containerPort\":8080,\"protocol\":)"
              R"(\"TCP\"}":{".":{},"f:containerPort":{},"f:name":{},"f:protocol":{}}},)"
              R"("f:resources":{".":{},"f:limits":{},"f:requests":{}}}},"f:dnsPolicy":{},)"
              R"("f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{}}})");
  pod.close().open().text("manager", "kubelet").text("operation", "Update");
  pod.text("subresource", "status").text("time", kStarted).text("fieldsType", "FieldsV1");
  pod.raw("fieldsV1",
          R"({"f:status":{"f:conditions":{"k:{\"type\":\"ContainersReady\"}":{".":{},)"
          R"("f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},)"
          R"("k:{\"type\":\"Ready\"}":{".":{},"f:lastTransitionTime":{},"f:status":{},)"
          R"("f:type":{}}},"f:containerStatuses":{},"f:hostIP":{},"f:phase":{},"f:podIP":{},)"
          R"("f:podIPs":{".":{},"k:{\"ip\":\"10.244.3.17\"}":{".":{},"f:ip":{}}},)"
          R"("f:startTime":{}}})");
  pod.close().close();
}

void write_metadata(json::Writer& object, const SamplePod& pod, std::size_t variables) {
  object.open("metadata").text("name", pod.name).text("generateName", pod.owner + "-");
  object.text("namespace", pod.ns).text("uid", pod.uid);
  object.text("resourceVersion", std::to_string(pod.resource_version));
  object.text("creationTimestamp", kCreated);
  const std::size_t dash = std::min(pod.owner.rfind('-'), pod.owner.size());
  object.open("labels").text("app", pod.owner.substr(0, dash));
  object.text("app.kubernetes.io/part-of", "shop").text("tier", "backend");
  object.text("pod-template-hash", pod.owner.substr(std::min(dash + 1, pod.owner.size()))).close();
  object.open("annotations").text("prometheus.io/scrape", "true");
  object.text("kubernetes.io/config.seen", kCreated).close();
  object.open_list("ownerReferences").open().text("apiVersion", "apps/v1");
  object.text("kind", "ReplicaSet").text("name", pod.owner);
  object.text("uid", "9f0e" + pod.owner).flag("controller", true);
  object.flag("blockOwnerDeletion", true).close().close();
  write_managed_fields(object, variables);
  object.close();
}

void write_app(json::Writer& spec, std::size_t variables) {
  spec.open().text("name", "app").text("image", "registry.example/shop/checkout:1.42.7");
  spec.open_list("ports").open().text("name", "http1").integer("containerPort", 8080);
  spec.text("protocol", "TCP").close().close();
  spec.open_list("env");
  for (std::size_t i = 0; i < variables; ++i) {
    const std::string name = "CHECKOUT_SETTING_" + std::to_string(i);
    spec.open().text("name", name).open("valueFrom").open("configMapKeyRef");
    spec.text("name", "checkout-settings").text("key", name).close().close().close();
  }
  spec.close().open("resources").open("limits").text("memory", "512Mi").close();
  spec.open("requests").text("cpu", "250m").text("memory", "256Mi").close().close();
  spec.raw("volumeMounts", R"([{"name":"kube-api-access-x7k2p","readOnly":true,"mountPath":)"
                           R"("/var/run/secrets/kubernetes.io/serviceaccount"}])");
  spec.raw("livenessProbe",
           R"({"httpGet":{"path":"/healthz","port":8080,"scheme":"HTTP"},"timeoutSeconds":1,)"
           R"("periodSeconds":10,"successThreshold":1,"failureThreshold":3})");
  spec.text("imagePullPolicy", "IfNotPresent").close();
}

void write_spec(json::Writer& object, const SamplePod& pod, std::size_t variables) {
  object.open("spec").raw("volumes",
                          R"([{"name":"kube-api-access-x7k2p","projected":{"sources":[)"
                          R"({"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},)"
                          R"({"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt",)"
                          R"("path":"ca.crt"}]}}],"defaultMode":420}}])");
  object.open_list("containers");
  write_app(object, variables);
  object.open().text("name", "queue-proxy").text("image", "registry.example/bellows/queue-proxy:1");
  object.open_list("ports").open().text("name", "queue").integer("containerPort", 8012);
  object.text("protocol", "TCP").close().close().open("resources").close().close().close();
  object.text("restartPolicy", "Always").integer("terminationGracePeriodSeconds", 30);
  object.text("dnsPolicy", "ClusterFirst").text("serviceAccountName", "default");
  if (!pod.ip.empty()) object.text("nodeName", "worker-17.example");
  object.raw("tolerations",
             R"([{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",)"
             R"("tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":)"
             R"("Exists","effect":"NoExecute","tolerationSeconds":300}])");
  object.close();
}

void write_condition(json::Writer& status, std::string_view type, bool is_true) {
  status.open().text("type", type).text("status", is_true ? "True" : "False");
  status.null("lastProbeTime").text("lastTransitionTime", kStarted);
  if (!is_true) {
    status.text("reason", "ContainersNotReady");
    status.text("message", "containers with unready status: [app]");
  }
  status.close();
}

void write_status(json::Writer& object, const SamplePod& pod) {
  object.open("status").text("phase", pod.ip.empty() ? "Pending" : "Running");
  object.open_list("conditions");
  write_condition(object, "Initialized", true);
  write_condition(object, "Ready", pod.ready);
  write_condition(object, "ContainersReady", pod.ready);
  write_condition(object, "PodScheduled", !pod.ip.empty());
  object.close();
  if (!pod.ip.empty()) {
    object.text("hostIP", "10.0.3.17").text("podIP", pod.ip).text("startTime", kStarted);
    object.open_list("containerStatuses");
    for (const std::string_view name : {"app", "queue-proxy"}) {
      object.open().text("name", name).open("state").open("running").text("startedAt", kStarted);
      object.close().close().open("lastState").close().flag("ready", pod.ready);
      object.integer("restartCount", 0).text("image", "registry.example/shop/checkout:1.42.7");
      object.text("imageID", "registry.example/shop/checkout@sha256:0a1b2c3d4e5f60718293a4b5c6d7");
      object.text("containerID", "containerd://8f14e45fceea167a5a36dedd4bea2543d3d9446da7b7");
      object.flag("started", true).close();
    }
    object.close();
  }
  object.text("qosClass", "Burstable").close();
}

std::string pod_with(const SamplePod& pod, std::size_t variables) {
  json::Writer object;
  object.text("kind", "Pod").text("apiVersion", "v1");
  write_metadata(object, pod, variables);
  write_spec(object, pod, variables);
  write_status(object, pod);
  return object.end();
}

}  // namespace

std::string pod_json(const SamplePod& pod) {
  const std::size_t bare = pod_with(pod, 0).size();
  const std::size_t with_ten = pod_with(pod, 10).size();
  const std::size_t each = (with_ten - bare) / 10;
  return pod_with(pod, pod.size <= bare ? 0 : (pod.size - bare + each - 1) / each);
}

std::string deployment_json(std::string_view ns, std::string_view name, int replicas,
                            std::uint64_t resource_version) {
  json::Writer object;
  object.text("kind", "Deployment").text("apiVersion", "apps/v1").open("metadata");
  object.text("name", name).text("namespace", ns).text("uid", "d-" + std::string(name));
  object.text("resourceVersion", std::to_string(resource_version)).integer("generation", 2);
  object.text("creationTimestamp", kCreated);
  object.open("labels").text("bellows.dev/autoscale", "true").text("app", name).close();
  object.open("annotations").text("deployment.kubernetes.io/revision", "1").close();
  write_managed_fields(object, 20);
  object.close().open("spec").integer("replicas", replicas);
  object.open("selector").open("matchLabels").text("app", name).close().close();
  object.open("template").open("metadata").open("labels").text("app", name).close().close();
  object.open("spec").open_list("containers");
  write_app(object, 20);
  object.close().close().close().close().open("status").integer("observedGeneration", 2);
  object.integer("replicas", replicas).integer("readyReplicas", replicas);
  object.open_list("conditions");
  write_condition(object, "Progressing", true);
  object.close().close();
  return object.end();
}

}  // namespace bellows::test
