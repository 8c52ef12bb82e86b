"""Policies other than concurrency, and rooms that say that they are occupied."""

import json
import os
import signal
import subprocess
import sys

from harness import DEADLINE, EndToEnd, get, program, until

ROOMS = """
services:
  - name: rooms
    command: [{python}, {app}]
    policy: buffer
    autoscaling: {{buffer: {{amount: {amount}}}}}
    drain-timeout: 2s
"""


class Rooms(EndToEnd):
    def write(self, path, amount):
        app = os.path.join(os.path.dirname(os.path.abspath(__file__)), "room_app.py")
        with open(path, "w") as f:
            f.write(ROOMS.format(python=sys.executable, app=app, amount=amount))

    def test_an_occupied_room_survives_a_scale_down(self):
        path = os.path.join(self.folder(), "bellows.yaml")
        self.write(path, 3)
        bellows = self.start(program("bellows"), "up", path, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                             "--log-format", "json")
        listening = bellows.wait_for("listening")
        bellows.port = int(listening["address"].rsplit(":", 1)[1])
        bellows.admin = int(listening["admin"].rsplit(":", 1)[1])
        until(lambda: self.status(bellows, "rooms").get("ready") == 3, "three free rooms")
        room = get(bellows.port, "/occupy").body
        until(lambda: self.status(bellows, "rooms").get("kept") == 1, "the room being occupied")
        until(lambda: self.status(bellows, "rooms").get("ready") == 4, "three free rooms beside it")
        self.write(path, 1)
        bellows.signal(signal.SIGHUP)
        until(lambda: self.status(bellows, "rooms").get("ready") == 2, "one free room beside it")
        self.assertTrue(os.path.exists("/proc/" + room.strip()), "the occupied room was removed")
        self.assertEqual(self.status(bellows, "rooms")["kept"], 1)
        self.assertIn("1 occupied and 1 free", self.status(bellows, "rooms")["last_decision"]["because"])
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
