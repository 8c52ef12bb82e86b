"""Callers beside connections that say nothing: at the limits of connections and descriptors."""

import resource
import socket
import unittest

from harness import EndToEnd, get, metric, program, until


def connect(port, count):
    """Connections that never send a byte."""
    found = []
    for _ in range(count):
        found.append(socket.create_connection(("127.0.0.1", port), timeout=30))
    return found


class SilentConnections(EndToEnd):
    @classmethod
    def setUpClass(cls):
        # For the sockets of this test itself.
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))

    def run_with_descriptors(self, count, *settings):
        running = self.start("sh", "-c", f'ulimit -n {count}; exec "$0" "$@"', program("bellows"), "run", "--listen",
                             "127.0.0.1:0", "--admin", "127.0.0.1:0", "--log-format", "json", *settings, "--",
                             *self.sample())
        listening = running.wait_for("listening")
        return [int(listening[name].rsplit(":", 1)[1]) for name in ("address", "admin")]

    def test_callers_are_served_at_the_limit_of_connections(self):
        listen, admin = self.run_with_descriptors(1024)
        self.assertEqual(get(listen).status, 200)
        silent = connect(listen, 700)
        self.addCleanup(lambda: [each.close() for each in silent])
        for _ in range(50):
            self.assertEqual(get(listen, timeout=10).status, 200)
        closed = 'bellows_activator_closed_connections_total{limit="max-connections"}'
        until(lambda: metric(admin, closed) > 200, "most of them made room")

    def test_connections_at_the_admin_port_take_none_of_the_callers(self):
        listen, admin = self.run_with_descriptors(1024)
        self.assertEqual(get(listen).status, 200)
        silent = connect(admin, 1400)
        self.addCleanup(lambda: [each.close() for each in silent])
        for _ in range(20):
            self.assertEqual(get(listen, timeout=10).status, 200)
        until(lambda: get(admin, "/healthz", timeout=10).status == 200, "a scrape beside them")

    def test_an_idle_connection_ends_after_the_time_that_is_set(self):
        listen, _ = self.run_with_descriptors(1024, "--idle-timeout", "1s")
        with socket.create_connection(("127.0.0.1", listen), timeout=30) as idle:
            self.assertEqual(idle.recv(1), b"")


class SlowUploads(EndToEnd):
    def test_uploads_of_a_byte_a_second_hold_no_slots(self):
        running = self.run_bellows("--container-concurrency", "5", "--max-scale", "1", "--", *self.sample())
        self.assertEqual(get(running.port).status, 200)
        uploads = []
        for _ in range(5):
            upload = socket.create_connection(("127.0.0.1", running.port), timeout=30)
            self.addCleanup(upload.close)
            upload.sendall(b"POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 1000\r\n\r\nx")
            uploads.append(upload)
        for turn in range(20):
            uploads[turn % 5].sendall(b"x")
            self.assertEqual(get(running.port, timeout=10).status, 200)
        self.assertEqual(get(running.port, method="POST", body="y" * 1000).status, 200)


if __name__ == "__main__":
    unittest.main()
