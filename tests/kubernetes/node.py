"""A pretended node: the scheduler's and the kubelet's part for the pods of a namespace, without containers.

It binds each pod, reports it as running and ready with an address of its own, and removes pods that are being deleted.
Tests can hold pods back (`hold`) and make them fail.
"""

import datetime
import itertools
import queue
import threading

from api import ApiError

NODE = "pretended"
WRITERS = 4


def now_text():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def ready_status(pod, address):
    now = now_text()
    conditions = [{"type": kind, "status": "True", "lastTransitionTime": now}
                  for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")]
    containers = [{"name": container["name"], "image": container["image"], "imageID": "", "ready": True, "started": True,
                   "restartCount": 0, "state": {"running": {"startedAt": now}}}
                  for container in pod["spec"]["containers"]]
    return {"status": {"phase": "Running", "startTime": now, "podIP": address, "podIPs": [{"ip": address}],
                       "conditions": conditions, "containerStatuses": containers}}


class PretendedNode:
    """Runs until close(). `namespace` None: all of them."""

    addresses = itertools.count(1)

    def __init__(self, api, namespace=None, address=None):
        self.api, self.namespace, self.address = api, namespace, address
        self.stopping = threading.Event()
        self.held = threading.Event()  # while set, new pods stay pending
        self.work = queue.Queue()
        self.done = set()  # uids that were made ready
        self.lock = threading.Lock()
        self.errors = []
        try:
            api.create("Node", None, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}})
        except ApiError as error:
            if error.status != 409:
                raise
        self.threads = [threading.Thread(target=api.watch, args=("Pod", namespace, self._see, self.stopping), daemon=True)]
        self.threads += [threading.Thread(target=self._write, daemon=True) for _ in range(WRITERS)]
        for thread in self.threads:
            thread.start()

    def close(self):
        self.stopping.set()
        for _ in range(WRITERS):
            self.work.put(None)
        for thread in self.threads:
            thread.join(30)

    def hold(self):
        self.held.set()

    def release(self):
        self.held.clear()
        for pod in self.api.list("Pod", self.namespace):
            self._see("ADDED", pod)

    def _see(self, event, pod):
        if event == "DELETED":
            return
        if pod["metadata"].get("deletionTimestamp"):
            self.work.put((self._remove, pod))
        elif not self.held.is_set():
            uid = pod["metadata"]["uid"]
            with self.lock:
                if uid in self.done:
                    return
                self.done.add(uid)
            self.work.put((self._make_ready, pod))

    def _write(self):
        while task := self.work.get():
            step, pod = task
            try:
                step(pod)
            except ApiError as error:
                if error.status not in (404, 409):
                    self.errors.append(str(error))
            except OSError as error:  # the server is away: the pod is seen again when it is back
                with self.lock:
                    self.done.discard(pod["metadata"]["uid"])
                if not self.stopping.is_set():
                    self.errors.append(repr(error))

    def _make_ready(self, pod):
        namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        if not pod["spec"].get("nodeName"):
            target = {"apiVersion": "v1", "kind": "Node", "name": NODE}
            binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": target}
            self.api.create("Pod", namespace, binding, name=name, subresource="binding")
        number = next(self.addresses)
        address = self.address or f"10.244.{number // 250 % 250}.{number % 250 + 1}"
        self.api.patch("Pod", namespace, name, ready_status(pod, address), how="strategic", subresource="status")

    def _remove(self, pod):
        self.api.delete("Pod", pod["metadata"]["namespace"], pod["metadata"]["name"], grace=0)
