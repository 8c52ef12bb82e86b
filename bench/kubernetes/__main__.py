"""The autoscaler as a client of a large Kubernetes cluster: memory, CPU and calls, as a table with bars.

    python3 bench/kubernetes [--programs build/bench/bin] [--quick]

The fake API server (bench/fake_api_server_main.cpp) lists pods of real size, 12 KB each; it runs on the same machine, and its
CPU does not count. The last rows need tools/control-plane build, and those at rest have every pod send its stats. 25 minutes;
on an otherwise idle machine.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DEADLINE = 600
sys.path.append(os.path.join(ROOT, "tests/kubernetes"))

from stats import StatSender  # noqa: E402


def until(condition, what, deadline=DEADLINE):
    end = time.monotonic() + deadline
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            sys.exit(f"not within {deadline} s: {what}")
        time.sleep(0.02)


class FakeServer:
    def __init__(self, options, revisions, pods):
        self.process = subprocess.Popen([os.path.join(options.programs, "fake_api_server"), str(revisions), str(pods),
                                         str(options.minor)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().split()[-1]

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return dict(re.findall(r"(\w+)=(\d+)", self.process.stdout.readline()))

    def pods(self):
        """{revision: names of its pods}"""
        found = collections.defaultdict(list)
        with urllib.request.urlopen(f"{self.url}/api/v1/pods", timeout=DEADLINE) as answer:
            for pod in json.load(answer)["items"]:
                meta = pod["metadata"]
                owner = meta["ownerReferences"][0]["name"].rsplit("-", 1)[0]
                found[f"{meta['namespace']}/{owner}"].append(meta["name"])
        return found

    def close(self):
        self.process.kill()
        self.process.wait()


class Autoscaler:
    """The program under measurement, with what the kernel and /metrics say about it."""

    def __init__(self, programs, server, folder):
        config = os.path.join(folder, "kubeconfig")
        with open(config, "w") as file:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "c",
                       "clusters": [{"name": "c", "cluster": {"server": server.url}}], "users": [{"name": "u", "user": {}}],
                       "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}, file)
        self.started = time.monotonic()
        self.log = open(os.path.join(folder, "autoscaler.log"), "w+")
        self.process = subprocess.Popen(
            [os.path.join(programs, "autoscaler"), "--kubeconfig", config, "--listen",
             "127.0.0.1:0", "--log-format", "json"], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.port = until(self._port, "the autoscaler listens")

    def _port(self):
        with open(self.log.name) as log:
            found = re.search(r'"event":"listening","address":"127.0.0.1:(\d+)"', log.read())
        return found and found.group(1)

    def page(self, path):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, ""

    def wait_ready(self):
        until(lambda: self.page("/readyz")[0] == 200, "the autoscaler is ready")
        return time.monotonic() - self.started

    def calls(self):
        """{(verb, resource): number}, watches apart."""
        found = collections.Counter()
        for labels, number in re.findall(r"bellows_kubernetes_calls_total\{(.*?)\} (\S+)", self.page("/metrics")[1]):
            label = dict(re.findall(r'(\w+)="([^"]*)"', labels))
            if label["verb"] != "watch":
                found[(label["verb"], label["resource"])] += int(float(number))
        return found

    def lists(self):
        return sum(map(float, re.findall(r"bellows_kubernetes_lists_total\{.*?\} (\S+)", self.page("/metrics")[1])))

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self, key="VmRSS"):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(rf"{key}:\s+(\d+)", status.read()).group(1)) / 1024

    def reset_peak(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w") as file:
            file.write("5")

    def close(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


def settled(autoscaler, seconds=10, most=3):
    """When hardly a call is made any more: everything is adopted and told, and ten small changes a minute are written."""
    while True:
        before = autoscaler.calls().total()
        time.sleep(seconds)
        if autoscaler.calls().total() - before <= most:
            return


def resting_memory(options, revisions, pods, folder):
    server = FakeServer(options, revisions, pods)
    autoscaler = Autoscaler(options.programs, server, folder)
    autoscaler.wait_ready()
    settled(autoscaler)
    memory = autoscaler.memory()
    autoscaler.close()
    server.close()
    return memory


def large_cluster(options, folder):
    programs, revisions, pods = options.programs, 3000, 30000
    empty = resting_memory(options, 1, 1, folder)
    server = FakeServer(options, revisions, pods)
    adopting = Autoscaler(programs, server, folder)
    adopting.wait_ready()
    settled(adopting)
    adopting.close()

    autoscaler = Autoscaler(programs, server, folder)
    ready = autoscaler.wait_ready()
    first_list = autoscaler.cpu()
    settled(autoscaler)
    memory = autoscaler.memory()
    autoscaler.reset_peak()
    lists = autoscaler.lists()
    server.tell("compact")
    until(lambda: autoscaler.lists() >= lists + 4, "everything is listed again")
    peak = autoscaler.memory("VmHWM")
    settled(autoscaler)
    rest = core_share(autoscaler)
    busy, rate = share_with_events(autoscaler, server)
    after_events = autoscaler.memory()
    autoscaler.close()
    server.close()
    return [
        ("30,000 pods, 3,000 revisions: memory above an empty one",
         f"{memory - empty:.0f} MB ({empty:.0f} to {memory:.0f}); {after_events - empty:.0f} MB after the events below", "150 MB"),
        ("... a re-list of everything adds, at its peak", f"{peak - memory:.0f} MB", "20 MB"),
        ("... first list, CPU", f"{first_list:.2f} s, ready {ready:.2f} s after its start", "4 s"),
        (f"... {rate:,.0f} pod events a second", f"{busy:.3f} of a core ({rest:.3f} of it without events), "
                                                 f"{1e6 * (busy - rest) / rate:.0f} us each", "0.25 with 2,000"),
    ]


def share_with_events(autoscaler, server, seconds=10):
    """Share of a core, and how many events there were each second: fewer where the fake server is too slow."""
    begun = int(server.tell("events 2000")["events"])
    at = time.monotonic()
    share = core_share(autoscaler, seconds)
    ended = int(server.tell("events 0")["events"])
    return share, (ended - begun) / (time.monotonic() - at)


def core_share(autoscaler, seconds=10):
    begin, at = autoscaler.cpu(), time.monotonic()
    time.sleep(seconds)
    return (autoscaler.cpu() - begin) / (time.monotonic() - at)


def at_rest(options, folder):
    server = FakeServer(options, 500, 1500)
    autoscaler = Autoscaler(options.programs, server, folder)
    autoscaler.wait_ready()
    load = StatSender(autoscaler.port)
    for revision, pods in server.pods().items():
        load.set(revision, pods, 50)  # with a target of 70 its three pods are right
    seconds = 60 if options.quick else 300
    time.sleep(120 if options.quick else 420)  # small changes of a status wait for five minutes, then ten a minute are written
    before = autoscaler.calls()
    time.sleep(seconds)
    made = autoscaler.calls() - before
    load.close()
    autoscaler.close()
    server.close()
    which = ", ".join(f"{verb} {resource} {number * 60 / seconds:.1f}" for (verb, resource), number in made.items()) or "none"
    return [("500 revisions at rest: calls a minute beside watches", f"{sum(made.values()) * 60 / seconds:.1f} ({which})", "20")]


def real_server(options):
    env = {**os.environ, "BELLOWS_BIN": os.path.abspath(options.programs), "BELLOWS_DEPS": os.path.join(ROOT, "build/deps"),
           "BELLOWS_PLANE": "", "BELLOWS_REVISIONS": "500"}
    done = subprocess.run([sys.executable, "-B", "-m", "unittest", "many_test"], cwd=os.path.join(ROOT, "tests/kubernetes"),
                          env=env, capture_output=True, text=True, timeout=900, check=False)
    seconds = re.search(r"steady after (\S+) s", done.stdout)
    writes = re.search(r"(\S+) writes for each revision", done.stdout)
    if not seconds:
        return [("500 revisions, 3 pods each, real server", "not measured: " + done.stderr.strip().splitlines()[-1], "30 s")]
    print(done.stdout, file=sys.stderr)
    return [("500 revisions, 3 pods each, real server: from nothing to steady", f"{seconds.group(1)} s", "30 s"),
            ("... writes for each revision", writes.group(1), "4")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=os.path.join(ROOT, "build/bench/bin"), help="folder of the programs")
    parser.add_argument("--quick", action="store_true", help="one minute at rest, after two, instead of five after seven")
    parser.add_argument("--minor", type=int, default=36,
                        help="version of the fake server; 36 streams lists on the watch, 20 sends pages")
    parser.add_argument("--parts", default="large,rest,real", help="some of large,rest,real")
    options = parser.parse_args()
    parts = options.parts.split(",")
    rows = []
    with tempfile.TemporaryDirectory(prefix="bellows-bench-") as folder:
        if "large" in parts:
            rows += large_cluster(options, folder)
        if "rest" in parts:
            rows += at_rest(options, folder)
    if "real" in parts:
        rows += real_server(options)
    print("| | measured | bar |\n| --- | --- | --- |")
    for row in rows:
        print("| " + " | ".join(row) + " |")


main()
