"""The live page in a real Chromium."""

import json
import os
import subprocess
import unittest

import browser
from harness import DEADLINE, EndToEnd, LoadGenerator, get, program, until

# What the list and the tiles show, as numbers and words of the status.
SHOWN = """
const row = document.querySelector('a.row[data-name="' + arguments[0] + '"]');
const tile = (name) => document.querySelector(`dd[data-field="${name}"]`)?.firstChild.textContent;
return row && tile('replicas') && [row.children[1].innerText, row.children[3].innerText, tile('replicas'), tile('waiting'), tile('target'),
                                   tile('mode'), [...document.querySelectorAll('tr[data-replica]')].map((line) => [line.dataset.replica, line.children[1].innerText, line.children[6].innerText])];
"""


def amount(value):
    return str(round(value)) if value >= 100 or value == int(value) else f"{value:.1f}"


def as_shown(status):
    count = f"{status['ready']}/{status['desired']}"
    waiting = amount(status["waiting"])
    return [count, waiting, count, waiting, amount(status["target"]), status["mode"],
            [[r["name"], r["phase"], str(r["restarts"])] for r in status["replicas"]]]


@unittest.skipUnless(browser.is_there(), "no chromium and chromedriver; tools/setup --tests installs them")
class Page(EndToEnd):
    def page_of(self, running, **window):
        page = browser.Browser(self, **window)
        page.open(f"http://127.0.0.1:{running.admin}/")
        until(lambda: page.text("#link") == "live", "the page is live")
        return page

    def assert_quiet_console(self, page):
        self.assertEqual(page.complaints(), [])

    def until_equal(self, page, running):
        """Both move on: they have to be equal at some moment, and within the deadline."""
        def are_equal():
            return page.run(SHOWN, "web") == as_shown(self.status(running))
        try:
            until(are_equal, "the page shows the status")
        except AssertionError as error:
            self.fail(f"{error}\npage:   {page.run(SHOWN, 'web')}\nstatus: {as_shown(self.status(running))}")

    def test_it_shows_status_and_reasons_of_a_burst(self):
        running = self.run_bellows("--max-scale", "6", "--container-concurrency", "5", "--", *self.sample("300ms", "50ms"))
        page = self.page_of(running)
        self.until_equal(page, running)
        self.assertEqual(page.text("#badge"), "at zero")

        load = LoadGenerator(running.port, 30)
        until(lambda: page.run("return document.querySelectorAll('.point').length > 0"), "a decision is a point")
        until(lambda: page.run("return page.columns.load.some((load) => load > 10)"), "the burst is in the chart")
        self.until_equal(page, running)

        said = json.loads(get(running.admin, "/v1/revisions/web/chart").body)["chart"]["decisions"]
        self.assertGreater(len(said), 0)
        page.run("document.querySelector('.point').scrollIntoView({block: 'center'})")
        page.click(".point:last-of-type")
        tip = until(lambda: page.text(".tip"), "the reason opens")
        self.assertTrue(any(decision["because"] in tip for decision in said), f"{tip}\n{said}")
        # The lines have the reasons whole.
        listed = page.text(".decisions li:last-child")
        self.assertIn(said[0]["because"], listed)
        self.assertIn(f"{said[0]['before']} → {said[0]['want']}", listed)
        self.assertTrue(page.run("return [...document.querySelectorAll('.decisions li > span:last-child')].every((span) => span.scrollWidth <= span.clientWidth)"))
        self.assertEqual(page.run("return document.querySelectorAll('.decisions li.open').length"), 1, "the line of the point")

        def bars_of_starts():
            starts = json.loads(get(running.admin, "/v1/cold-starts").body)["cold_starts"]
            return page.run("return document.querySelectorAll('.fall').length") == len(starts) > 0
        until(bars_of_starts, "a cold start is a bar")

        load.stop()
        self.assertEqual(load.failures, [])
        until(lambda: page.text("#badge") == "at zero", "it shows the way down to zero")
        self.until_equal(page, running)
        self.assert_quiet_console(page)
        self.assert_clean_exit(running)

    def test_the_list_has_rate_durations_and_failures_and_one_line_their_sum(self):
        running = self.run_bellows("--max-scale", "2", "--container-concurrency", "1", "--queue-depth", "1", "--", *self.sample("0ms", "40ms"), quick=False)
        page = self.page_of(running)
        cells = "const text = (column) => document.querySelector(`a.row[data-name=web] .${column}`).textContent; return ['rate', 'p50', 'p99', 'errors'].map(text)"
        self.assertEqual(until(lambda: page.run(cells), "the row is there"), ["–", "–", "–", "–"])
        for _ in range(20):
            self.assertEqual(get(running.port).status, 200)
        rate, p50, p99, errors = until(lambda: (lambda shown: shown if shown[0] != "–" else None)(page.run(cells)), "requests are shown")
        self.assertGreater(float(rate), 0)
        self.assertRegex(p50, r"^[34]\d(\.\d)?ms$")
        self.assertRegex(p99, r"ms$|s$")
        self.assertEqual(errors, "0")
        said = until(lambda: (lambda words: words if "CPU" in words else None)(page.text("#machine-words")), "the replicas are measured")
        self.assertRegex(said, r"^[12] replicas? · CPU \d+m used · memory [\d.]+ MB used · [\d.]+ req/s$")
        self.assertEqual(page.text("#machine-errors"), "0 5xx in the last minute")
        load = LoadGenerator(running.port, 30)  # more than the queue takes
        until(lambda: page.run(cells)[3] not in ("0", "–"), "failures are counted")
        until(lambda: page.run("return document.querySelector('#machine-errors').classList.contains('bad')"), "the sum is red")
        load.stop()
        self.assert_quiet_console(page)
        self.assert_clean_exit(running)

    def test_with_the_key_of_bellows_page_it_shows_output_and_gives_orders(self):
        app = ["sh", "-c", 'echo "starts at $PORT"; exec "$0" "$@"', *self.sample()]
        running = self.run_bellows("--", *app)
        page = self.page_of(running)
        self.assertIsNone(page.text("#orders"))
        self.assertIn("bellows page", page.text("#rights"))
        unknown = subprocess.run([program("bellows"), "page", "nosuch", "--admin", f"127.0.0.1:{running.admin}"],
                                 capture_output=True, text=True, timeout=DEADLINE, check=False)
        self.assertEqual((unknown.returncode, unknown.stdout), (1, ""))
        self.assertIn("nosuch", unknown.stderr)
        address = self.output([program("bellows"), "page", "web", "--admin", f"127.0.0.1:{running.admin}"]).strip()
        self.assertRegex(address, rf"^http://127\.0\.0\.1:{running.admin}/#key=[0-9a-f]{{32}}/web$")
        page.open(address)  # in the tab that shows the page
        until(lambda: page.text("#orders"), "there are buttons")
        self.assertEqual(page.run("return location.hash"), "#/web", "the key is in no bookmark")
        self.assertIsNone(page.text("#rights"))

        def enabled():
            return page.run("return [...document.querySelectorAll('#orders button:enabled')].map((button) => button.dataset.order).join()")

        until(lambda: enabled() == "wake,stop,pause", "a service at zero can be woken")
        page.click("[data-order=wake]")
        until(lambda: self.status(running)["ready"] == 1, "it is woken, without a request")
        until(lambda: "starts at " in (page.text("#lines") or ""), "its output is shown")
        until(lambda: enabled() == "stop,pause", "it runs")
        page.click("[data-order=pause]")
        until(lambda: self.status(running).get("paused"), "it is paused")
        until(lambda: enabled() == "stop,resume", "it can be resumed")
        page.click("[data-order=stop]")
        until(lambda: self.status(running)["replicas"] == [] and self.status(running).get("paused"), "it is stopped")
        until(lambda: enabled() == "resume", "it can only be resumed")
        page.click("[data-order=resume]")
        until(lambda: not self.status(running).get("paused"), "it is resumed")
        self.assertEqual(get(running.port).status, 200)
        self.assertEqual(page.text("#said"), "")
        self.assert_quiet_console(page)
        page.run("sessionStorage.setItem('bellows-key', '0'.repeat(32))")
        page.open(f"http://127.0.0.1:{running.admin}/?again")
        until(lambda: page.text("#rights"), "a key of another Bellows is forgotten")
        self.assertIsNone(page.text("#orders"))
        self.assert_clean_exit(running)

    def test_with_the_key_it_says_the_last_line_of_an_app_that_cannot_start(self):
        running = self.run_bellows("--", "sh", "-c", "echo no database >&2; exit 3")
        page = self.page_of(running)
        self.assertEqual(get(running.port).status, 503)
        said = until(lambda: page.text("#trouble"), "it cannot start")
        self.assertNotIn("no database", said)
        page.open("about:blank")
        page.open(self.output([program("bellows"), "page", "web", "--admin", f"127.0.0.1:{running.admin}"]).strip())
        until(lambda: "exited with code 3, last line: no database" in (page.text("#trouble") or ""), "it says why")
        page.devtools("Emulation.setDeviceMetricsOverride", width=400, height=740, deviceScaleFactor=2, mobile=True)
        until(lambda: page.run("return [...document.querySelectorAll('.row i')].every((word) => word.scrollWidth <= word.clientWidth)"), "the state is not cut")
        self.assert_quiet_console(page)
        self.assert_clean_exit(running)

    def test_a_key_opens_nothing_but_orders_to_services(self):
        running = self.run_bellows("--", *self.sample())
        key = self.output([program("bellows"), "page", "--admin", f"127.0.0.1:{running.admin}"]).strip().rsplit("=", 1)[1]

        def post(path, key):
            return get(running.admin, path, method="POST", headers={"X-Bellows-Key": key}).status
        self.assertEqual([post("/v1/control/services/web/wake", key), post("/v1/revisions/web/pause", key), post("/v1/control/services/web/wake", key)], [204, 204, 409])
        self.assertEqual([post(path, key) for path in ("/v1/control/page", "/v1/control/stop", "/v1/services/web/deploy", "/v1/services/add")], [403] * 4)
        self.assertEqual(post("/v1/control/services/web/wake", key[:-1] + ("0" if key[-1] != "0" else "1")), 403)
        self.assert_clean_exit(running)

    def test_the_day_goes_on_after_a_restart(self):
        file = os.path.join(self.folder(), "web.yaml")
        with open(file, "w") as f:
            f.write(f"services: [{{name: web, command: {json.dumps(self.sample())}}}]\n")

        def start():
            running = self.start(program("bellows"), "up", file, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--log-format", "json")
            listening = running.wait_for("listening")
            running.admin, running.port = (int(listening[which].rsplit(":", 1)[1]) for which in ("admin", "address"))
            return running

        def decided(running):
            journal = self.output([program("bellows"), "journal", "web", "--since", "2h", "--admin", f"127.0.0.1:{running.admin}"])
            replayed = self.output([program("bellows"), "replay", "decisions", "-"], journal)
            lines = [json.loads(line) for line in journal.splitlines()]
            told = [line["decided"]["want"] for line in lines if "decided" in line]
            self.assertEqual([json.loads(line)["want"] for line in replayed.splitlines()], told)
            return told, sum("snapshot" in line for line in lines)

        running = start()
        self.assertEqual(get(running.port).status, 200)
        until(lambda: 1 in decided(running)[0], "it has decided for one")
        before, _ = decided(running)
        self.assert_clean_exit(running)
        running = start()
        after, snapshots = decided(running)
        self.assertEqual(after[:len(before)], before)
        self.assertEqual(snapshots, 2)
        page = self.page_of(running)
        until(lambda: page.run("return page.isPast && page.columns.decisions.some((decision) => decision.want === 1)"), "the page shows the time before")
        self.assert_quiet_console(page)
        self.assert_clean_exit(running)
        with open(file + ".state.day", "r+b") as f:
            f.seek(200)
            f.write(b"x")
        running = start()
        self.assertEqual(decided(running)[1], 1)
        self.assertIn("the decisions of the last day are not known", running.text())
        self.assert_clean_exit(running)

    def test_a_cold_start_that_ends_after_the_last_decision_is_shown(self):
        running = self.run_bellows("--", *self.sample("0ms", "3s"), quick=False)
        page = self.page_of(running)
        self.assertEqual(get(running.port).status, 200)
        until(lambda: page.run("return document.querySelectorAll('.fall').length") == 1, "the cold start is a bar")
        asked = page.run("document.querySelector('.fall').dataset.isSame = 'yes'; return page.startsAt")
        until(lambda: page.run("return page.startsAt") > asked, "the starts are asked for again")
        self.assertEqual(page.run("return document.querySelector('.fall').dataset.isSame"), "yes")
        self.assert_quiet_console(page)
        self.assert_clean_exit(running)

    def test_all_of_it_is_small_and_comes_from_its_own_port(self):
        running = self.run_bellows("--", *self.sample())
        page = self.page_of(running)
        until(lambda: page.run("return performance.getEntriesByType('resource').length") >= 8, "everything is loaded")
        sizes = page.run("return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
                         ".map((one) => [one.name, one.encodedBodySize])")
        own = f"http://127.0.0.1:{running.admin}/"
        self.assertEqual([name for name, _ in sizes if not name.startswith(own)], [])
        self.assertLessEqual(sum(size for name, size in sizes if "/v1/" not in name), 60 * 1024, sizes)
        self.assertIn("MIT", get(running.admin, "/ui/LICENSE").body)
        tag = get(running.admin, "/ui/page.js").headers["ETag"]
        self.assertEqual(get(running.admin, "/ui/page.js", headers={"If-None-Match": tag}).status, 304)
        self.assertEqual(get(running.admin, "/ui/none.js").status, 404)
        policy = get(running.admin, "/").headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assert_quiet_console(page)
        self.assert_clean_exit(running)

    def test_a_crash_loop_is_said_first_and_its_words_are_no_markup(self):
        words = '<img src=x onerror="window.ran=1"><b>no such file</b>'
        running = self.run_bellows("--error-detail", "full", "--", "sh", "-c", f"echo '{words}' >&2; exit 3")
        page = self.page_of(running)
        load = LoadGenerator(running.port, 1)
        shown = until(lambda: page.text("#trouble"), "the trouble is shown")
        self.assertIn(words, shown)
        until(lambda: page.text("#badge") == "failing", "it has crashed three times in a row")
        until(lambda: page.text("tr[data-replica] td:last-child"), "the replica says it too")
        self.assertEqual(page.run("return [document.images.length, document.querySelectorAll('main b img, main p b').length, window.ran ?? null]"),
                         [0, 0, None])
        load.stopping.set()
        self.assert_quiet_console(page)
        running.signal(2)
        running.end()
        load.stop()

    def test_it_is_used_by_keys_on_a_narrow_screen_in_both_themes(self):
        running = self.run_bellows("--", *self.sample())
        page = self.page_of(running)
        self.assertEqual(get(running.port).status, 200)
        until(lambda: page.run("return document.querySelectorAll('.point').length"), "a decision is a point")
        page.press("/")
        self.assertEqual(page.run("return document.activeElement.id"), "filter")
        page.press("w", "e", "b", "ArrowDown")
        self.assertEqual(page.run("return document.activeElement.dataset.name"), "web")
        page.press("Enter")
        self.assertEqual(page.run("return location.hash"), "#/web")
        page.run("document.querySelector('#ranges button:last-child').focus()")
        page.press("Tab")
        self.assertIn("because", page.run("return document.activeElement.getAttribute('aria-label')"))
        self.assertTrue(page.text(".tip"))
        page.press("Escape")
        self.assertIsNone(page.text(".tip"))

        page.devtools("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=2, mobile=True)
        until(lambda: page.run("return document.querySelector('#load-chart canvas').clientWidth < 360"), "the charts follow")
        self.assertLessEqual(page.run("return document.scrollingElement.scrollWidth"), 360)

        seen = set()
        for scheme in ("dark", "light"):
            page.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            seen.add(tuple(page.run("const style = getComputedStyle(document.body); return [style.backgroundColor, style.color]")))
        page.click("#theme")
        self.assertEqual(page.run("return document.documentElement.dataset.theme"), "dark")
        seen.add(tuple(page.run("const style = getComputedStyle(document.body); return [style.backgroundColor, style.color]")))
        self.assertEqual(len(seen), 2, seen)
        self.assert_quiet_console(page)
        self.assert_clean_exit(running)

    def test_a_thousand_services_and_a_day_do_not_make_it_grow(self):
        file = os.path.join(self.folder(), "many.yaml")
        with open(file, "w") as f:
            f.write("services:\n")
            for number in range(1000):
                f.write(f"  - {{name: svc-{number:04}, host: s{number:04}.local, command: [\"{program('sample-app')}\"]}}\n")
        running = self.start(program("bellows"), "up", file, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--log-format", "json")
        listening = running.wait_for("listening")
        running.admin = int(listening["admin"].rsplit(":", 1)[1])
        running.port = int(listening["address"].rsplit(":", 1)[1])
        page = self.page_of(running)
        until(lambda: page.run("return document.querySelectorAll('a.row').length") == 1000, "all services are listed")
        self.assertEqual(get(running.port, host="s0777.local").status, 200)
        until(lambda: page.run("return document.querySelector('a.row[data-name=svc-0777] i').textContent") == "ready", "one of them is ready")
        # Two days of decisions, as events tell them: one every two seconds, each a change.
        page.run("""
            setRange(24 * 3600e3);
            listen = () => {};
            page.source.close();""")
        until(lambda: page.run("return page.isPast && page.columns.range === 24 * 3600e3"), "the day is chosen")
        grown = page.run("""
            const count = () => document.getElementsByTagName('*').length;
            const begin = page.columns.lastAt || Date.now();
            const sizes = [];
            for (let i = 1; i <= 86400; i++) {
              const at = begin + i * 2000;
              page.columns.append({ at: [at], load: [i % 90], stable_concurrency: [40], capacity: [56], ready: [8], starting: [0], desired: [8], waiting: [0], panic: [0],
                                    decisions: [{ at, before: 7, want: 8, mode: 'stable', mode_changed: false, rule: 'target', because: 'a test' }], shares: [] });
              charts.ahead = at - Date.now();
              if (i % 1440 === 0) { charts.draw(); drawDecisions(page.columns); }
              if (i % 28800 === 0) sizes.push([page.columns.at.length, page.columns.decisions.length, count()]);
            }
            return sizes;""")
        for columns, decisions, _ in grown:
            self.assertLessEqual(columns, 4000)
            self.assertLessEqual(decisions, 500)
        self.assertLessEqual(grown[2][2], grown[1][2] + 20, grown)
        self.assert_quiet_console(page)
        self.assert_clean_exit(running)

    def test_the_page_shows_that_bellows_ended_and_reconnects(self):
        running = self.run_bellows("--", *self.sample())
        page = self.page_of(running)
        admin = running.admin
        self.assert_clean_exit(running)
        until(lambda: "no answer for" in (page.text("#link") or ""), "it says that what is shown is old")
        again = self.run_bellows("--name", "shop", "--", *self.sample(), admin=admin)
        until(lambda: page.text("#link") == "live" and page.run("return [...page.services.keys()].join()") == "shop", "it is live again")
        self.assert_clean_exit(again)

    def test_a_bookmark_of_a_service_stays_with_it_over_a_deploy(self):
        file = os.path.join(self.folder(), "two.yaml")
        with open(file, "w") as f:
            for name in ("services:", *(f"  - {{name: {name}, host: {name}.localhost, min-scale: 1, command: {json.dumps(self.sample())}}}" for name in ("api", "web"))):
                f.write(name + "\n")
        running = self.start(program("bellows"), "up", file, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--log-format", "json")
        listening = running.wait_for("listening")
        running.admin = int(listening["admin"].rsplit(":", 1)[1])
        page = browser.Browser(self)
        page.open(f"http://127.0.0.1:{running.admin}/#/web")
        until(lambda: page.run("return [...document.querySelectorAll('tr[data-replica]')].map((line) => line.dataset.replica).join()") == "web-00001-1", "its replica is shown")
        begin = until(lambda: page.run("return page.isPast && page.columns.at[0]"), "its past is shown")
        self.output([program("bellows"), "deploy", "web", "--admin", f"127.0.0.1:{running.admin}", "--", *self.sample("1ms")])
        until(lambda: page.run("return [...document.querySelectorAll('tr[data-replica]')].map((line) => line.dataset.replica).join()") == "web-00002-1", "that of the new revision is shown")
        self.assertEqual(page.text("#name"), "web")
        deploys = "return [...document.querySelectorAll('.decisions li.deploy')].map((line) => [...line.children].slice(1).map((part) => part.textContent).join(': '))"
        self.assertEqual(until(lambda: len(page.run(deploys)) == 2 and page.run(deploys), "the deploy is an event"),
                         ["deploy: 100 % of the requests to web-00002", "deploy: web-00002 starts"])
        self.assertEqual(page.run("return [...page.services.keys()].join()"), "api,web")
        page.open(f"http://127.0.0.1:{running.admin}/?again#/web")
        self.assertLessEqual(until(lambda: page.run("return page.isPast && page.columns.at[0]"), "its past is shown again"), begin + 2000)
        self.assertEqual(page.text("#name"), "web")
        self.assertEqual(len(page.run(deploys)), 2, "they are in the past too")
        self.output([program("bellows"), "rollback", "web", "--admin", f"127.0.0.1:{running.admin}"])
        until(lambda: page.run(deploys)[0] == "rollback: 100 % of the requests to web-00001", "so is a rollback")
        page.open(f"http://127.0.0.1:{running.admin}/?gone#/shop")
        until(lambda: page.text("#instead") == "There is no service shop. This is another one.", "the page says that it shows another service")
        page.run("location.hash = '#/web'")
        until(lambda: page.text("#name") == "web" and page.text("#instead") is None, "the one that is asked for next is shown")
        self.assert_quiet_console(page)
        self.assert_clean_exit(running)

    def test_a_day_is_looked_back_on_by_commands_too(self):
        running = self.run_bellows("--", *self.sample())
        for _ in range(3):
            self.assertEqual(get(running.port).status, 200)
        ask = [program("bellows")]
        port = ["--admin", f"127.0.0.1:{running.admin}"]
        until(lambda: self.status(running)["replicas"] == [] and self.status(running)["desired"] == 0, "it is at zero again")
        journal = self.output([*ask, "journal", "web", "--since", "2h", *port])
        lines = [json.loads(line) for line in journal.splitlines()]
        begin = lines[0]["unix-seconds"]
        decided = [line for line in lines if "decided" in line]
        self.assertEqual([decided[0]["decided"]["want"], decided[-1]["decided"]["want"]], [0, 0])
        self.assertIn(1, [line["decided"]["want"] for line in decided])
        # When it had one replica, told as a point in time.
        one = next(line for line in decided if line["decided"]["want"] == 1)
        import datetime
        at = datetime.datetime.fromtimestamp(begin + one["at"] - lines[0]["at"] + 0.01, datetime.timezone.utc)
        explained = self.output([*ask, "explain", "web", "--at", at.isoformat(timespec="milliseconds").replace("+00:00", "Z"), *port])
        self.assertIn("web should have 1 replica, since", explained)
        replayed = self.output([*ask, "replay", "decisions", "-"], journal)
        self.assertEqual([json.loads(line)["want"] for line in replayed.splitlines()], [line["decided"]["want"] for line in decided])
        self.assert_clean_exit(running)

    def output(self, command, text=None):
        import subprocess
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout
