"""Policies other than concurrency, rooms that say that they are occupied, and Maestro's files."""

import json
import os
import signal
import subprocess
import sys

from harness import DEADLINE, EndToEnd, alive, descendants, get, program, until

ROOMS = """
services:
  - name: rooms
    command: [{python}, {app}, "{version}"]
    policy: buffer
    autoscaling: {{buffer: {{amount: {amount}}}}}
    drain-timeout: {drain}
"""

MAESTRO = """name: pong
image: pong:1.2
cmd: [./pong, "-p", "7000"]
requests:
  memory: 1Gi
  cpu: 1000m
autoscaling:
  min: 100
  max: 1000
  up:
    metricsTrigger:
      - type: room
        threshold: 80
        usage: 70
        time: 600
     - type: mem
        threshold: 80
        usage: 70
        time: 600
    cooldown: 300
  down:
    trigger: {usage: 50, time: 900}
    delta: 2
    cooldown: 300
"""


def room_processes(bellows):
    children = descendants(bellows.process.pid)
    return {pid for pid, line in children.items() if "room_app.py" in line and line.startswith(sys.executable)}


class Rooms(EndToEnd):
    def write(self, path, amount, version="1", drain="2s"):
        app = os.path.join(os.path.dirname(os.path.abspath(__file__)), "room_app.py")
        with open(path, "w") as f:
            f.write(ROOMS.format(python=sys.executable, app=app, amount=amount, version=version, drain=drain))

    def up(self, path):
        bellows = self.start(program("bellows"), "up", path, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                             "--log-format", "json")
        listening = bellows.wait_for("listening")
        bellows.port = int(listening["address"].rsplit(":", 1)[1])
        bellows.admin = int(listening["admin"].rsplit(":", 1)[1])
        return bellows

    def ready(self, bellows, count, what):
        until(lambda: self.status(bellows, "rooms").get("ready") == count, what)

    def test_an_occupied_room_survives_a_scale_down(self):
        path = os.path.join(self.folder(), "bellows.yaml")
        self.write(path, 3)
        bellows = self.up(path)
        self.ready(bellows, 3, "three free rooms")
        room = json.loads(get(bellows.port, "/occupy").body)
        until(lambda: self.status(bellows, "rooms").get("kept") == 1, "the room being occupied")
        self.ready(bellows, 4, "three free rooms beside it")
        self.write(path, 1)
        bellows.signal(signal.SIGHUP)
        self.ready(bellows, 2, "one free room beside it")
        self.assertTrue(alive(room["room"]), "the occupied room was removed")
        status = self.status(bellows, "rooms")
        self.assertEqual(status["kept"], 1)
        self.assertIn("1 occupied and 1 free", status["last_decision"]["because"])
        self.assertEqual(status["policies"], [{"policy": "buffer", "want": 2, "decides": True,
                                               "because": "1 occupied and 1 free"}])
        get(room["port"], "/leave")
        self.assert_clean_exit(bellows)

    def test_an_occupied_room_survives_a_deploy(self):
        path = os.path.join(self.folder(), "bellows.yaml")
        self.write(path, 1, version="1", drain="60s")
        old = self.up(path)
        self.ready(old, 1, "a free room")
        room = json.loads(get(old.port, "/occupy").body)
        self.ready(old, 2, "another free room")
        free = room_processes(old) - {room["room"]}
        self.assertEqual(len(free), 1)
        # The new version begins while the old one waits for its players.
        self.write(path, 1, version="2", drain="60s")
        old.signal(signal.SIGTERM)
        until(lambda: not any(alive(child) for child in free), "the end of the free room")
        new = self.up(path)
        self.ready(new, 1, "a room of the new version")
        self.assertEqual(json.loads(get(new.port).body)["version"], "2")
        self.assertEqual(json.loads(get(room["port"]).body), room, "its players are still in it")
        get(room["port"], "/leave")
        self.assertEqual(old.end(), 0, old.text())
        self.assertFalse(alive(room["room"]))
        self.assert_clean_exit(new)

    def test_an_app_that_is_restarted_has_said_nothing(self):
        path = os.path.join(self.folder(), "bellows.yaml")
        self.write(path, 1)
        bellows = self.up(path)
        self.ready(bellows, 1, "a free room")
        room = json.loads(get(bellows.port, "/occupy").body)
        until(lambda: self.status(bellows, "rooms").get("kept") == 1, "the room being occupied")
        os.kill(room["room"], signal.SIGKILL)
        until(lambda: self.status(bellows, "rooms").get("kept") == 0, "the room being lost")
        self.assert_clean_exit(bellows)

    def test_what_a_schedule_will_want_is_told_ahead(self):
        path = os.path.join(self.folder(), "bellows.yaml")
        with open(path, "w") as f:
            f.write("services:\n  - name: rooms\n    command: [sleep, \"60\"]\n    policy: concurrency, schedule\n"
                    "    autoscaling:\n      schedule:\n        entries: [{from: 0 8 1 1 *, for: 1h, replicas: 3}]\n")
        bellows = self.up(path)
        until(lambda: self.status(bellows, "rooms").get("ahead"), "the schedule in the status")
        address = f"127.0.0.1:{bellows.admin}"
        done = subprocess.run([program("bellows"), "status", "--admin", address], capture_output=True, text=True,
                              timeout=DEADLINE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("policies of rooms: concurrency 0 (decides), schedule 0", done.stdout)
        self.assertRegex(done.stdout, r"ahead for rooms: schedule: [30] from \w+ 0[89]:00 UTC, in ")
        self.assert_clean_exit(bellows)

    def test_a_mistake_in_the_triggers_has_its_line(self):
        path = os.path.join(self.folder(), "bellows.yaml")
        with open(path, "w") as f:
            f.write("services:\n  - name: rooms\n    command: [x]\n    autoscaling:\n      min: 1\n      up:\n"
                    "        metricsTrigger:\n          - type: room\n            usage: 0\n")
        done = subprocess.run([program("bellows"), "up", path], capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 2)
        self.assertIn("bellows.yaml:9: autoscaling.up.metricsTrigger[0].usage", done.stderr)
        self.assertIn("1 to 100", done.stderr)


class Convert(EndToEnd):
    def convert(self, text):
        path = os.path.join(self.folder(), "pong.yaml")
        with open(path, "w") as f:
            f.write(text)
        return subprocess.run([program("bellows"), "convert", "maestro", path], capture_output=True, text=True,
                              timeout=DEADLINE)

    def test_a_maestro_scheduler_becomes_a_valid_file(self):
        done = self.convert(MAESTRO)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"type":"mem"', done.stdout)
        self.assertIn('"type":"room","usage":50,"threshold":80,"time":900', done.stdout)
        # It is read again: only its program is missing here.
        path = os.path.join(self.folder(), "bellows.yaml")
        with open(path, "w") as f:
            f.write(done.stdout.replace("./pong", "/nowhere/pong"))
        up = subprocess.run([program("bellows"), "up", path, "--listen", "127.0.0.1:0"], capture_output=True, text=True,
                            timeout=DEADLINE)
        self.assertNotEqual(up.returncode, 0)
        self.assertIn("/nowhere/pong", up.stderr)
        self.assertNotIn("autoscaling", up.stderr)

    def test_a_mistake_has_its_line_and_what_is_valid(self):
        done = self.convert(MAESTRO.replace("usage: 50", "usage: 500"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("pong.yaml:22: autoscaling.down.trigger.usage: 500", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_a_file_that_is_missing_or_none_is_an_error(self):
        for arguments in ([], ["/nowhere/pong.yaml"], ["a", "b"]):
            done = subprocess.run([program("bellows"), "convert", "maestro", *arguments], capture_output=True, text=True,
                                  timeout=DEADLINE)
            self.assertEqual(done.returncode, 2)
            self.assertTrue(done.stderr)


class Replay(EndToEnd):
    def test_triggers_are_replayed_line_by_line(self):
        lines = [{"config": {"min": 2, "max": 20, "period": "10s", "up": {
            "cooldown": 60, "metricsTrigger": [{"type": "room", "usage": 50, "threshold": 80, "time": 200}]}}}]
        lines += [{"at": 10 * i, "rooms": {"ready": 1, "occupied": 4}} for i in range(17)]
        done = subprocess.run([program("bellows"), "replay", "triggers"], input="\n".join(map(json.dumps, lines)),
                              capture_output=True, text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 0, done.stderr)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([answer["delta"] for answer in answers], [0] * 16 + [3])
        self.assertEqual(answers[-1]["trigger"], "up[0] room")
