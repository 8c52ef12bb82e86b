"""bellows under a service manager: sockets that outlive it, what the manager is told, and how long apps get to stop."""

import http.client
import os
import signal
import socket
import threading

from harness import DEADLINE, EndToEnd, LoadGenerator, descendants, get, program, until

# The manager's part: descriptor 3 is the passed socket, and the process id is known only after the fork.
PASS = 'if [ "$0" != 3 ]; then exec 3<&"$0"-; fi; export LISTEN_PID=$$; exec "$@"'


class KeptConnections:
    """Client threads that keep their connection and reconnect only after a response said Connection: close."""

    def __init__(self, port, clients):
        self.port = port
        self.stopping = threading.Event()
        self.succeeded, self.failures = 0, []
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self._send, daemon=True) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def _send(self):
        connection = None
        while not self.stopping.is_set():
            try:
                if connection is None:
                    connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
                connection.request("GET", "/")
                response = connection.getresponse()
                response.read()
                failure = None if response.status == 200 else str(response.status)
                if response.getheader("Connection") == "close":
                    connection.close()
                    connection = None
            except Exception as error:  # noqa: BLE001: whatever a client may see counts
                failure, connection = repr(error), None
            with self.lock:
                if failure is None:
                    self.succeeded += 1
                else:
                    self.failures.append(failure)
        if connection is not None:
            connection.close()

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(DEADLINE)


class ServiceManager(EndToEnd):
    def listening_socket(self):
        listening = socket.socket()
        self.addCleanup(listening.close)
        listening.bind(("127.0.0.1", 0))
        listening.listen(4096)
        return listening

    def start_with(self, passed, *settings, names="listen", env=None):
        """`bellows run` with the socket `passed`, as a service manager starts it."""
        command = [program("bellows"), "run", "--admin", "127.0.0.1:0", "--log-format", "json", *settings]
        running = self.start("bash", "-c", PASS, str(passed.fileno()), *command, pass_fds=[passed.fileno()],
                             env={"LISTEN_FDS": "1", "LISTEN_FDNAMES": names, **(env or {})})
        running.port = passed.getsockname()[1]
        return running

    def notify_socket(self):
        path = os.path.join(self.folder(), "notify")
        told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(told.close)
        told.settimeout(DEADLINE)
        told.bind(path)
        return told, path


class SocketActivation(ServiceManager):
    def test_a_restart_under_load_refuses_nobody(self):
        passed = self.listening_socket()
        bellows = self.start_with(passed, "--", *self.sample())
        listening = bellows.wait_for("listening")
        self.assertEqual(listening["address"], f"127.0.0.1:{bellows.port}")
        new, kept = LoadGenerator(bellows.port, 16), KeptConnections(bellows.port, 16)
        for _ in range(3):
            before = new.succeeded, kept.succeeded
            until(lambda: new.succeeded > before[0] + 100 and kept.succeeded > before[1] + 100, "a hundred of each")
            self.assert_clean_exit(bellows, signal.SIGTERM)
            bellows = self.start_with(passed, "--", *self.sample())
        before = new.succeeded, kept.succeeded
        until(lambda: new.succeeded > before[0] + 100 and kept.succeeded > before[1] + 100, "a hundred of each")
        new.stop()
        kept.stop()
        self.assertEqual((new.failures, kept.failures), ([], []))
        self.assert_clean_exit(bellows)

    def test_an_overlapping_restart_refuses_no_caller(self):
        passed = self.listening_socket()
        old = self.start_with(passed, "--", *self.sample())
        old.wait_for("listening")
        new_callers, kept = LoadGenerator(old.port, 16), KeptConnections(old.port, 16)
        until(lambda: new_callers.succeeded > 100 and kept.succeeded > 100, "a hundred of each")
        successor = self.start_with(passed, "--", *self.sample())
        successor.wait_for("listening")
        self.assert_clean_exit(old, signal.SIGTERM)
        before = new_callers.succeeded, kept.succeeded
        until(lambda: new_callers.succeeded > before[0] + 100 and kept.succeeded > before[1] + 100, "a hundred of each")
        new_callers.stop()
        kept.stop()
        self.assertEqual((new_callers.failures, kept.failures), ([], []))
        self.assert_clean_exit(successor)

    def test_a_caller_between_two_processes_gets_the_second(self):
        passed = self.listening_socket()
        bellows = self.start_with(passed, "--", *self.sample())
        bellows.wait_for("listening")
        self.assert_clean_exit(bellows, signal.SIGTERM)
        with socket.create_connection(("127.0.0.1", bellows.port), timeout=DEADLINE) as caller:
            caller.sendall(b"GET / HTTP/1.1\r\nHost: web\r\nConnection: close\r\n\r\n")
            second = self.start_with(passed, "--", *self.sample())
            self.assertTrue(caller.recv(4096).startswith(b"HTTP/1.1 200 "))
        self.assert_clean_exit(second)

    def test_the_admin_port_is_passed_under_its_name(self):
        passed = self.listening_socket()
        command = [program("bellows"), "run", "--listen", "127.0.0.1:0", "--log-format", "json", "--", *self.sample()]
        bellows = self.start("bash", "-c", PASS, str(passed.fileno()), *command, pass_fds=[passed.fileno()],
                             env={"LISTEN_FDS": "1", "LISTEN_FDNAMES": "admin"})
        port = passed.getsockname()[1]
        self.assertEqual(bellows.wait_for("listening")["admin"], f"127.0.0.1:{port}")
        self.assertEqual(get(port, "/readyz").status, 200)
        self.assert_clean_exit(bellows)

    def test_a_socket_that_does_not_listen_is_named(self):
        passed = socket.socket()
        self.addCleanup(passed.close)
        passed.bind(("127.0.0.1", 0))
        bellows = self.start_with(passed, "--", *self.sample())
        self.assertEqual(bellows.end(), 1)
        self.assertIn("$LISTEN_FDS: descriptor 3: want a stream socket that listens", bellows.text())

    def test_sockets_for_another_process_are_left_alone(self):
        bellows = self.run_bellows("--", *self.sample(), env={"LISTEN_PID": "1", "LISTEN_FDS": "1"})
        self.assertEqual(get(bellows.port).status, 200)
        self.assert_clean_exit(bellows)


class Notifications(ServiceManager):
    def test_the_manager_gets_readiness_reloads_and_stop_time(self):
        told, path = self.notify_socket()
        file = os.path.join(self.folder(), "bellows.yaml")
        with open(file, "w", encoding="utf-8") as f:
            f.write(f"services:\n  - name: web\n    drain-timeout: 40s\n    command: {self.sample()}\n")
        bellows = self.start(program("bellows"), "up", file, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0",
                             "--stop-timeout", "20s", "--log-format", "json", env={"NOTIFY_SOCKET": path})
        self.assertEqual(told.recv(4096), b"READY=1")
        self.assertTrue(any('"listening"' in line for line in bellows.lines) or bellows.wait_for("listening"))
        bellows.signal(signal.SIGHUP)
        self.assertRegex(told.recv(4096), rb"^RELOADING=1\nMONOTONIC_USEC=\d+$")
        self.assertEqual(told.recv(4096), b"READY=1")
        bellows.signal(signal.SIGTERM)
        stopping = told.recv(4096)
        self.assertRegex(stopping, rb"^STOPPING=1\nEXTEND_TIMEOUT_USEC=\d+$")
        self.assertGreater(int(stopping.rsplit(b"=", 1)[1]), 60_000_000, "drain-timeout and stop-timeout together")
        self.assertEqual(bellows.end(), 0)

    def test_an_abstract_socket_is_told_too(self):
        told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(told.close)
        told.settimeout(DEADLINE)
        told.bind(b"\0bellows-test-%d" % os.getpid())
        bellows = self.run_bellows("--", *self.sample(), env={"NOTIFY_SOCKET": f"@bellows-test-{os.getpid()}"})
        self.assertEqual(told.recv(4096), b"READY=1")
        self.assert_clean_exit(bellows)

    def test_no_child_can_speak_for_it_or_has_its_sockets(self):
        told, path = self.notify_socket()
        passed = self.listening_socket()
        bellows = self.start_with(passed, "--", *self.sample(), env={"NOTIFY_SOCKET": path})
        self.assertEqual(told.recv(4096), b"READY=1")
        self.assertEqual(get(bellows.port).status, 200)
        children = descendants(bellows.pid)
        self.assertTrue(any("sample-app" in command for command in children.values()), children)
        inode = os.stat(f"/proc/self/fd/{passed.fileno()}").st_ino
        for child in children:
            with open(f"/proc/{child}/environ", "rb") as f:
                self.assertNotRegex(f.read(), rb"\0(LISTEN_(PID|FDS|FDNAMES)|NOTIFY_SOCKET)=")
            held = [os.stat(f"/proc/{child}/fd/{number}").st_ino for number in os.listdir(f"/proc/{child}/fd")]
            self.assertNotIn(inode, held)
        self.assert_clean_exit(bellows)


class StopTimeout(EndToEnd):
    STUBBORN = "trap '' TERM; exec \"$0\" -c 'import signal, http.server as s; signal.signal(15, signal.SIG_IGN); " \
               "s.HTTPServer((\"127.0.0.1\", int(\"'$PORT'\")), s.SimpleHTTPRequestHandler).serve_forever()'"

    def test_an_app_that_does_not_end_is_killed_and_the_log_says_so(self):
        bellows = self.run_bellows("--stop-timeout", "300ms", "--", "sh", "-c", self.STUBBORN, "python3",
                                   cwd=self.folder())
        self.assertEqual(get(bellows.port).status, 200)
        bellows.signal(signal.SIGTERM)
        killed = bellows.wait_for("replica killed", replica="web-00001-1")
        self.assertEqual(killed["because"], "the app did not end within 300ms of SIGTERM; stop-timeout is that time")
        self.assertEqual(bellows.end(), 0)

    def test_an_app_that_ends_in_time_is_drained(self):
        bellows = self.run_bellows("--", *self.sample())
        self.assertEqual(get(bellows.port).status, 200)
        bellows.signal(signal.SIGTERM)
        bellows.wait_for("replica drained", replica="web-00001-1")
        self.assertEqual(bellows.end(), 0)
        self.assertNotIn("replica killed", bellows.text())
