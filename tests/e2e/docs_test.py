"""The tutorial and the cookbook, word by word: a reader's folder, and the blocks of a page or of a recipe in their order.

A block "```yaml bellows.yaml" is that file; a block "```sh" is run by bash. "```sh needs=podman" is run where podman is
installed; otherwise the case is skipped after the rest has run. Only addresses differ, so that tests run beside each other.
"""

import os
import re
import shutil
import subprocess

from harness import BIN, EndToEnd, free_port, until

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
BLOCK = re.compile(r"^```(\S+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
IMAGE = "docker.io/traefik/whoami"
LIMIT = 120


def recipes(page):
    """{heading: text} of a page, without the part before the first heading."""
    with open(os.path.join(DOCS, page)) as f:
        parts = re.split(r"^## (.*)\n", f.read(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def why_not(need):
    """Why this machine cannot run a block; empty if it can."""
    if need == "systemd":
        return "" if os.path.isdir("/run/systemd/system") and os.environ.get("BELLOWS_TRY_SYSTEMD") else "systemd runs no units of tests here"
    if need == "python3-websockets":
        found = subprocess.run(["/usr/bin/python3", "-c", "import websockets"], capture_output=True, check=False)
        return "" if found.returncode == 0 else "python3-websockets is not installed"
    if not shutil.which(need):
        return f"{need} is not installed"
    if need == "podman" and subprocess.run([need, "image", "exists", IMAGE], capture_output=True, check=False).returncode != 0:
        return f"podman has no image {IMAGE}"
    return ""


class Pages(EndToEnd):
    def setUp(self):
        self.here = self.folder()
        self.said = ""
        self.skipped = set()
        self.ports = {"8080": str(free_port()), "8081": str(free_port()), "3000": str(free_port())}
        without = {name: value for name, value in os.environ.items() if not name.startswith("BELLOWS_")}
        self.environment = {**without, "HOME": self.here, "XDG_STATE_HOME": os.path.join(self.here, "state"),
                            "XDG_RUNTIME_DIR": self.here, "PATH": f"{os.path.abspath(BIN)}:/usr/bin:/bin",
                            "BELLOWS_ADMIN": f"127.0.0.1:{self.ports['8081']}", "BELLOWS_LISTEN": f"127.0.0.1:{self.ports['8080']}"}
        with open(os.path.join(self.here, ".curlrc"), "w") as f:
            f.write("fail\n")  # a reader sees that a response is an error, bash does not
        self.addCleanup(self.end)

    def end(self):
        """Ends what a failed recipe has left."""
        subprocess.run(["bellows", "down"], env=self.environment, cwd=self.here, capture_output=True, timeout=LIMIT, check=False)

    def here_text(self, text):
        text = re.sub(r"\b(8080|8081|3000)\b", lambda found: self.ports[found[1]], text)
        return text.replace('LOAD_SECONDS: "60"', 'LOAD_SECONDS: "3"')  # nobody waits a minute for a test

    def tried(self, text):
        """Does what a reader of this text does."""
        for kind, what, body in BLOCK.findall(text):
            if kind == "sh":
                self.run_block(self.here_text(body), what.removeprefix("needs="))
            elif kind != "text" and what:
                path = os.path.join(self.here, what)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w") as f:
                    f.write(self.here_text(body))
        until(lambda: not self.left_over(), "a recipe ends what it starts")

    def run_block(self, script, need):
        if need and (why := why_not(need)):
            self.skipped.add(why)
            return
        done = subprocess.run(["bash", "-e", "-c", script], env=self.environment, cwd=self.here, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
        self.said += done.stdout
        self.assertEqual(done.returncode, 0, f"{script}\n{done.stdout}")

    def left_over(self):
        """Processes that were started in this folder and still run."""
        left = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{pid}/cwd").startswith(self.here):
                    with open(f"/proc/{pid}/cmdline") as f:
                        left.append(f.read().replace("\0", " "))
            except OSError:
                continue
        return left

    def recipe(self, page, heading, *expected):
        self.tried(recipes(page)[heading])
        if self.skipped:
            self.skipTest("; ".join(sorted(self.skipped)))
        for text in expected:
            self.assertIn(self.here_text(text), self.said)


class Tutorial(Pages):
    def test_every_command_works(self):
        self.tried("".join(recipes("tutorial.md").values()))
        for expected in ("app number 7, process", "20 services", "app7", "app number seven, process", "the twelfth app", "app number 3"):
            self.assertIn(expected, self.said)
        self.assertEqual(self.skipped, {why_not("systemd")} - {""})


class Cookbook(Pages):
    def apps(self, heading, *expected):
        self.recipe("cookbook.md", heading, *expected)

    def around(self, heading, *expected):
        self.recipe("cookbook-operations.md", heading, *expected)

    def test_gunicorn(self):
        self.apps("gunicorn", "hello")

    def test_php(self):
        self.apps("PHP", "hello")

    def test_node(self):
        self.apps("Node.js and Next.js", "hello")

    def test_websockets(self):
        self.apps("WebSockets", "hello")

    def test_model(self):
        self.apps("A model that loads a minute", "42")

    def test_fixed_port(self):
        self.apps("A fixed port", "3000, so it has one replica at most", "Directory listing")

    def test_daemon(self):
        self.apps("A script that starts a daemon", "hello", "nothing is left")

    def test_containers(self):
        self.apps("Containers")

    def test_systemd_unit(self):
        self.apps("A systemd unit", "active")

    def test_log_in(self):
        self.around("Log in by nginx or Caddy")

    def test_previews(self):
        self.around("Previews", "Directory listing", "pr-17: removed")

    def test_backup(self):
        self.around("Backup and restore", "100%")

    def test_log_rotation(self):
        self.around("Log rotation")

    def test_every_recipe_has_its_case(self):
        with open(os.path.abspath(__file__)) as f:
            cases = f.read()
        for page in ("cookbook.md", "cookbook-operations.md"):
            for heading in recipes(page):
                self.assertIn(f'("{heading}"', cases)
