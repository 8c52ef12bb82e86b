"""Which service gets a request: hosts, wildcards, header fields and tags; `bellows route-test` says which and why."""

import json
import os
import subprocess

from harness import DEADLINE, get, program, until
from revisions_test import Services

ROUTES = """
defaults: {window: 6s, progress-deadline: 20s}
services:
  - name: web
    command: COMMAND web
    host: [web.localhost, "*.web.localhost"]
  - name: api
    command: COMMAND api
    host: web.localhost
    path-prefix: [/api, /v2]
  - name: beta
    command: COMMAND beta
    routes:
      - {host: web.localhost, path-prefix: /api, headers: ["X-Version: 2"]}
      - {host: beta.localhost, headers: [X-Debug]}
"""


class Routes(Services):
    def write_routes(self):
        self.file = os.path.join(self.folder(), "bellows.yaml")
        command = json.dumps(self.app(""))[:-len(', ""]')]
        with open(self.file, "w") as f:
            lines = ROUTES.split("\n")
            f.write("\n".join(line.replace("COMMAND ", command + ", ") + "]" if "COMMAND" in line else line
                              for line in lines))

    def test_requests_go_by_host_wildcard_prefix_and_header(self):
        self.write_routes()
        bellows = self.up()
        for service, host, path, headers in (
                ("web", "web.localhost", "/", {}),
                ("web", "a.b.web.localhost:8080", "/api", {}),
                ("api", "WEB.localhost", "/api/x", {}),
                ("api", "web.localhost", "/v2?a=b", {}),
                ("api", "web.localhost", "/api", {"X-Version": "1"}),
                ("beta", "web.localhost", "/api", {"x-version": "2"}),
                ("beta", "beta.localhost", "/", {"X-Debug": "0"})):
            answer = get(bellows.port, path, host=host, headers=headers)
            self.assertEqual((answer.status, answer.body), (200, f"{service}-00001 {service}"), (host, path, headers))
        self.assertEqual(get(bellows.port, "/", host="beta.localhost").status, 404)
        said = self.call(bellows, "route-test", "GET", "http://web.localhost/api", "-H", "X-Version: 1")
        self.assertEqual(said.split("\n")[:2], ["api gets it, by web.localhost/api", "  revision api-00001 100%"])
        self.assertIn('beta: web.localhost/api (x-version: 2): its header x-version is "1", not "2"', said)
        self.assertIn("no service gets it", self.call(bellows, "route-test", "http://c.localhost/", code=1))
        said = self.call(bellows, "route-test", "http://beta.localhost/", "-H", "X-Debug: 1", "--header", "X-Other: 2")
        self.assertIn("beta gets it, by beta.localhost (x-debug)", said)
        for words, want in ((("G T", "http://a/"), 'METHOD: "G T": want one of HTTP'),
                            (("http://a b/",), 'URL: "http://a b/": want http://HOST/PATH'),
                            (("http://a@b/",), 'URL: "http://a@b/": want http://HOST/PATH'),
                            (("http://a/", "-H", "X-A"), '-H: "X-A": want NAME: VALUE')):
            self.assertIn(want, self.call(bellows, "route-test", *words, code=2))
        self.assert_clean_exit(bellows)

    def test_route_test_reads_a_file_without_a_running_bellows(self):
        self.write_routes()

        def asked(*words, code):
            done = subprocess.run([program("bellows"), "route-test", *words, "-f", self.file], capture_output=True,
                                  text=True, timeout=DEADLINE, check=False)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done.stdout + done.stderr
        said = asked("http://x.web.localhost/api", code=0)
        self.assertIn("web gets it, by *.web.localhost\n", said)
        self.assertIn("rules are for other hosts", said)
        self.assertIn('URL: "web.localhost": want http://HOST/PATH', asked("web.localhost", code=2))
        self.assertIn("want NAME: VALUE", asked("http://a/", "-H", "X-A", code=2))
        with open(self.file, "a") as f:
            f.write("  - {name: twin, command: [a], host: Beta.localhost, headers: {X-Debug: ''}}\n"
                    "  - {name: other, command: [a], host: '*.WEB.localhost'}\n")
        said = asked("http://a/", code=2)
        self.assertIn('headers: "x-debug: ": want the name', said.lower())
        self.assertIn("service other: takes host *.web.localhost and any path, as service web in line 4 does", said)

    def test_a_service_is_added_unless_a_host_is_taken(self):
        self.write_routes()
        bellows = self.up()
        said = self.call(bellows, "add", "late", "--host", "late.localhost", "--host", "*.late.localhost",
                         "--host", "late.localhost", "--header", "X-Late", "--environment", "A=1", "--environment", "B=2", "--", *self.app("late"))
        self.assertIn("late: new service for late.localhost (x-late), *.late.localhost (x-late)", said)
        self.assertEqual(get(bellows.port, host="x.late.localhost", headers={"X-Late": "y"}).body, "late-00001 late")
        for name, value in (("A", "1"), ("B", "2")):
            self.assertEqual(get(bellows.port, "/env/" + name, "late.localhost", headers={"X-Late": ""}).body,
                             "late-00001 " + value)
        said = self.call(bellows, "add", "named", "--", *self.app("named"),
                         variables={"BELLOWS_HOST": "named.localhost", "BELLOWS_ENVIRONMENT": "A=3"})
        self.assertIn("named: new service for named.localhost", said)
        self.assertEqual(get(bellows.port, "/env/A", "named.localhost").body, "named-00001 3")
        said = self.call(bellows, "add", "twin", "--host", "web.localhost", "--path-prefix", "/v2", "--", "true", code=1)
        self.assertIn("takes host web.localhost and path-prefix /v2, as service api does", said)
        said = self.call(bellows, "add", "bad", "--host", "*", "--", "true", code=2)
        self.assertIn('--host: "*": want a host name', said)
        self.assert_clean_exit(bellows)


class Tags(Services):
    def up_with_host(self):
        self.file = os.path.join(self.folder(), "bellows.yaml")
        self.write("one", "host: web.localhost")
        bellows = self.up()
        self.assertEqual(get(bellows.port, host="web.localhost").body, "web-00001 one")
        return bellows

    def test_a_tagged_deploy_has_only_its_own_host(self):
        bellows = self.up_with_host()
        said = self.call(bellows, "deploy", "web", "--tag", "canary", "--", *self.app("two"))
        self.assertIn("web: canary.web.localhost -> web-00002, which gets no other request", said)
        self.assertIn("done in", said)
        self.assertEqual({get(bellows.port, host="web.localhost").body for _ in range(20)}, {"web-00001 one"})
        self.assertEqual(get(bellows.port, host="canary.web.localhost").body, "web-00002 two")
        self.assertRegex(self.call(bellows, "status", "web"), r"(?s)\nweb +Active.*\n  web-00002 +Active")
        table = self.call(bellows, "revisions", "web")
        self.assertRegex(table, r"web-00002 +0% +canary +Active")
        self.assertIn("web-00002, by its tag canary", self.call(bellows, "route-test", "http://canary.web.localhost/"))
        bellows.signal(9)
        bellows.end()
        bellows = self.up()
        self.assertEqual(get(bellows.port, host="canary.web.localhost").body, "web-00002 two")
        self.assertEqual(get(bellows.port, host="web.localhost").body, "web-00001 one")
        self.call(bellows, "split", "web", "web-00002=100")
        self.assertEqual(get(bellows.port, host="web.localhost").body, "web-00002 two")
        self.assertEqual(get(bellows.port, host="canary.web.localhost").body, "web-00002 two")
        self.assert_clean_exit(bellows)

    def test_a_tag_keeps_a_revision_without_a_share(self):
        bellows = self.up_with_host()
        self.call(bellows, "split", "web", "--tag", "old=web-00001")
        self.call(bellows, "deploy", "web", "--", *self.app("two"))
        self.assertEqual(get(bellows.port, host="web.localhost").body, "web-00002 two")
        self.assertEqual(get(bellows.port, host="old.web.localhost").body, "web-00001 one")
        said = self.call(bellows, "split", "web", "--untag", "old", "--dry-run")
        self.assertIn("tag old removed", said)
        self.assertEqual(get(bellows.port, host="old.web.localhost").body, "web-00001 one")
        self.call(bellows, "split", "web", "--untag", "old")
        bellows.wait_for("revision retired", revision="web-00001")
        until(lambda: get(bellows.port, host="old.web.localhost").status == 404, "the host is gone")
        self.assertRegex(self.call(bellows, "revisions", "web"), r"web-00001 +0% +- +Retired")
        self.call(bellows, "split", "web", "--tag", "old=1")
        self.assertEqual(get(bellows.port, host="old.web.localhost").body, "web-00001 one")
        self.assert_clean_exit(bellows)

    def test_a_tagged_deploy_that_fails_leaves_no_tag(self):
        bellows = self.up_with_host()
        said = self.call(bellows, "deploy", "web", "--tag", "canary", "--", "sh", "-c", "exit 3", code=1)
        self.assertIn("exited with code 3", said)
        self.assertEqual(get(bellows.port, host="canary.web.localhost").status, 404)
        self.assertEqual(get(bellows.port, host="web.localhost").body, "web-00001 one")
        self.assert_clean_exit(bellows)

    def test_bad_tags_are_named(self):
        bellows = self.up_with_host()
        for words, code, want in (
                (("split", "web", "--tag", "Canary=web-00001"), 2, "want TAG=REVISION"),
                (("split", "web", "--tag", "canary=web-00009"), 1, "revision web-00009: there is none; want one of web-00001"),
                (("split", "web", "--untag", "canary"), 1, "tag canary: there is none; want one of: none"),
                (("split", "web", "--tag", "a=web-00001", "--untag", "a"), 2, '"a" is also given a revision by --tag'),
                (("deploy", "web", "--tag", "a.b", "--", "true"), 2, '--tag: "a.b": want 1 to 63 letters'),
                (("split", "web"), 2, "want NAME REVISION=PERCENT")):
            self.assertIn(want, self.call(bellows, *words, code=code))
        self.call(bellows, "add", "any", "--", *self.app("any"))
        self.assertIn("has no host before which a tag can stand (any host)",
                      self.call(bellows, "split", "any", "--tag", "canary=any-00001", code=2))
        self.call(bellows, "add", "c", "--host", "canary.web.localhost", "--", *self.app("c"))
        self.assertIn("as service c does", self.call(bellows, "split", "web", "--tag", "canary=web-00001", code=1) +
                      self.call(bellows, "revisions", "web"))
        self.assert_clean_exit(bellows)


del Services  # its stories are in revisions_test
