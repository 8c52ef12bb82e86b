"""A name server that receives every question and answers none.

The programs run in a mount namespace of their own, whose resolv.conf names a socket of the test.
"""

import json
import os
import signal
import socket
import threading
import time
import unittest

from harness import DEADLINE, EndToEnd, get, program, why_not_as_root

# Another address for each process: tests run side by side.
SERVER = f"127.53.{os.getpid() // 250 % 250}.{1 + os.getpid() % 250}"


class SilentNameServer(EndToEnd):
    def setUp(self):
        if why := why_not_as_root("unshare", "--mount", "mount", "--bind", "/tmp", "/tmp"):
            self.skipTest(f"needs a mount namespace and port 53: {why}")
        self.server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(self.server.close)
        self.server.bind((SERVER, 53))
        self.server.settimeout(DEADLINE)
        self.resolv = os.path.join(self.folder(), "resolv.conf")
        with open(self.resolv, "w") as f:
            f.write(f"nameserver {SERVER}\noptions timeout:30 attempts:5\n")

    def start_there(self, *command, **how):
        return self.start("unshare", "--mount", "sh", "-c", f'mount --bind {self.resolv} /etc/resolv.conf && exec "$0" "$@"',
                          *command, **how)

    def was_asked(self):
        self.assertTrue(self.server.recv(4096))

    def longest(self, requests):
        """Seconds of the slowest of these calls, one after the other."""
        times = []
        for request in requests:
            begin = time.monotonic()
            self.assertEqual(request().status, 200)
            times.append(time.monotonic() - begin)
        return max(times)

    def test_an_unresolvable_collector_delays_no_request(self):
        bellows = self.start_there(program("bellows"), "run", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                                   "--log-format", "json", "--otlp-endpoint", "http://collector.bellows.test:4318",
                                   "--", program("sample-app"))
        listening = bellows.wait_for("listening")
        port, admin = (int(listening[name].rsplit(":", 1)[1]) for name in ("address", "admin"))
        self.assertEqual(get(port).status, 200)
        self.was_asked()  # the look-up has begun; it takes minutes
        self.assertLess(self.longest([lambda: get(port)] * 50), 5)
        self.assertEqual(get(admin, "/healthz", timeout=5).status, 200)
        begin = time.monotonic()
        bellows.signal(signal.SIGTERM)
        self.assertEqual(bellows.end(), 0)
        self.assertLess(time.monotonic() - begin, 20)

    def test_an_unresolvable_app_blocks_no_page(self):
        read_end, write_end = os.pipe()
        os.set_inheritable(write_end, True)
        env = {"USER_PORT": "80", "BELLOWS_USER_HOST": "app.bellows.test", "QUEUE_SERVING_PORT": "0",
               "BELLOWS_ADMIN_PORT": "0", "BELLOWS_LISTEN_HOST": "127.0.0.1", "BELLOWS_NOTIFY_FD": str(write_end),
               "REVISION_TIMEOUT_SECONDS": "3", "BELLOWS_DRAIN_TIMEOUT": "3s", "SERVING_READINESS_PROBE": '{"tcpSocket":{}}'}
        proxy = self.start_there(program("queue-proxy"), env=env, pass_fds=(write_end,))
        os.close(write_end)
        notify = os.fdopen(read_end)
        self.addCleanup(notify.close)
        ports = json.loads(notify.readline())
        serving, admin = (int(ports[name].rsplit(":", 1)[1]) for name in ("serving", "admin"))
        self.was_asked()
        told = []
        waiting = threading.Thread(target=lambda: told.append(get(serving, "/a").status), daemon=True)
        waiting.start()
        self.assertLess(self.longest([lambda: get(admin, "/metrics")] * 50), 5)
        waiting.join(DEADLINE)
        self.assertEqual(len(told), 1)
        self.assertGreaterEqual(told[0], 500)
        proxy.signal(signal.SIGTERM)
        proxy.end()


if __name__ == "__main__":
    unittest.main()
