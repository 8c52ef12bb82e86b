"""What callers get while a service wakes or cannot: a waiting page, a fallback service, static answers. And who comes
back: clients by cookie or header to their revision and replica."""

import json
import os
import subprocess
import threading

from harness import get, program, until
from revisions_test import Services

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
SLOW_START = ["sh", "-c", 'while [ ! -e "$GO" ]; do sleep 0.05; done; exec "$@"', "sh"]


class Meanwhile(Services):
    def up_with(self, *lines, command=None):
        """A service `web` that starts when the file self.go is there, and a service `rest`."""
        self.file = os.path.join(self.folder(), "bellows.yaml")
        self.go = os.path.join(self.folder(), "go")
        with open(self.file, "w") as f:
            f.write("defaults: {window: 6s, progress-deadline: 20s}\nservices:\n"
                    f"  - name: web\n    command: {json.dumps(command or SLOW_START + self.app('one'))}\n"
                    f"    environment: {{GO: {self.go}}}\n    host: web.localhost\n")
            f.writelines(f"    {line}\n" for line in lines)
            f.write(f"  - name: rest\n    command: {json.dumps(self.app('fallback'))}\n")
        return self.up()

    def let_it_start(self):
        with open(self.go, "w"):
            pass

    def test_a_browser_gets_a_waiting_page_and_others_wait(self):
        bellows = self.up_with("waiting-page: built-in", "fallback-after: 100ms")
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(get(bellows.port, host="web.localhost")))
        waiting.start()
        page = get(bellows.port, host="web.localhost", headers=BROWSER)
        self.assertEqual((page.status, page.headers["Retry-After"], page.headers["Refresh"]), (503, "2", "2"))
        self.assertEqual(page.headers["X-Bellows-Reason"], "waiting-page")
        self.assertIn("<h1>web is starting</h1>", page.body)
        self.let_it_start()
        until(lambda: get(bellows.port, host="web.localhost", headers=BROWSER).body == "web-00001 one", "the service")
        waiting.join()
        self.assertEqual(answers[0].body, "web-00001 one")
        self.assert_clean_exit(bellows)

    def test_the_page_alone_wakes_the_service_and_may_be_ones_own(self):
        page = os.path.join(self.folder(), "wait.html")
        with open(page, "w") as f:
            f.write("<h1>Coffee is on</h1>")
        bellows = self.up_with(f"waiting-page: {page}", "fallback-after: 0s")
        self.assertEqual(get(bellows.port, host="web.localhost", headers=BROWSER).body, "<h1>Coffee is on</h1>")
        with open(page, "w") as f:
            f.write("<h1>Tea is on</h1>")
        until(lambda: get(bellows.port, host="web.localhost", headers=BROWSER).body == "<h1>Tea is on</h1>", "the new page")
        self.let_it_start()
        until(lambda: get(bellows.port, host="web.localhost", headers=BROWSER).status == 200, "woken by the page")
        self.assert_clean_exit(bellows)

    def test_the_fallback_service_serves_while_the_service_wakes(self):
        bellows = self.up_with("fallback-service: rest", "fallback-after: 100ms")
        self.assertEqual(get(bellows.port, host="web.localhost", method="GET").body, "rest-00001 fallback")
        self.let_it_start()
        until(lambda: get(bellows.port, host="web.localhost").body == "web-00001 one", "the service")
        self.assert_clean_exit(bellows)

    def test_the_fallback_service_serves_while_the_service_cannot_start(self):
        bellows = self.up_with("fallback-service: rest", "waiting-page: built-in", "fallback-after: 1h",
                               command=["sh", "-c", "exit 3"])
        self.assertEqual(get(bellows.port, host="web.localhost").body, "rest-00001 fallback")
        page = get(bellows.port, host="web.localhost", headers=BROWSER)
        self.assertEqual(page.status, 503)
        self.assertIn("does not start at present", page.body)
        self.assertEqual(get(bellows.port).body, "rest-00001 fallback")
        self.assert_clean_exit(bellows)

    def test_static_answers_wake_nobody_before_and_after(self):
        bellows = self.up_with('static-answers: [{path: /healthz, body: fine, headers: {X-Pool: a}}, '
                               '{path: /gone, status: 410}]')
        for _ in range(2):
            answer = get(bellows.port, "/healthz?full", host="web.localhost")
            self.assertEqual((answer.status, answer.body, answer.headers["X-Pool"]), (200, "fine", "a"))
            self.assertEqual(get(bellows.port, "/gone", host="web.localhost").status, 410)
            self.assertEqual(get(bellows.port, "/healthz", host="web.localhost", method="HEAD").body, "")
            if not os.path.exists(self.go):
                self.assertNotIn("replica ordered", bellows.text())
                self.assertEqual(self.status(bellows)["desired"], 0)
            self.let_it_start()
            self.assertEqual(get(bellows.port, "/healthz/x", host="web.localhost").body, "web-00001 one")
        self.assert_clean_exit(bellows)

    def test_a_fallback_set_at_run_time_has_to_exist(self):
        bellows = self.up_with("fallback-after: 0s")
        said = self.call(bellows, "deploy", "web", "--set", "fallback-service=nobody", code=2)
        self.assertIn('service web: fallback-service: "nobody": there is none; want another service: rest', said)
        said = self.call(bellows, "deploy", "web", "--set", "fallback-service=web", code=2)
        self.assertIn('fallback-service: "web": it is the same; want another service: rest', said)
        said = self.call(bellows, "deploy", "web", "--set", "fallback-service=rest")
        self.assertIn("fallback-service", said)
        self.assertEqual(get(bellows.port, host="web.localhost").body, "rest-00001 fallback")
        self.assertIn("cannot be read", self.call(bellows, "deploy", "web", "--set", "waiting-page=/none.html", code=2))
        pipe = os.path.join(self.folder(), "pipe.html")
        os.mkfifo(pipe)
        said = self.call(bellows, "deploy", "web", "--set", f"waiting-page={pipe}", code=2)
        self.assertIn(f'waiting-page: "{pipe}" is not a regular file; want an HTML file, or built-in', said)
        for setting, want in (("static-answers=[{\"path\":\"/x\",\"status\":99}]", "static-answers[0].status: 99: want"),
                              ("split-by=user", 'setting split-by: "user": want request or client'),
                              ("targte=1", "setting targte: unknown; did you mean target?"),
                              ("nothing=1", "setting nothing: unknown; `bellows run --help-all` describes all"),
                              ("tls=self-signed", "setting tls: it is a setting of all services; want it at the top of")):
            self.assertIn(want, self.call(bellows, "deploy", "web", "--set", setting, code=2))
        for words in (["--dry-run"], []):
            said = self.call(bellows, "remove", "rest", *words, code=1)
            self.assertIn("service rest: is the fallback-service of web; want that set to another service", said)
        self.call(bellows, "deploy", "web", "--set", "fallback-service=")
        self.assertIn("rest: removed", self.call(bellows, "remove", "rest"))
        self.assert_clean_exit(bellows)

    def test_bad_settings_are_named_with_what_is_right(self):
        self.file = os.path.join(self.folder(), "bellows.yaml")
        for line, want in (("waiting-page: /nowhere/x.html", ': waiting-page: "/nowhere/x.html" cannot be read: No such file'),
                           ("waiting-page: yes", 'waiting-page: "yes": want built-in, the path of a file'),
                           ("fallback-service: nobody", 'fallback-service: "nobody": want the name of another service'),
                           ("fallback-service: web", 'fallback-service: "web": want the name of another service'),
                           ("split-by: cookie", 'split-by: "cookie": want request or client'),
                           ("session-affinity: yes", 'session-affinity: "yes": want none or cookie'),
                           ("client-header: 'X Y'", 'client-header: "X Y": want the name of a header field'),
                           ("static-answers: [{path: healthz}]", "static-answers[0].path"),
                           ("fallback-after: 1", 'fallback-after: "1": want a duration')):
            self.write("one", line)
            done = self.start_and_fail()
            self.assertEqual(done[0], 2, done)
            self.assertIn(want, done[1])

    def start_and_fail(self):
        done = subprocess.run([program("bellows"), "up", self.file, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"],
                              capture_output=True, text=True, timeout=20, check=False)
        return done.returncode, done.stdout + done.stderr


class Clients(Services):
    def up_with(self, *lines):
        self.file = os.path.join(self.folder(), "bellows.yaml")
        self.write("one", *lines)
        bellows = self.up()
        self.assertEqual(get(bellows.port).body, "web-00001 one")
        return bellows

    def cookie_of(self, answer):
        return {"Cookie": answer.headers["Set-Cookie"].split(";")[0]}

    def test_a_cookie_keeps_the_revision_while_it_has_a_share(self):
        bellows = self.up_with("split-by: client")
        first = get(bellows.port)
        self.assertEqual(first.headers["Set-Cookie"], "bellows-web=web-00001; Path=/; HttpOnly; SameSite=Lax")
        self.call(bellows, "deploy", "web", "--", *self.app("two"))
        self.call(bellows, "split", "web", "web-00001=50", "web-00002=50")
        clients = [get(bellows.port) for _ in range(100)]
        self.assertEqual(sum(c.body == "web-00001 one" for c in clients), 50)
        for shares in (("web-00001=50", "web-00002=50"), ("web-00001=10", "web-00002=90")):
            self.call(bellows, "split", "web", *shares)
            for client in clients:
                again = get(bellows.port, headers=self.cookie_of(client))
                self.assertEqual(again.body, client.body)
                self.assertNotIn("Set-Cookie", again.headers)
        self.call(bellows, "split", "web", "web-00002=100")
        moved = get(bellows.port, headers=self.cookie_of(first))
        self.assertEqual(moved.body, "web-00002 two")
        self.assertTrue(moved.headers["Set-Cookie"].startswith("bellows-web=web-00002;"))
        self.assert_clean_exit(bellows)

    def test_a_client_stays_with_its_revision_by_header(self):
        bellows = self.up_with("split-by: client", "client-header: X-User")
        self.call(bellows, "deploy", "web", "--", *self.app("two"))
        self.call(bellows, "split", "web", "web-00001=50", "web-00002=50")

        def bodies():
            return [get(bellows.port, headers={"X-User": f"u{i}"}).body for i in range(100)]
        before = bodies()
        self.assertEqual(bodies(), before)
        self.assertIn(before.count("web-00001 one"), range(30, 71))
        self.call(bellows, "split", "web", "web-00001=25", "web-00002=75")
        after = bodies()
        self.assertEqual([b for a, b in zip(before, after) if a == "web-00002 two" and b != a], [])
        self.assertIn(after.count("web-00001 one"), range(10, 41))
        self.assert_clean_exit(bellows)

    def test_a_session_stays_with_its_replica_until_that_leaves(self):
        bellows = self.up_with("session-affinity: cookie", "min-scale: 3", "container-concurrency: 5")
        until(lambda: self.status(bellows)["ready"] == 3, "three replicas")
        first = get(bellows.port)
        cookie = self.cookie_of(first)
        replica = cookie["Cookie"].split(":")[1]
        for _ in range(20):
            again = get(bellows.port, headers=cookie)
            self.assertNotIn("Set-Cookie", again.headers, replica)
        self.call(bellows, "deploy", "web", "--", *self.app("two"))
        moved = get(bellows.port, headers=cookie)
        self.assertEqual(moved.body, "web-00002 two")
        self.assertTrue(moved.headers["Set-Cookie"].startswith("bellows-web=web-00002:web-00002-"))
        self.assert_clean_exit(bellows)


del Services  # its stories are in revisions_test
