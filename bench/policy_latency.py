"""Measures what the policy of `bellows inject --policy` adds to the creation of a pod, and prints one table with a bar.

  KUBEBUILDER_ASSETS=DIR tools/control-plane up build/plane     # Kubernetes 1.36 or later
  python3 bench/policy_latency.py [--programs DIR] [--plane build/plane] [--pairs 3000]

Each pair creates the same pod twice by dry run over one connection, with the label and without, in an order by chance. The pod with the
label gets a queue-proxy, so its time has what the server does with a larger pod too. The test has a namespace of its own.
"""

import argparse
import os
import random
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "..", "tests", "kubernetes"))

from cluster_harness import ControlPlane, until  # noqa: E402

BAR = 2.0  # ms, at p99
LABEL = "inject.bellows.dev/inject"
NAMESPACE = "policy-latency"
PATH = f"/api/v1/namespaces/{NAMESPACE}/pods?dryRun=All"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=os.path.join(HERE, "..", "build", "dev", "bin"))
    parser.add_argument("--plane", default=os.path.join(HERE, "..", "build", "plane"))
    parser.add_argument("--pairs", type=int, default=3000)
    return parser.parse_args()


def pod(is_labelled):
    labels = {"app": "web", **({LABEL: "enabled"} if is_labelled else {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": NAMESPACE, "labels": labels},
            "spec": {"containers": [{"name": "app", "image": "example/app:1", "ports": [{"name": "http", "containerPort": 8080}],
                                     "readinessProbe": {"httpGet": {"path": "/up", "port": "http"}, "periodSeconds": 5}}]}}


def has_queue_proxy(made):
    return any(each["name"] == "queue-proxy" for each in made["spec"].get("initContainers", []))


def measured(api, pairs):
    """Milliseconds of each creation: (with the label, without)."""
    times = {True: [], False: []}
    for _ in range(pairs):
        for is_labelled in random.sample((True, False), 2):
            begin = time.perf_counter()
            made = api.request("POST", PATH, pod(is_labelled))
            times[is_labelled].append((time.perf_counter() - begin) * 1000)
            assert has_queue_proxy(made) == is_labelled
    return times[True], times[False]


def quantile(values, part):
    return sorted(values)[min(int(part * len(values)), len(values) - 1)]


def main():
    args = arguments()
    plane = ControlPlane(args.plane)
    policy = subprocess.run([os.path.join(args.programs, "bellows"), "inject", "--policy"], capture_output=True, text=True, check=True).stdout
    kubectl = [plane.env["KUBECTL"], "--kubeconfig", plane.kubeconfig]
    plane.apply_object({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    subprocess.run([*kubectl, "apply", "-f", "-"], input=policy, text=True, check=True, stdout=subprocess.DEVNULL)
    until(lambda: plane.api.get("ServiceAccount", NAMESPACE, "default"), "the namespace has its account")
    until(lambda: has_queue_proxy(plane.api.request("POST", PATH, pod(True))), "the policy is in force")
    measured(plane.api, args.pairs // 10)
    labelled, plain = measured(plane.api, args.pairs)
    subprocess.run([*kubectl, "delete", "-f", "-"], input=policy, text=True, check=True, stdout=subprocess.DEVNULL)
    plane.api.delete("Namespace", None, NAMESPACE)
    print("| ms | with the label | without | added | bar |\n| --- | --- | --- | --- | --- |")
    for part, bar in ((0.5, "-"), (0.9, "-"), (0.99, f"{BAR:g}")):
        one, other = quantile(labelled, part), quantile(plain, part)
        print(f"| p{part * 100:g} | {one:.2f} | {other:.2f} | **{one - other:.2f}** | {bar} |")
    return 0 if quantile(labelled, 0.99) - quantile(plain, 0.99) <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
