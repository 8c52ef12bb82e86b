"""Commands that change or watch a running Bellows: logs, scale, restart, reload, down, up -d; bellows check."""

import json
import os
import re
import signal
import socket
import subprocess
import unittest

from harness import DEADLINE, HOLDING_APP, EndToEnd, HeldRequest, LoadGenerator, alive, free_port, get, program, until


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as s:
            s.bind(("::1", 0))
        return True
    except OSError:
        return False


class OnOneMachine(EndToEnd):
    def bellows(self, *words, code=0, **how):
        """Output of a command; with another exit code than `code`, a failure."""
        done = subprocess.run([program("bellows"), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=DEADLINE, check=False, **how)
        self.assertEqual(done.returncode, code, f"bellows {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def ask(self, running, *words, code=0):
        return self.bellows(*words, "--admin", f"127.0.0.1:{running.admin}", code=code)

    def ready(self, running):
        return [r["name"] for r in self.status(running)["replicas"] if r["phase"] == "ready"]

    def write(self, text, name="bellows.yaml"):
        path = os.path.join(self.folder(), name)
        with open(path, "w") as f:
            f.write(text)
        return path


class Control(OnOneMachine):
    def test_logs_are_the_last_lines_of_the_apps_and_go_on(self):
        script = "echo begins; echo wrong >&2; printf 'red \\033[31m\\n'; exec python3 -m http.server --bind 127.0.0.1 $PORT"
        bellows = self.run_bellows("--", "sh", "-c", script)
        self.assertEqual(get(bellows.port).status, 200)
        until(lambda: "GET / HTTP" in self.ask(bellows, "logs", "web"), "the line of the request")
        lines = self.ask(bellows, "logs", "web").splitlines()
        self.assertRegex(lines[0], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*Z web-00001-1 \| begins$")
        self.assertTrue(any(line.endswith("web-00001-1 | wrong") for line in lines), lines)
        self.assertTrue(any(line.endswith(r"red \x1b[31m") for line in lines), lines)

        follower = self.start(program("bellows"), "logs", "web", "-f", "--admin", f"127.0.0.1:{bellows.admin}")
        until(lambda: any("begins" in line for line in follower.lines), "the lines so far")
        get(bellows.port, "/some-page")
        until(lambda: any("/some-page" in line for line in follower.lines), "a new line")
        self.assertEqual(sum("begins" in line for line in follower.lines), 1)
        unknown = 'service "wrong": there is none; want one of: web'
        for command in ("logs", "revisions", "top", "status", "remove", "restart"):
            self.assertIn(unknown, self.ask(bellows, command, "wrong", code=1), command)
        self.assertIn('service "wrong": there is none; want one of: web', self.ask(bellows, "explain", "wrong", code=1))
        self.assert_clean_exit(bellows)

    def test_a_port_takes_neither_changes_nor_gives_what_apps_wrote(self):
        bellows = self.run_bellows("--", *self.sample())
        for page in ("/v1/control/services/web/logs", "/v1/control/services/web/restart", "/v1/control/stop", "/v1/control/reload"):
            self.assertEqual(get(bellows.admin, page, method="POST").status, 403, page)
        self.assertNotEqual(get(bellows.admin, "/v1/control/services/web/logs").status, 200)
        self.assert_clean_exit(bellows)

    def test_scale_sets_a_number_until_the_service_is_resumed(self):
        bellows = self.run_bellows("--max-scale", "4", "--", *self.sample())
        said = self.ask(bellows, "scale", "web", "3")
        self.assertIn("3 replicas", said)
        self.assertIn("bellows resume web", said)
        until(lambda: len(self.ready(bellows)) == 3, "three replicas are ready")
        self.ask(bellows, "scale", "web", "1")
        until(lambda: len(self.ready(bellows)) == 1, "one is ready")
        self.assertIn("paused", self.ask(bellows, "check"))
        self.assertIn("from 0 to 4", self.ask(bellows, "scale", "web", "5", code=1))
        self.assertIn("want a number", self.ask(bellows, "scale", "web", "many", code=2))
        self.ask(bellows, "resume", "web")
        until(lambda: not self.ready(bellows), "it is at zero again")
        self.assert_clean_exit(bellows)

    def test_restart_replaces_every_replica_and_no_request_fails(self):
        bellows = self.run_bellows("--min-scale", "2", "--", *self.sample(start_delay="100ms", service_time="5ms"))
        until(lambda: len(self.ready(bellows)) == 2, "two replicas are ready")
        before = set(self.ready(bellows))
        load = LoadGenerator(bellows.port, 4)
        until(lambda: load.succeeded > 20, "there is load")
        self.ask(bellows, "restart", "web")
        until(lambda: len(self.ready(bellows)) >= 2 and not before & set(self.ready(bellows)), "all are new")
        load.stop()
        self.assertEqual(load.failures, [])
        self.assert_clean_exit(bellows)

    def test_down_stops_it_as_ctrl_c_does(self):
        bellows = self.run_bellows("--", *self.sample())
        self.assertEqual(get(bellows.port).status, 200)
        self.assertRegex(self.ask(bellows, "down"), r"stopping: .*\nstopped\n")
        self.assertEqual(bellows.end(), 0)
        self.assertIn("no Bellows at", self.ask(bellows, "down", code=1))

    def test_a_stop_says_what_it_waits_for(self):
        bellows = self.run_bellows("--", *HOLDING_APP, "one")
        held = HeldRequest(bellows.port, os.path.join(self.folder(), "gate"))
        until(lambda: any(r.get("in_flight", 0) > 0 for r in self.status(bellows)["replicas"]), "a request is in flight")
        bellows.signal(signal.SIGINT)
        draining = bellows.wait_for("draining")
        self.assertIn("1 request", draining["waits_for"])
        self.assertIn("second", draining["hint"])
        self.assertEqual(held.release().status, 200)
        self.assertEqual(bellows.end(), 0)


class FromAFile(OnOneMachine):
    FILE = "services:\n  - name: web\n    command: [{sample}]\n    min-scale: 1\n    target: {target}\n"

    def text(self, target=10):
        return self.FILE.format(sample=program("sample-app"), target=target)

    def test_up_d_goes_on_in_the_background_until_down(self):
        path = self.write(self.text())
        admin = free_port()
        log = os.path.join(os.path.dirname(path), "log")
        said = self.bellows("up", path, "-d", "--listen", "127.0.0.1:0", "--admin", f"127.0.0.1:{admin}",
                            "--detach-log", log)
        pid = int(said.split("process ")[1].split(":")[0])
        self.addCleanup(lambda: alive(pid) and os.kill(pid, signal.SIGKILL))
        self.assertIn(f"admin at 127.0.0.1:{admin}", said)
        self.assertIn(f"log: {log}", said)
        here = ["--admin", f"127.0.0.1:{admin}"]
        until(lambda: "1/1" in self.bellows("status", *here), "a replica is ready")
        self.assertEqual(os.getsid(pid), pid)
        self.assertEqual(os.stat(log).st_mode & 0o777, 0o600)

        self.assertEqual(self.bellows("reload", *here), "nothing changed\n")
        with open(path, "w") as f:
            f.write(self.text(20))
        self.assertEqual(self.bellows("reload", *here), "web: target 10 -> 20\n")
        with open(path, "w") as f:
            f.write(self.text(0))
        refused = self.bellows("reload", *here, code=2)
        self.assertIn(f"{path}:5: target", refused)
        self.assertTrue(refused.endswith("nothing was changed\n"), refused)
        self.bellows("down", *here)
        until(lambda: not alive(pid), "it has ended")
        with open(log) as f:
            self.assertIn("settings changed", f.read())

    def test_up_d_that_cannot_start_says_why_and_fails(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            said = self.bellows("up", self.write(self.text()), "-d", "--listen",
                                f"127.0.0.1:{taken.getsockname()[1]}", "--admin", "127.0.0.1:0", "--detach-log",
                                os.path.join(self.folder(), "log"), code=1)
        self.assertIn("--listen", said)
        self.assertIn("EADDRINUSE", said)

    def test_a_program_that_does_not_answer_is_told_as_that(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            address = "127.0.0.1:%d" % silent.getsockname()[1]
            for command in (["status"], ["scale", "web", "1"], ["check"]):
                told = self.bellows(*command, "--admin", address, code=1, cwd=self.folder())
                self.assertIn(f"{address}: it does not answer; Bellows is busy, or another program listens there", told, command)
                self.assertNotIn("no Bellows", told)

    def test_run_has_no_file_to_reload(self):
        bellows = self.run_bellows("--", *self.sample())
        self.assertIn("bellows up", self.ask(bellows, "reload", code=1))
        self.assert_clean_exit(bellows)

    def test_a_program_that_is_missing_is_reported_with_its_line(self):
        path = self.write("services:\n  - name: web\n    command: [nosuchprogram]\n")
        said = self.bellows("up", path, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", code=1)
        self.assertIn(f"{path}:3: nosuchprogram: no such program in PATH", said)


class Check(OnOneMachine):
    def items(self, *words, code=0, **how):
        page = json.loads(self.bellows("check", "-o", "json", *words, code=code, **how))
        self.assertEqual(page["result"], "failed" if code == 1 else "ok")
        return {item["name"]: item for item in page["items"]}

    def test_every_mistake_of_a_file_has_its_line(self):
        path = self.write("services:\n  - name: web\n    comand: [x]\n    target: 0\n")
        said = self.bellows("check", path, code=1)
        for expected in (f"{path}:3", "comand", f"{path}:4", "target"):
            self.assertIn(expected, said)

    def test_programs_ports_and_limits_of_a_file(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            path = self.write(f"listen: 127.0.0.1:{port}\nadmin: 127.0.0.1:{free_port()}\nservices:\n"
                              f"  - name: web\n    command: [{program('sample-app')}]\n    resources-mode: advise\n"
                              "  - name: lost\n    host: lost.localhost\n    command: [nosuchprogram]\n"
                              "    max-scale: 100000000\n")
            items = self.items(path, code=1)
        results = {name: item["result"] for name, item in items.items()}
        self.assertEqual(results["settings"], "ok")
        self.assertEqual((results["program of web"], results["program of lost"]), ("ok", "failed"))
        self.assertIn(f"{path}:9: nosuchprogram", items["program of lost"]["text"])
        self.assertEqual((results["address of listen"], results["address of admin"]), ("failed", "ok"))
        self.assertIn("EADDRINUSE", items["address of listen"]["text"])
        self.assertIn("--listen", items["address of listen"]["hint"])
        self.assertEqual(results["open files"], "failed")
        self.assertIn("advice only", items["sizes of web"]["text"])
        self.assertEqual(results["queue-proxy"], "ok")

    def test_a_good_file_passes_and_a_missing_one_is_a_usage_error(self):
        path = self.write(f"listen: 127.0.0.1:0\nadmin: 127.0.0.1:{free_port()}\nservices:\n  - name: web\n"
                          f"    command: [{program('sample-app')}]\n")
        self.assertNotIn("failed", self.bellows("check", path))
        self.assertNotIn("failed", self.bellows("check", cwd=os.path.dirname(path)))
        self.assertIn("no such file", self.bellows("check", path + ".lost", code=2))
        self.assertIn("no bellows.yaml", self.bellows("check", "--admin", f"127.0.0.1:{free_port()}",
                                                       cwd=self.folder()))

    def test_another_program_is_not_taken_for_bellows(self):
        bellows = self.run_bellows("--", program("sample-app"))
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            path = self.write(f"listen: 127.0.0.1:{taken.getsockname()[1]}\nadmin: 127.0.0.1:{free_port()}\nservices:\n"
                              f"  - name: web\n    command: [{program('sample-app')}]\n")
            items = self.items(path, "--admin", f"127.0.0.1:{bellows.admin}", code=1)
        self.assertEqual((items["bellows"]["result"], items["address of listen"]["result"]), ("ok", "failed"))
        self.assert_clean_exit(bellows)

    def test_a_bellows_of_another_file_is_not_taken_for_this_one(self):
        bellows = self.run_bellows("--", program("sample-app"))
        path = self.write(f"listen: 127.0.0.1:0\nadmin: 127.0.0.1:{bellows.admin}\nservices:\n  - name: other\n"
                          f"    command: [{program('sample-app')}]\n")
        items = self.items(path, code=1)
        self.assertIn("none of the services of this file", items["bellows"]["text"])
        self.assertIn("bellows down --admin", items["bellows"]["hint"])
        self.assertNotIn("service web", items)
        refused = self.bellows("up", path, code=1)
        self.assertIn(f"`bellows status --admin 127.0.0.1:{bellows.admin}` shows another Bellows", refused)
        self.assert_clean_exit(bellows)

    def test_a_crash_loop_is_named_with_a_hint_by_check_and_explain(self):
        bellows = self.run_bellows("--min-scale", "1", "--", "sh", "-c", "echo no database >&2; exit 3")
        until(lambda: self.status(bellows).get("trouble"), "it crashes again and again")
        item = self.items("--admin", f"127.0.0.1:{bellows.admin}", code=1)["service web"]
        self.assertIn("exited with code 3, last line: no database", item["text"])
        self.assertIn("bellows logs web", item["hint"])
        said = self.ask(bellows, "explain", "web")
        self.assertIn("exited with code 3, last line: no database", said)
        self.assertIn("bellows logs web", said)
        self.assert_clean_exit(bellows)

    def test_an_app_at_another_port_is_told_before_its_deadline(self):
        bellows = self.run_bellows("--min-scale", "1", "--", "python3", "-m", "http.server", "--bind", "127.0.0.1", "0")
        said = until(lambda: self.status(bellows).get("not_ready"), "it is told within seconds, not after a minute")
        self.assertRegex(said, r"^web-00001-1: not ready yet: nothing listens on 127\.0\.0\.1:\d+ \(it listens on 127\.0\.0\.1:\d+\)")
        self.assertNotIn("trouble", self.status(bellows), "callers wait")
        for command in ("status", "explain"):
            self.assertIn("(it listens on 127.0.0.1:", self.ask(bellows, command, *(["web"] if command == "explain" else [])))
        item = self.items("--admin", f"127.0.0.1:{bellows.admin}", code=1)["service web"]
        self.assertIn("the port in $PORT", item["hint"])
        self.assertEqual(bellows.text().count("replica not ready yet"), 1)
        self.assert_clean_exit(bellows)

    def test_a_service_that_cannot_start_says_so_at_zero(self):
        bellows = self.run_bellows("--", "sh", "-c", "echo no database >&2; exit 3")
        self.assertEqual(get(bellows.port).status, 503)
        until(lambda: not self.status(bellows)["replicas"], "nobody waits, so there is no replica")
        failed = self.status(bellows)["failed_starts"]
        self.assertGreaterEqual(failed["count"], 3)
        told = f"the last {failed['count']} starts failed: web-00001-1: the app exited with code 3, last line: no database"
        self.assertIn(told, self.ask(bellows, "status"))
        self.assertIn(told, self.ask(bellows, "explain", "web"))
        self.assertIn(told, self.items("--admin", f"127.0.0.1:{bellows.admin}", code=1)["service web"]["text"])
        self.assertIn(f'bellows_autoscaler_failed_starts{{revision="web-00001",service="web"}} {failed["count"]}\n', get(bellows.admin, "/metrics").body)
        self.assert_clean_exit(bellows)

    @unittest.skipUnless(has_ipv6(), "this machine has no IPv6 loopback address")
    def test_an_app_that_listens_elsewhere_is_told_where(self):
        bellows = self.run_bellows("--min-scale", "1", "--progress-deadline", "3s", "--", "python3", "-m", "http.server",
                                   "--bind", "::1", "$PORT")
        trouble = until(lambda: self.status(bellows).get("trouble"), "it is not ready in time")
        self.assertRegex(trouble, r"nothing listens on 127\.0\.0\.1:(\d+) after 3.00s \(it listens on \[::1\]:\1\)")
        self.assertIn("127.0.0.1", self.items("--admin", f"127.0.0.1:{bellows.admin}", code=1)["service web"]["hint"])
        self.assert_clean_exit(bellows)

    def test_a_bad_readiness_status_is_told(self):
        bellows = self.run_bellows("--min-scale", "1", "--progress-deadline", "3s", "--readiness-path", "/lost", "--",
                                   "python3", "-m", "http.server", "--bind", "127.0.0.1", "$PORT")
        trouble = until(lambda: self.status(bellows).get("trouble"), "it is not ready in time")
        self.assertIn("answered 404 to GET /lost", trouble)
        self.assert_clean_exit(bellows)

    def test_nonsense_is_no_answer_to_a_readiness_probe(self):
        nonsense = ("import os, socket\ns = socket.create_server(('127.0.0.1', int(os.environ['PORT'])))\n"
                    "while True:\n    c, _ = s.accept()\n    c.sendall(b'hello, who are you?\\r\\n')\n    c.close()\n")
        bellows = self.run_bellows("--min-scale", "1", "--progress-deadline", "3s", "--readiness-path", "/", "--",
                                   "python3", "-c", nonsense)
        trouble = until(lambda: self.status(bellows).get("trouble"), "it is not ready in time")
        self.assertIn("not ready after 3.00s", trouble)
        self.assertEqual(self.ready(bellows), [])
        self.assert_clean_exit(bellows)


class Messages(OnOneMachine):
    def test_the_target_is_one_number_in_status_and_explain(self):
        bellows = self.run_bellows("--target", "5.1", "--", *self.sample(service_time="1ms"))
        self.assertEqual(get(bellows.port).status, 200)
        shown = until(lambda: re.search(r"(?m)^web .* 3\.57 ", self.ask(bellows, "status")), "the target in the table")
        said = until(lambda: (lambda text: "target 5.1" in text and text)(self.ask(bellows, "explain", "web")), "a decision")
        self.assertIn("Planned per replica is 3.57, 70 % of the target 5.1.", said, shown)
        self.assert_clean_exit(bellows)

    def test_recommend_without_measurements_names_the_flag(self):
        bellows = self.run_bellows("--", *self.sample())
        said = self.ask(bellows, "recommend", "web", code=1)
        self.assertIn("bellows run --recommend -- COMMAND", said)
        self.assert_clean_exit(bellows)

    def test_unknown_names_list_the_known_ones(self):
        bellows = self.run_bellows("--name", "shop", "--", *self.sample())
        for command in ("status", "explain", "journal", "pause", "restart"):
            said = self.ask(bellows, command, "wrong", code=1)
            self.assertIn("wrong", said)
            self.assertIn("shop", said, command)
        self.assert_clean_exit(bellows)

    def test_a_profile_that_has_no_effect_is_said(self):
        line = '{"at":0,"spec":{"profile":"knative"},"ready":1}\n{"at":2,"ready":1,"stable":12,"panic":30}\n'
        path = self.write(line, "lines.jsonl")
        said = self.bellows("replay", "decisions", path, "--profile", "seed")
        self.assertIn("--profile has no effect from line 1 on", said)
        self.assertNotIn("no effect", self.bellows("replay", "decisions", path))
        self.assertIn("profile", self.bellows("replay", "slow", path, "--profile", "seed", code=2))

    def test_the_sizing_policys_variable_is_not_a_simulations(self):
        trace = self.write("period,count\n0,10\n60,10\n", "trace.csv")
        said = self.bellows("simulate", "--trace", trace, env={**os.environ, "BELLOWS_POLICY": "vpa"})
        self.assertRegex(said, r"(?m)^knative ")
        said = self.bellows("simulate", "--trace", trace, env={**os.environ, "BELLOWS_SIMULATE_POLICY": "bellows"})
        self.assertNotRegex(said, r"(?m)^knative ")
