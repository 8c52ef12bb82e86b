"""A small client of the Kubernetes API, with the standard library only: what tests set up and look at.

It shares no code with the programs under test. Objects are dictionaries as the API has them.
"""

import contextlib
import http.client
import json
import re
import ssl
import threading
import urllib.parse

TIMEOUT = 60.0

# Where each kind is served: (prefix, plural, is in a namespace).
KINDS = {
    "Namespace": ("/api/v1", "namespaces", False),
    "Node": ("/api/v1", "nodes", False),
    "Pod": ("/api/v1", "pods", True),
    "Service": ("/api/v1", "services", True),
    "ServiceAccount": ("/api/v1", "serviceaccounts", True),
    "Event": ("/api/v1", "events", True),
    "Lease": ("/apis/coordination.k8s.io/v1", "leases", True),
    "ConfigMap": ("/api/v1", "configmaps", True),
    "Endpoints": ("/api/v1", "endpoints", True),
    "Deployment": ("/apis/apps/v1", "deployments", True),
    "ReplicaSet": ("/apis/apps/v1", "replicasets", True),
    "DaemonSet": ("/apis/apps/v1", "daemonsets", True),
    "StatefulSet": ("/apis/apps/v1", "statefulsets", True),
    "HorizontalPodAutoscaler": ("/apis/autoscaling/v1", "horizontalpodautoscalers", True),
    "EndpointSlice": ("/apis/discovery.k8s.io/v1", "endpointslices", True),
    "ScaledObject": ("/apis/keda.sh/v1alpha1", "scaledobjects", True),
    "PodMetrics": ("/apis/metrics.k8s.io/v1beta1", "pods", True),
    "App": ("/apis/example.dev/v1", "apps", True),  # of a test that makes this kind
    "Revision": ("/apis/bellows.dev/v1alpha1", "revisions", True),
    "CustomResourceDefinition": ("/apis/apiextensions.k8s.io/v1", "customresourcedefinitions", False),
    "MutatingWebhookConfiguration": ("/apis/admissionregistration.k8s.io/v1", "mutatingwebhookconfigurations", False),
    "ClusterRole": ("/apis/rbac.authorization.k8s.io/v1", "clusterroles", False),
    "ClusterRoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "clusterrolebindings", False),
    "Role": ("/apis/rbac.authorization.k8s.io/v1", "roles", True),
    "RoleBinding": ("/apis/rbac.authorization.k8s.io/v1", "rolebindings", True),
}

PATCH_TYPES = {
    "apply": "application/apply-patch+yaml",  # JSON is YAML
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "json": "application/json-patch+json",
}


SLICES_V1_SINCE = 21


def use_slices_of(minor):
    """EndpointSlices have the version that a server of 1.MINOR prefers."""
    version = "v1" if minor >= SLICES_V1_SINCE else "v1beta1"
    KINDS["EndpointSlice"] = (f"/apis/discovery.k8s.io/{version}", "endpointslices", True)


class ApiError(Exception):
    def __init__(self, method, path, status, message):
        super().__init__(f"{method} {path}: {status}: {message}")
        self.status = status


def path_of(kind, namespace=None, name=None, subresource=None):
    prefix, plural, in_namespace = KINDS[kind]
    path = prefix
    if in_namespace and namespace:
        path += f"/namespaces/{namespace}"
    path += f"/{plural}"
    if name:
        path += f"/{name}"
    if subresource:
        path += f"/{subresource}"
    return path


class Api:
    """One kept-alive connection per thread."""

    def __init__(self, url, ca_file, token):
        self.url = url
        self.host, self.port = urllib.parse.urlsplit(url).netloc.rsplit(":", 1)
        self.ca_file, self.token = ca_file, token
        self.tls = ssl.create_default_context(cafile=ca_file)
        self.local = threading.local()
        self.connections = []

    def close(self):
        """When no thread uses it any more."""
        for connection in self.connections:
            connection.close()

    def connection(self, timeout=TIMEOUT):
        return http.client.HTTPSConnection(self.host, int(self.port), timeout=timeout, context=self.tls)

    def headers(self, content_type="application/json"):
        return {"Authorization": f"Bearer {self.token}", "Content-Type": content_type, "Accept": "application/json"}

    def request(self, method, path, body=None, content_type="application/json"):
        """Returns the answer's object. Once more on a connection that the server closed meanwhile."""
        data = None if body is None else json.dumps(body)
        for attempt in (1, 2):
            connection = getattr(self.local, "connection", None)
            if connection is None:
                self.local.connection = connection = self.connection()
                self.connections.append(connection)
            try:
                connection.request(method, path, body=data, headers=self.headers(content_type))
                response = connection.getresponse()
                text = response.read().decode()
                break
            except (OSError, http.client.HTTPException):
                connection.close()
                self.local.connection = None
                if attempt == 2:
                    raise
        if response.status // 100 != 2:
            with contextlib.suppress(ValueError):
                text = json.loads(text).get("message", text)
            raise ApiError(method, path, response.status, text)
        try:
            return json.loads(text)
        except ValueError:
            return text

    def get(self, kind, namespace, name, subresource=None):
        """The object, or None if there is none."""
        try:
            return self.request("GET", path_of(kind, namespace, name, subresource))
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list(self, kind, namespace=None, selector=None):
        query = f"?labelSelector={urllib.parse.quote(selector)}" if selector else ""
        return self.request("GET", path_of(kind, namespace) + query)["items"]

    def create(self, kind, namespace, item, name=None, subresource=None):
        return self.request("POST", path_of(kind, namespace, name, subresource), item)

    def apply(self, item):
        """As `kubectl apply --server-side --force-conflicts` does, without its 0.4 s for what the server serves."""
        kind, meta = item["kind"], item["metadata"]
        plural = KINDS[kind][1] if kind in KINDS else re.sub("y$", "ie", kind.lower()) + "s"
        place = f"/namespaces/{meta['namespace']}" if "namespace" in meta else ""
        for port in item["spec"]["ports"] if kind == "Service" else []:
            port.setdefault("protocol", "TCP")  # 1.20 does not fill it in for this verb
        group = "/apis" if "/" in item["apiVersion"] else "/api"
        path = f"{group}/{item['apiVersion']}{place}/{plural}/{meta['name']}?fieldManager=test&force=true"
        return self.request("PATCH", path, item, PATCH_TYPES["apply"])

    def patch(self, kind, namespace, name, patch, how="merge", subresource=None, manager="test"):
        path = path_of(kind, namespace, name, subresource) + f"?fieldManager={manager}"
        return self.request("PATCH", path, patch, PATCH_TYPES[how])

    def delete(self, kind, namespace, name, grace=None):
        options = {} if grace is None else {"gracePeriodSeconds": grace}
        try:
            self.request("DELETE", path_of(kind, namespace, name), options)
        except ApiError as error:
            if error.status != 404:
                raise

    def watch(self, kind, namespace, on_event, stopping):
        """Lists, then watches, until `stopping` is set: calls on_event(type, object). A watch that ends goes on where it was;
        after an error everything is listed again."""
        while not stopping.is_set():
            try:
                listed = self.request("GET", path_of(kind, namespace))
                for item in listed["items"]:
                    on_event("ADDED", item)
                version = listed["metadata"]["resourceVersion"]
                while version and not stopping.is_set():
                    version = self._follow(kind, namespace, version, on_event, stopping)
            except (OSError, ValueError, http.client.HTTPException, ApiError):
                stopping.wait(0.1)

    def _follow(self, kind, namespace, version, on_event, stopping):
        """The version from which the next watch goes on; None if the server does not know it any more."""
        connection = self.connection(timeout=10)
        try:
            path = path_of(kind, namespace) + f"?watch=true&resourceVersion={version}&timeoutSeconds=5"
            connection.request("GET", path, headers=self.headers())
            response = connection.getresponse()
            while not stopping.is_set():
                line = response.readline()
                if not line:
                    break
                event = json.loads(line)
                if event["type"] == "ERROR":
                    return None
                version = event["object"]["metadata"]["resourceVersion"]
                on_event(event["type"], event["object"])
            return version
        finally:
            connection.close()
