"""Several workers behind one port: `bellows run --workers N`, called from zero, drained, killed."""

import json
import os
import re
import signal
import socket
import subprocess
import threading
import unittest

from harness import DEADLINE, HOLDING_APP, EndToEnd, HeldRequest, LoadGenerator, alive, descendants, get, metric, program, until, until_equal
from tls_test import HAS_TOOLS, Authority, openssl

HERE = os.path.dirname(os.path.abspath(__file__))
GRPC_APP = ["/usr/bin/python3", os.path.join(HERE, "grpc_app.py"), "$PORT"]
GRPC_PEER = ["/usr/bin/python3", os.path.join(HERE, "grpc_peer.py")]


class Workers(EndToEnd):
    def connections(self, running, workers):
        return [metric(running.admin, f'bellows_activator_connections{{worker="{i}"}}') for i in range(workers)]

    def callers(self, port, count, path="/"):
        """Threads with one request each; the list gets their statuses."""
        statuses = []
        threads = [threading.Thread(target=lambda: statuses.append(get(port, path).status), daemon=True)
                   for _ in range(count)]
        for thread in threads:
            thread.start()
        return threads, statuses

    def threads_of(self, running):
        return sorted(int(number) for number in os.listdir(f"/proc/{running.pid}/task"))

    def test_callers_of_all_workers_are_held_and_served_from_zero(self):
        gate = os.path.join(self.folder(), "gate")
        waits = f'while [ ! -e {gate} ]; do sleep 0.02; done; exec "$0" "$@"'
        running = self.run_bellows("--workers", "3", "--initial-scale", "0", "--container-concurrency", "4", "--max-scale", "2", "--",
                                   "sh", "-c", waits, *self.sample())
        threads, statuses = self.callers(running.port, 30)
        until(lambda: sum(self.connections(running, 3)) == 30, "all callers are connected")
        self.assertEqual(self.connections(running, 3), [10, 10, 10])
        with open(gate, "w"):
            pass
        for thread in threads:
            thread.join(DEADLINE)
        self.assertEqual(statuses, [200] * 30)
        for series in ('requests_total{code_class="2xx",revision="web-00001",service="web"}',
                       'request_duration_seconds_count{revision="web-00001",service="web"}'):
            until_equal(lambda: metric(running.admin, f"bellows_activator_{series}"), 30)
        until_equal(lambda: self.in_flight(running), 0)
        self.assertEqual(self.status(running)["name"], "web-00001")
        self.assert_clean_exit(running)

    def test_auto_is_as_many_as_there_are_processors(self):
        running = self.run_bellows("--workers", "auto", "--", *self.sample())
        cores = len(os.sched_getaffinity(0))
        names = re.findall(r'bellows_activator_connections\{worker="(\d+)"\}', get(running.admin, "/metrics").body)
        self.assertTrue(1 <= len(names) <= cores, names)
        self.assertEqual(get(running.port).status, 200)
        self.assert_clean_exit(running)

    def connect(self, running):
        """A connection that has had one response and is kept; None: it was closed."""
        peer = socket.create_connection(("127.0.0.1", running.port), timeout=DEADLINE)
        self.addCleanup(peer.close)
        try:
            peer.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            return peer if peer.recv(65536).startswith(b"HTTP/1.1 200") else None
        except ConnectionError:
            return None

    def test_a_client_may_have_as_many_connections_as_with_one_worker(self):
        running = self.run_bellows("--workers", "2", "--max-connections-per-client", "6", "--",
                                   *self.sample(service_time="1ms"))
        peers = [self.connect(running) for _ in range(6)]
        self.assertNotIn(None, peers)
        self.assertIsNone(self.connect(running))
        until_equal(lambda: self.connections(running, 2), [3, 3])
        for peer in peers[:2]:
            peer.close()
        until(lambda: self.connect(running), "a place is free")
        closed = 'bellows_activator_closed_connections_total{limit="max-connections-per-client"}'
        until(lambda: metric(running.admin, closed) >= 1, "the one that was closed is counted")
        self.assert_clean_exit(running)

    def test_at_the_limit_of_all_connections_idle_ones_make_room(self):
        running = self.run_bellows("--workers", "2", "--max-connections", "8", "--",
                                   *self.sample(service_time="1ms"))
        for _ in range(8):
            self.assertIsNotNone(self.connect(running))
        until_equal(lambda: self.connections(running, 2), [4, 4])
        for _ in range(4):
            until(lambda: self.connect(running), "another one is served")
        until(lambda: sum(self.connections(running, 2)) <= 8, "those that made room are closed")
        closed = 'bellows_activator_closed_connections_total{limit="max-connections"}'
        until(lambda: metric(running.admin, closed) >= 4, "those that made room are counted")
        self.assert_clean_exit(running)

    def test_a_drain_finishes_the_requests_of_all_workers(self):
        running = self.run_bellows("--workers", "2", "--", *HOLDING_APP, "one")
        get(running.port)
        gate = os.path.join(self.folder(), "gate")
        held = [HeldRequest(running.port, gate) for _ in range(12)]
        until_equal(lambda: self.in_flight(running), 12)
        running.signal(signal.SIGTERM)
        running.wait_for("draining")
        self.assertEqual([each.release().status for each in held], [200] * 12)
        self.assertEqual(running.end(), 0, running.text())

    @unittest.skipUnless(HAS_TOOLS, "no curl and openssl; tools/setup --tests installs them")
    def test_a_reload_under_load_changes_all_workers_certificates(self):
        authority = Authority(self.folder())
        base = os.path.join(self.folder(), "shop")
        certificate, key = authority.sign(base, ["127.0.0.1"], subject="first")
        settings = os.path.join(self.folder(), "bellows.yaml")
        with open(settings, "w", encoding="ascii") as out:
            json.dump({"listen": "127.0.0.1:0", "admin": "127.0.0.1:0", "log-format": "json", "workers": 2,
                       "tls-certificate": certificate, "tls-key": key,
                       "services": [{"name": "web", "command": self.sample(service_time="5ms")}]}, out)
        running = self.start(program("bellows"), "up", settings)
        listening = running.wait_for("listening")
        running.port, running.admin = (int(listening[key].rsplit(":", 1)[1]) for key in ("address", "admin"))
        fetch = ["curl", "--silent", "--cacert", authority.certificate, "--max-time", str(DEADLINE - 5), "--output", os.devnull,
                 "--write-out", "%{http_code} %{http_version}\n", f"https://127.0.0.1:{running.port}/[1-8]"]
        peers = [subprocess.Popen([*fetch, version], stdout=subprocess.PIPE, text=True)
                 for version in ("--http1.1", "--http2") * 4]
        authority.sign(base, ["127.0.0.1"], subject="second")
        running.signal(signal.SIGHUP)
        running.wait_for("certificates read")
        told = [peer.communicate(timeout=DEADLINE)[0].split("\n")[:-1] for peer in peers]
        for i, lines in enumerate(told):
            self.assertEqual(lines, [f"200 {'2' if i % 2 else '1.1'}"] * 8)
        for _ in range(4):
            shown = openssl("s_client", "-connect", f"127.0.0.1:{running.port}", input="")
            self.assertIn("CN = second", shown.stdout)
        handshakes = [f'bellows_activator_tls_handshakes_total{{outcome="{outcome}"}}' for outcome in ("full", "resumed")]
        until_equal(lambda: sum(metric(running.admin, each) for each in handshakes), 12)
        self.assert_clean_exit(running)

    def test_calls_by_grpc_go_through_any_worker(self):
        running = self.run_bellows("--workers", "2", "--max-scale", "1", "--", *GRPC_APP)
        for case in ("unary", "bidirectional", "many_at_once", "deadline"):
            done = subprocess.run([*GRPC_PEER, str(running.port), case], capture_output=True, text=True,
                                  timeout=3 * DEADLINE, check=False)
            self.assertEqual(done.returncode, 0, f"{case}: {done.stderr[-2000:]}")
        self.assert_clean_exit(running)

    def test_a_killed_worker_ends_the_program_and_its_apps(self):
        running = self.run_bellows("--workers", "2", "--", *self.sample())
        load = LoadGenerator(running.port, 4)
        until(lambda: load.succeeded > 20, "requests are served")
        apps = descendants(running.pid)
        os.kill(self.threads_of(running)[-1], signal.SIGKILL)
        self.assertEqual(running.end(), -signal.SIGKILL)
        load.stop()
        until(lambda: not any(alive(pid) for pid in apps), "the apps have ended")
        again = self.run_bellows("--workers", "2", "--", *self.sample(), port=running.port)
        self.assertEqual(get(again.port).status, 200)
        self.assert_clean_exit(again)

    def test_an_access_log_has_whole_lines_of_all_workers(self):
        running = self.run_bellows("--workers", "3", "--access-log", "--access-log-template", "line ${url} ${status} end",
                                   "--", *self.sample(service_time="1ms"))
        threads, _ = self.callers(running.port, 60, "/x")
        for thread in threads:
            thread.join(DEADLINE)
        self.assert_clean_exit(running)
        lines = [line for line in running.lines if "line " in line or line.endswith(" end")]
        self.assertEqual(lines, ["line /x 200 end"] * 60)

    def test_other_numbers_are_refused_at_the_start(self):
        for wrong in ("0", "many", "65"):
            running = self.start(program("bellows"), "run", "--workers", wrong, "--", "true")
            self.assertEqual(running.end(), 2)
            self.assertIn("auto, or a whole number from 1 to 64", running.text())
