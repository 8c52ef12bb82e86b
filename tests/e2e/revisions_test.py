"""Services come, change and go while Bellows runs: bellows deploy, rollback, split, add, remove, apply, SIGHUP."""

import datetime
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

from harness import DEADLINE, HOLDING_APP, EndToEnd, HeldRequest, LoadGenerator, free_port, get, program, until


class Services(EndToEnd):
    def app(self, version):
        return [*HOLDING_APP, version]

    def write(self, version="one", *more, services=("web",)):
        with open(self.file, "w") as f:
            f.write("defaults: {window: 6s, progress-deadline: 20s}\nservices:\n")
            for name in services:
                f.write(f"  - name: {name}\n    command: {json.dumps(self.app(version))}\n")
                f.write("" if name == "web" else f"    host: {name}.localhost\n")
                f.writelines(f"    {line}\n" for line in more)

    def up(self):
        bellows = self.start(program("bellows"), "up", self.file, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                             "--log-format", "json", "--error-detail", "full")
        listening = bellows.wait_for("listening")
        bellows.port = int(listening["address"].rsplit(":", 1)[1])
        bellows.admin = int(listening["admin"].rsplit(":", 1)[1])
        return bellows

    def start_web(self):
        self.file = os.path.join(self.folder(), "bellows.yaml")
        self.write()
        bellows = self.up()
        self.assertEqual(get(bellows.port).body, "web-00001 one")
        return bellows

    def hold(self, bellows, host="web.localhost"):
        return HeldRequest(bellows.port, os.path.join(self.folder(), "release"), host)

    def call(self, bellows, *words, code=0, variables=()):
        """Runs a command; its words before `--` get the admin address."""
        words = list(words)
        rest = words[words.index("--"):] if "--" in words else []
        done = subprocess.run([program("bellows"), *words[:len(words) - len(rest)], "--admin",
                               f"127.0.0.1:{bellows.admin}", *rest],
                              capture_output=True, text=True, timeout=DEADLINE, check=False,
                              env={**os.environ, **dict(variables)})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr + bellows.text())
        return done.stdout + done.stderr

    def shares(self, bellows, name="web"):
        page = json.loads(get(bellows.admin, f"/v1/services/{name}").body)
        return {r["name"]: r["share"] for r in page["services"][0]["revisions"] if r["share"]}

    def bodies(self, bellows, count):
        return [get(bellows.port).body for _ in range(count)]


class Deploys(Services):
    def test_a_deploy_under_load_loses_no_request(self):
        bellows = self.start_web()
        load = LoadGenerator(bellows.port, 8)
        until(lambda: load.succeeded > 50, "load")
        said = self.call(bellows, "deploy", "web", "--", *self.app("two"))
        self.assertIn("new revision web-00002", said)
        self.assertIn("web: done in", said)
        self.assertEqual(get(bellows.port).body, "web-00002 two")
        bellows.wait_for("revision retired", revision="web-00001")
        bellows.wait_for("replica drained")
        before = load.succeeded
        until(lambda: load.succeeded > before + 50, "load at the new revision")
        load.stop()
        self.assertEqual(load.failures, [])
        self.assertEqual(self.shares(bellows), {"web-00002": 100})
        self.assert_clean_exit(bellows)

    def test_the_service_keeps_its_name_its_past_and_its_series(self):
        bellows = self.start_web()
        desired = r'bellows_autoscaler_desired_pods\{revision="web-0000(\d)",service="web"\} 1\n'
        self.assertEqual(set(re.findall(desired, get(bellows.admin, "/metrics").body)), {"1"})
        begin = time.time()
        until(lambda: time.time() > begin + 0.01, "the deploy is later")
        before = datetime.datetime.fromtimestamp(begin, datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.call(bellows, "deploy", "web", "--", *self.app("two"))
        self.call(bellows, "split", "web", "web-00001=25", "web-00002=75")
        lines = self.call(bellows, "status", "web").splitlines()
        self.assertRegex(lines[1], r"^web .* 75 % to web-00002, 25 % to web-00001$")
        self.assertEqual([line.split()[0] for line in lines[2:4]], ["web-00002", "web-00001"])
        self.assertEqual(set(re.findall(desired, get(bellows.admin, "/metrics").body)), {"1", "2"})
        self.call(bellows, "split", "web", "web-00002=100")
        bellows.wait_for("revision retired", service="web", revision="web-00001")
        self.assertEqual([line.split()[0] for line in self.call(bellows, "status").splitlines()], ["SERVICE", "web"])

        until(lambda: '"revision":"web-00002"' in self.call(bellows, "journal", "web", "--since", "1h"), "a decision of the new revision")
        told = self.call(bellows, "journal", "web", "--since", "1h").splitlines()
        journal = [json.loads(line) for line in told if line.startswith("{")]  # not the note on stderr
        self.assertEqual([line["revision"] for line in journal if "snapshot" in line], ["web-00001", "web-00002"])
        shares = [line["shares"] for line in journal if "shares" in line]
        self.assertEqual([shares[0], shares[-1]], [{"web-00001": 100, "web-00002": 0}, {"web-00002": 100}])
        self.assertIn({"web-00001": 25, "web-00002": 75}, shares)
        self.assertEqual([share for share in shares if sum(share.values()) != 100], [], "each is a whole deploy")
        told = self.call(bellows, "explain", "web", "--at", before)
        self.assertIn("web should have 1 replica", told)
        self.assertNotIn("web-00002", told, "there was none")
        self.assertIn("Its revision web-00002 has had most of the requests since", self.call(bellows, "explain", "web"))
        self.assertIn("web-00001 should have 1 replica", self.call(bellows, "explain", "web-00001", "--at", before))
        part = [json.loads(line) for line in self.call(bellows, "journal", "web-00001", "--since", "1h").splitlines() if line.startswith("{")]
        self.assertEqual((part[0]["service"], part[0]["revision"]), ("web", "web-00001"))
        for command in ("logs", "status", "restart", "slow"):
            self.assertIn('revision "web-00001": no such revision of web runs; want web', self.call(bellows, command, "web-00001", code=1))
        self.call(bellows, "logs", "web-00002")
        status = json.loads(self.call(bellows, "status", "web-00002", "-o", "json"))
        self.assertEqual([(s["name"], [r["name"] for r in s["revisions"]]) for s in status["services"]], [("web", ["web-00002"])])
        self.assertIn("paused web:", self.call(bellows, "pause", "web"))
        self.assertTrue(self.status(bellows, "web-00002")["paused"])
        self.assertIn('service "shop": there is none', self.call(bellows, "journal", "shop", code=1))
        self.assertIn('service "web-00002": that is a revision; want its service: web', self.call(bellows, "remove", "web-00002", code=1))
        self.assert_clean_exit(bellows)

    def test_who_follows_the_logs_of_a_service_reads_those_of_its_next_revision(self):
        bellows = self.start_web()
        self.call(bellows, "deploy", "web", "--", "sh", "-c", "for i in 1 2 3 4 5; do echo first $i; done; exec \"$0\" \"$@\"", *self.app("two"))
        follower = self.start(program("bellows"), "logs", "web", "-f", "--admin", f"127.0.0.1:{bellows.admin}")
        until(lambda: any("web-00002-1 | first 5" in line for line in follower.lines), "the lines so far")
        self.call(bellows, "deploy", "web", "--", "sh", "-c", "echo second; exec \"$0\" \"$@\"", *self.app("three"))
        names = {"service": "web", "revision": "web-00003", "replica": "web-00003-1"}
        bellows.wait_for("replica starting", **names)
        bellows.wait_for("output", line="second", **names)
        until(lambda: any("web-00003-1 | second" in line for line in follower.lines), "the line of the next revision")
        self.assertEqual(sum("first 1" in line for line in follower.lines), 1)
        self.assert_clean_exit(bellows)

    def test_a_request_that_runs_at_the_old_revision_is_finished_there(self):
        bellows = self.start_web()
        held = self.hold(bellows)
        until(lambda: self.in_flight(bellows) == 1, "the held request runs")
        self.call(bellows, "deploy", "web", "--", *self.app("two"))
        self.assertEqual(get(bellows.port).body, "web-00002 two")
        self.assertIsNone(held.response, "it still runs")
        held.release()
        self.assertEqual(held.response.body, "web-00001 one")
        bellows.wait_for("revision retired", revision="web-00001")
        self.assert_clean_exit(bellows)

    def test_a_failed_revision_gets_no_request(self):
        bellows = self.start_web()
        broken = "import sys; print('no database', file=sys.stderr); sys.exit(3)"
        said = self.call(bellows, "deploy", "web", "--", sys.executable, "-c", broken, code=1)
        self.assertIn("web-00002 does not become ready", said)
        self.assertIn("the app exited with code 3", said)
        self.assertIn("| no database", said)
        self.assertEqual(set(self.bodies(bellows, 5)), {"web-00001 one"})
        self.assertEqual(self.shares(bellows), {"web-00001": 100})
        self.assertIn("no database", self.call(bellows, "revisions", "web"))
        self.assert_clean_exit(bellows)

    def test_a_revision_that_never_listens_fails_at_its_progress_deadline(self):
        bellows = self.start_web()
        said = self.call(bellows, "deploy", "web", "--set", "progress-deadline=1s", "--", "sleep", "600", code=1)
        self.assertIn("web-00002", said)
        self.assertEqual(get(bellows.port).body, "web-00001 one")
        self.assert_clean_exit(bellows)

    def test_only_changed_content_makes_a_revision(self):
        bellows = self.start_web()
        said = self.call(bellows, "deploy", "web", "--environment", "LOG=debug", "--set", "container-concurrency=3")
        self.assertIn("environment LOG added, container-concurrency 0 -> 3", said)
        self.assertEqual(get(bellows.port, "/env/LOG").body, "web-00002 debug")
        self.assertEqual(self.status(bellows, "web-00002")["name"], "web-00002")
        said = self.call(bellows, "deploy", "web", "--environment", "LOG=debug")
        self.assertIn("nothing differs", said)
        self.call(bellows, "deploy", "web", "--set", "container-concurrency=0", "--environment", "LOG=")
        self.call(bellows, "deploy", "web", "--set", "container-concurrency=3", "--environment", "LOG=debug")
        self.assertEqual(self.shares(bellows), {"web-00002": 100})
        self.assert_clean_exit(bellows)

    def test_a_scaling_setting_changes_without_a_restart(self):
        bellows = self.start_web()
        said = self.call(bellows, "deploy", "web", "--set", "target=20")
        self.assertEqual(said, "web: target 10 -> 20\n")
        until(lambda: self.status(bellows)["target"] == 14, "the new target")
        self.assertEqual(get(bellows.port).body, "web-00001 one")
        self.assertIn("nothing differs", self.call(bellows, "deploy", "web", "--set", "target=20"))
        self.assert_clean_exit(bellows)

    def test_a_dry_run_says_the_difference_and_changes_nothing(self):
        bellows = self.start_web()
        said = self.call(bellows, "deploy", "web", "--dry-run", "--", *self.app("two"))
        self.assertIn("new revision web-00002: command [", said)
        self.assertEqual(set(self.bodies(bellows, 3)), {"web-00001 one"})
        self.assertEqual(self.shares(bellows), {"web-00001": 100})
        self.assert_clean_exit(bellows)

    def test_a_service_at_zero_is_proven_by_one_start(self):
        bellows = self.start_web()
        self.call(bellows, "add", "shop", "--host", "shop.localhost", "--no-probe", "--", *self.app("one"))
        self.assertEqual(self.status(bellows, "shop")["replicas"], [])
        self.call(bellows, "deploy", "shop", "--", *self.app("two"))
        bellows.wait_for("rollout done", shares="shop-00002=100")
        self.call(bellows, "deploy", "shop", "--no-probe", "--", *self.app("three"))
        self.assertEqual(get(bellows.port, host="shop.localhost").body, "shop-00003 three")
        self.assert_clean_exit(bellows)

    def test_a_second_deploy_is_refused_while_one_runs(self):
        bellows = self.start_web()
        gate = os.path.join(self.folder(), "gate")
        starts_late = ["sh", "-c", f'while [ ! -e {gate} ]; do sleep 0.02; done; exec "$0" "$@"', *self.app("late")]
        self.call(bellows, "deploy", "web", "--no-wait", "--set", "progress-deadline=5m", "--", *starts_late)
        said = self.call(bellows, "deploy", "web", "--", *self.app("two"), code=1)
        self.assertIn("service web: a deploy is under way (web-00002: 0 of 1 replica ready)", said)
        self.assertRegex(self.call(bellows, "revisions", "web"), r"web-00002 +0% +- +Starting +0 +sh -c while")
        with open(gate, "w"):
            pass
        until(lambda: get(bellows.port).body == "web-00002 late", "the first one is done")
        self.call(bellows, "deploy", "web", "--", *self.app("two"))
        self.assertEqual(get(bellows.port).body, "web-00003 two")
        self.assert_clean_exit(bellows)


class Shares(Services):
    def test_a_rollback_goes_to_the_revision_before_and_back(self):
        bellows = self.start_web()
        self.call(bellows, "deploy", "web", "--", *self.app("two"))
        self.call(bellows, "rollback", "web")
        self.assertEqual(set(self.bodies(bellows, 4)), {"web-00001 one"})
        self.call(bellows, "rollback", "web")
        self.assertEqual(set(self.bodies(bellows, 4)), {"web-00002 two"})
        self.call(bellows, "rollback", "web", "--to", "1")
        self.assertEqual(set(self.bodies(bellows, 4)), {"web-00001 one"})
        self.assert_clean_exit(bellows)

    def test_a_split_is_exact(self):
        bellows = self.start_web()
        self.call(bellows, "deploy", "web", "--", *self.app("two"))
        self.call(bellows, "split", "web", "web-00001=75", "web-00002=25")
        bodies = self.bodies(bellows, 100)
        self.assertEqual((bodies.count("web-00001 one"), bodies.count("web-00002 two")), (75, 25))
        self.call(bellows, "split", "web", "2=100")
        self.assertEqual(set(self.bodies(bellows, 5)), {"web-00002 two"})
        self.assert_clean_exit(bellows)

    def test_shares_and_tags_of_one_split_are_one_order(self):
        self.file = os.path.join(self.folder(), "bellows.yaml")
        self.write("one", "host: web.localhost")
        bellows = self.up()
        self.call(bellows, "deploy", "web", "--", *self.app("two"))
        said = self.call(bellows, "split", "web", "web-00001=50", "web-00002=40", "--tag", "old=web-00001", code=2)
        self.assertIn("shares of web: add up to 90, want 100", said)
        self.assertEqual(get(bellows.port, host="old.web.localhost").status, 404, "the tag neither")
        said = self.call(bellows, "split", "web", "web-00001=50", "web-00002=50", "--tag", "old=web-00001")
        self.assertIn("old.web.localhost -> web-00001", said)
        self.assertEqual(self.shares(bellows), {"web-00001": 50, "web-00002": 50})
        self.assertEqual(get(bellows.port, host="old.web.localhost").body, "web-00001 one")
        self.assert_clean_exit(bellows)

    def test_orders_are_refused_while_it_drains(self):
        bellows = self.start_web()
        held = self.hold(bellows)
        until(lambda: self.in_flight(bellows) == 1, "the held request runs")
        bellows.signal(signal.SIGTERM)
        bellows.wait_for("draining")
        for words in (["deploy", "web", "--", *self.app("two")], ["add", "shop", "--host", "shop.localhost", "--", *self.app("x")],
                      ["remove", "web"]):
            said = self.call(bellows, *words, code=1)
            self.assertRegex(said, "service (web|shop): is unchanged: Bellows is shutting down")
            self.assertEqual(said.count("\n"), 1, said)
        held.release()
        bellows.end()

    def test_bad_orders_name_what_there_is_and_change_nothing(self):
        bellows = self.start_web()
        self.assertIn('service "shop": there is none; want one of: web',
                      self.call(bellows, "deploy", "shop", "--", "x", code=1))
        self.assertIn("revision 7: there is none; want one of web-00001",
                      self.call(bellows, "rollback", "web", "--to", "7", code=1))
        self.assertIn("had no other revision before", self.call(bellows, "rollback", "web", code=1))
        self.assertIn("shares of web: add up to 90, want 100", self.call(bellows, "split", "web", "web-00001=90", code=2))
        self.assertIn("want REVISION=PERCENT", self.call(bellows, "split", "web", "web:90", code=2))
        self.assertIn("max-scale", self.call(bellows, "deploy", "web", "--set", "max-scale=many", code=2))
        self.assertIn("no such program", self.call(bellows, "deploy", "web", "--", "./nonexistent", code=1))
        self.assertIn("takes any host and any path, as service", self.call(bellows, "add", "shop", "--", *self.app("x"), code=1))
        self.assertEqual(self.shares(bellows), {"web-00001": 100})
        self.assertEqual(get(bellows.port).body, "web-00001 one")
        self.assert_clean_exit(bellows)


class ComeAndGo(Services):
    def test_a_service_is_added_and_removed_while_it_is_called(self):
        bellows = self.start_web()
        said = self.call(bellows, "add", "shop", "--host", "shop.localhost", "--", *self.app("one"))
        self.assertIn("shop: new service for shop.localhost", said)
        self.assertEqual(get(bellows.port, host="shop.localhost").body, "shop-00001 one")
        held = self.hold(bellows, "shop.localhost")
        until(lambda: "web-00001 one" == get(bellows.port).body and self.replica_runs(bellows, "shop"), "the held one runs")
        self.call(bellows, "remove", "shop")
        until(lambda: get(bellows.port, host="shop.localhost").body == "web-00001 one", "the route is gone")
        held.release()
        self.assertEqual(held.response.body, "shop-00001 one")
        bellows.wait_for("revision retired", revision="shop-00001")
        self.assert_clean_exit(bellows)

    def replica_runs(self, bellows, name):
        return f'bellows_activator_in_flight{{revision="{name}-00001",service="{name}"}} 1' in get(bellows.admin, "/metrics").body

    def test_requests_wait_for_a_service_that_is_added(self):
        bellows = self.start_web()
        gate = os.path.join(self.folder(), "gate")
        os.mkfifo(gate)
        waits = f"read line < {gate}; exec \"$0\" \"$@\""
        self.call(bellows, "add", "shop", "--host", "shop.localhost", "--no-wait", "--", "sh", "-c", waits, *self.app("one"))
        answers = []
        early = threading.Thread(target=lambda: answers.append(get(bellows.port, host="shop.localhost").body))
        early.start()
        until(lambda: self.status(bellows, "shop").get("waiting"), "the request waits for the first replica")
        with open(gate, "w") as f:
            f.write("go\n")
        early.join(DEADLINE)
        self.assertEqual(answers, ["shop-00001 one"])
        self.assert_clean_exit(bellows)

    def test_a_preview_is_removed_before_it_is_ready_and_when_its_time_ends(self):
        bellows = self.start_web()
        self.call(bellows, "add", "shop", "--host", "shop.localhost", "--no-wait", "--", "sleep", "600")
        self.assertIn("shop: removed", self.call(bellows, "remove", "shop"))
        self.assertEqual(get(bellows.port, host="shop.localhost").body, "web-00001 one")
        self.call(bellows, "add", "mail", "--host", "mail.localhost", "--ttl", "2d", "--no-probe", "--", *self.app("one"))
        self.assertRegex(self.call(bellows, "revisions", "mail"), r"mail: is removed in 1d23h")
        self.call(bellows, "add", "brief", "--host", "brief.localhost", "--ttl", "1s", "--no-probe", "--", *self.app("one"))
        bellows.wait_for("service removed", service="brief")
        self.assertIn("--ttl", self.call(bellows, "add", "x", "--ttl", "never", "--", "x", code=2))
        self.assert_clean_exit(bellows)

    def test_an_app_that_does_not_start_is_not_added(self):
        bellows = self.start_web()
        said = self.call(bellows, "add", "shop", "--host", "shop.localhost", "--", "false", code=1)
        self.assertIn("shop-00001 does not become ready", said)
        self.assertIn("shop: it is not added", said)
        self.assertIn('service "shop": is not added: shop-00001 does not become ready', self.call(bellows, "revisions", "shop", code=1))
        self.assertIn("there is none", self.call(bellows, "remove", "shop", code=1))
        self.assertEqual(get(bellows.port, host="shop.localhost").body, "web-00001 one")
        self.assert_clean_exit(bellows)

    def test_sighup_brings_changes_and_removes_services(self):
        bellows = self.start_web()
        self.write("one", services=("web", "shop"))
        bellows.signal(signal.SIGHUP)
        bellows.wait_for("service added", service="shop")
        until(lambda: get(bellows.port, host="shop.localhost").body == "shop-00001 one", "shop")
        self.write("two", services=("web", "shop"))
        bellows.signal(signal.SIGHUP)
        until(lambda: get(bellows.port).body == "web-00002 two", "the new version")
        until(lambda: get(bellows.port, host="shop.localhost").body == "shop-00002 two", "the new shop")
        self.write("two")
        bellows.signal(signal.SIGHUP)
        bellows.wait_for("service removed", service="shop")
        until(lambda: get(bellows.port, host="shop.localhost").body == "web-00002 two", "shop is gone")
        self.assert_clean_exit(bellows)

    def test_apply_applies_the_file_and_sighup_its_changes(self):
        bellows = self.start_web()
        self.call(bellows, "deploy", "web", "--", *self.app("two"))
        bellows.signal(signal.SIGHUP)
        bellows.wait_for("settings reloaded, nothing changed")
        self.assertEqual(get(bellows.port).body, "web-00002 two")
        said = self.call(bellows, "apply", "-f", self.file, "--dry-run")
        self.assertIn("web: revision web-00001 again: command [", said)
        self.call(bellows, "apply", "-f", self.file)
        self.assertEqual(get(bellows.port).body, "web-00001 one")
        self.call(bellows, "remove", "web")
        self.assertIn("web: removed; `bellows apply` or a change of its entry", self.call(bellows, "revisions", "web"))
        self.assertEqual(self.call(bellows, "reload"),
                         "web: stays removed; `bellows apply` or a change of its entry restores it\n")
        self.assert_clean_exit(bellows)

    def test_apply_of_an_invalid_file_changes_nothing(self):
        bellows = self.start_web()
        self.write("two", "max-scale: many")
        said = self.call(bellows, "apply", "-f", self.file, code=2)
        self.assertIn(f"{self.file}:5: max-scale", said)
        self.assertEqual(get(bellows.port).body, "web-00001 one")
        self.assert_clean_exit(bellows)


class Restarts(Services):
    def test_revisions_shares_and_added_services_survive_a_kill(self):
        bellows = self.start_web()
        self.call(bellows, "deploy", "web", "--", *self.app("two"))
        self.call(bellows, "split", "web", "web-00001=40", "web-00002=60")
        self.call(bellows, "add", "shop", "--host", "shop.localhost", "--", *self.app("one"))
        bellows.signal(signal.SIGKILL)
        bellows.end()
        bellows = self.up()
        self.assertEqual(self.shares(bellows), {"web-00001": 40, "web-00002": 60})
        bodies = self.bodies(bellows, 10)
        self.assertEqual(bodies.count("web-00001 one"), 4)
        self.assertEqual(get(bellows.port, host="shop.localhost").body, "shop-00001 one")
        self.assert_clean_exit(bellows)

    def test_a_kill_while_a_revision_starts_leaves_the_old_one(self):
        bellows = self.start_web()
        self.call(bellows, "deploy", "web", "--no-wait", "--", "sleep", "600")
        bellows.signal(signal.SIGKILL)
        bellows.end()
        bellows = self.up()
        self.assertIn("web: a deploy to web-00002=100 was under way when Bellows ended, and did not take effect",
                      bellows.text())
        self.assertEqual(self.shares(bellows), {"web-00001": 100})
        self.assertEqual(get(bellows.port).body, "web-00001 one")
        self.assert_clean_exit(bellows)

    def test_an_unwritable_state_file_refuses_a_deploy(self):
        bellows = self.start_web()
        os.mkdir(self.file + ".state.new")
        said = self.call(bellows, "deploy", "web", "--", *self.app("two"), code=1)
        self.assertIn(f"state file {self.file}.state", said)
        self.assertEqual(self.status(bellows, "web-00002")["replicas"], [])
        self.assertEqual(get(bellows.port).body, "web-00001 one")
        self.assert_clean_exit(bellows)

    def test_a_file_changed_before_a_restart_wins(self):
        bellows = self.start_web()
        self.call(bellows, "deploy", "web", "--", *self.app("two"))
        self.assert_clean_exit(bellows)
        self.write("three")
        bellows = self.up()
        self.assertEqual(get(bellows.port).body, "web-00003 three")
        self.assertIn("the settings file has changed since it was applied", bellows.text())
        self.assert_clean_exit(bellows)

    def test_a_state_file_cut_short_stops_the_start_with_one_line(self):
        bellows = self.start_web()
        self.call(bellows, "deploy", "web", "--", *self.app("two"))
        self.assert_clean_exit(bellows)
        with open(self.file + ".state", "r+") as f:
            f.truncate(200)
        done = subprocess.run([program("bellows"), "up", self.file, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"],
                              capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn(f"state file {self.file}.state: cannot be read", done.stderr)
