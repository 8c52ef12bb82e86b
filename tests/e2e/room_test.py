"""bellows up on one machine: a start that would not fit is told beforehand, and others make room for the busiest service."""

import json
import os
import subprocess
import sys

from harness import DEADLINE, EndToEnd, LoadGenerator, get, program, until

SERVICES = """
machine-memory: {machine}
machine-cpu: 0
defaults:
  window: 4s
  panic-window-percentage: 50
  target: {target}
  target-utilization-percentage: 100
services:
  - name: blog
    command: [{sample}, --service-time, 200ms]
    host: blog.localhost
    memory: 200Mi
    scale-down-delay: 10m
    max-scale: 3
  - name: web
    command: [{sample}, --service-time, 200ms]
    host: web.localhost
    memory: {web}
    max-scale: {max_web}
"""


class OneMachine(EndToEnd):
    def start_up(self, machine="1000Mi", web="300Mi", max_web=4, target=1):
        path = os.path.join(self.folder(), "bellows.yaml")
        with open(path, "w") as f:
            f.write(SERVICES.format(machine=machine, web=web, max_web=max_web, target=target, sample=program("sample-app")))
        bellows = self.start(program("bellows"), "up", path, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                             "--log-format", "json")
        listening = bellows.wait_for("listening")
        bellows.port = int(listening["address"].rsplit(":", 1)[1])
        bellows.admin = int(listening["admin"].rsplit(":", 1)[1])
        return bellows

    def ask(self, bellows, *arguments):
        done = subprocess.run([program("bellows"), *arguments, "--admin", f"127.0.0.1:{bellows.admin}"],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def machine(self, bellows):
        return json.loads(self.ask(bellows, "status", "-o", "json"))["machine"]

    def test_the_other_service_comes_down_before_the_busiest_grows(self):
        bellows = self.start_up(machine="1200Mi")
        crowd = LoadGenerator(bellows.port, 3, host="blog.localhost")
        until(lambda: self.status(bellows, "blog").get("ready") == 3, "three replicas of blog")
        crowd.stop()
        # 600Mi and 300Mi run, and the next 300Mi of web fit. With two of web they do not: blog keeps three for ten
        # minutes, and one of them is enough room.
        callers = LoadGenerator(bellows.port, 2, host="web.localhost")
        until(lambda: self.status(bellows, "web").get("ready") == 2, "two replicas of web")
        until(lambda: self.status(bellows, "blog").get("desired") in (1, 2), "blog made room")
        decision = self.status(bellows, "blog")["last_decision"]
        self.assertEqual(decision["rule"], "machine-room")
        until(lambda: self.machine(bellows)["room_kept"], "room for the next replica of web")
        self.assertEqual(self.machine(bellows)["busiest"], "web")
        self.assertIn("because the machine is full", self.ask(bellows, "explain", "blog"))
        self.assertIn('"rule":"machine-room"', self.ask(bellows, "journal", "blog"))
        self.assertIn("room for the next replica of web is kept", self.ask(bellows, "status"))
        callers.stop()
        self.assertEqual(crowd.failures + callers.failures, [])
        self.assert_clean_exit(bellows)

    def test_a_start_that_would_not_fit_is_told_beforehand(self):
        bellows = self.start_up(machine="500Mi", max_web=2, target=2)
        callers = LoadGenerator(bellows.port, 1, host="web.localhost")
        until(lambda: self.status(bellows, "web").get("ready") == 1, "a replica of web")
        bellows.wait_for("no room on the machine")
        status = self.ask(bellows, "status")
        self.assertIn("service web: memory 300Mi: its next replica would not fit: 200Mi of 500Mi are free; 1 replica of "
                      "this size fits beside the other services, and one more with memory of at most 250Mi", status)
        self.assertIn("there is room for 1 more of blog, 0 more of web", status)
        self.assertEqual(self.machine(bellows)["unmet"][0]["object"], "service web")
        until(lambda: "The machine has no room for another replica of it" in self.ask(bellows, "explain", "web"),
              "explain tells it")
        metrics = get(bellows.admin, "/metrics").body
        self.assertIn('bellows_machine_memory_bytes{kind="capacity"} 524288000', metrics)
        self.assertIn('bellows_machine_more_replicas{revision="web-00001",service="web"} 0', metrics)
        # It starts all the same: a request waits for it.
        more = LoadGenerator(bellows.port, 3, host="web.localhost")
        until(lambda: self.status(bellows, "web").get("ready") == 2, "two replicas of web")
        until(lambda: "machine: memory 600Mi: its replicas take more than the 500Mi it has" in self.ask(bellows, "status"),
              "that more runs than fits")
        callers.stop()
        more.stop()
        self.assertEqual(callers.failures + more.failures, [])
        self.assert_clean_exit(bellows)

    def test_a_replica_larger_than_the_machine_is_reported(self):
        bellows = self.start_up(machine="500Mi", web="2Gi")
        self.assertIn("service web: memory 2Gi: a replica takes more than the machine has: want memory of at most 500Mi",
                      self.ask(bellows, "status"))
        self.assert_clean_exit(bellows)

    def test_what_runs_here_is_room_that_a_cluster_keeps(self):
        """The status of a running Bellows is what `slack plan --shapes revisions` reads."""
        bellows = self.start_up()
        callers = LoadGenerator(bellows.port, 1, host="web.localhost")
        until(lambda: self.status(bellows, "web").get("ready") == 1, "a replica of web")
        nodes = os.path.join(self.folder(), "nodes.csv")
        with open(nodes, "w") as f:
            f.write("name,type,cpu_millicores,memory_bytes,pods,ready,labels\nn1,m,4000,17179869184,110,true,\n")
        pods = os.path.join(self.folder(), "pods.csv")
        with open(pods, "w") as f:
            f.write("name,owner,node,cpu_millicores,memory_bytes,labels,annotations\n")
        done = subprocess.run([program("slack"), "plan", "--nodes", nodes, "--pods", pods, "--shapes", "revisions",
                               "--revisions", "-"], input=self.ask(bellows, "status", "-o", "json"),
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        callers.stop()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = {row["shape"]: row for row in json.loads(done.stdout)["placeholders"]}
        self.assertEqual(rows["revision web-00001"]["memory-bytes"], 300 << 20)
        self.assertGreaterEqual(rows["revision web-00001"]["placed"], 1)
        self.assertEqual(rows["revision blog-00001"]["memory-bytes"], 200 << 20)
        self.assert_clean_exit(bellows)

    def test_more_than_the_machine_has_is_remarked(self):
        bellows = self.start_up(machine="512Ti")
        self.assertRegex(self.ask(bellows, "status"),
                         "machine-memory: 512Ti is more than the .* of this machine: want at most that")
        self.assert_clean_exit(bellows)

    def test_run_has_what_the_machine_has_as_a_default(self):
        bellows = self.run_bellows("--memory", "64Mi", "--min-scale", "1", "--", *self.sample())
        with open("/proc/meminfo") as f:
            total = int(next(line for line in f if line.startswith("MemTotal")).split()[1]) * 1024
        capacity = self.machine(bellows)["capacity"]
        self.assertLessEqual(capacity["memory_bytes"], total)
        self.assertGreaterEqual(capacity["memory_bytes"], 64 << 20)
        self.assertLessEqual(capacity["cpu_millicores"], os.cpu_count() * 1000)
        self.assert_clean_exit(bellows)

    def test_without_sizes_nothing_is_said(self):
        bellows = self.run_bellows("--", *self.sample())
        self.assertNotIn("machine", json.loads(self.ask(bellows, "status", "-o", "json")))
        self.assertNotIn("machine:", self.ask(bellows, "status"))
        self.assert_clean_exit(bellows)

    def refused(self, *flags):
        done = subprocess.run([program("bellows"), "run", *flags, "--", sys.executable, "-m", "http.server", "$PORT"],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 2)
        return done.stderr

    def test_sizes_that_are_none_are_refused_with_what_is_valid(self):
        self.assertRegex(self.refused("--machine-memory", "-1Gi"), r"--machine-memory: .*-1Gi.*want")
        self.assertRegex(self.refused("--machine-cpu=-500m"), r"--machine-cpu: .*-500m.*want")
        self.assertRegex(self.refused("--machine-memory", "much"), r"--machine-memory: .*much.*want")
