"""The packages in a bare Debian with systemd as its first process: what lintian says, what is installed, and that neither a
restart nor an upgrade refuses a caller. The machine is that of tests/package/start; one test at a time."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

from harness import LoadGenerator, Running, descendants, get, until  # noqa: E402
from service_manager_test import KeptConnections  # noqa: E402

WORK = os.environ.get("BELLOWS_MACHINE", "build/package-machine")
PACKAGES = "bellows bellows-queue-proxy bellows-doc"


def run(*command, check=True):
    """A command in the machine; its output, both streams in one."""
    done = subprocess.run([HERE / "machine", "run", WORK, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=600, check=False)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def shell(text, check=True):
    return run("bash", "-c", text, check=check)


def kill(pid):
    with contextlib.suppress(ProcessLookupError):  # it ended meanwhile
        os.kill(pid, signal.SIGKILL)


def install():
    """Seconds until the packages are installed and the service says that it is ready."""
    started = time.monotonic()
    shell("dpkg -i /packages/*.deb")
    return time.monotonic() - started


class Package(unittest.TestCase):
    def setUp(self):
        if "installed" not in run("dpkg-query", "-W", "-f", "${db:Status-Status}", "bellows", check=False):
            print(f"installed and running after {install():.1f} s")


class Files(Package):
    def test_lintian_finds_nothing(self):
        self.assertEqual(shell("lintian --allow-root --fail-on error,warning /packages/*.deb"), "")

    def test_every_program_has_a_manual_page_and_each_page_is_clean(self):
        programs = shell("ls /usr/bin/bellows*").split()
        self.assertEqual(len(programs), 7, programs)
        for program in programs:
            page = run("man", "-P", "cat", pathlib.Path(program).name)
            self.assertIn("SYNOPSIS", page)
        self.assertIn("--stop-timeout DURATION", shell("MANWIDTH=200 man -P cat bellows run"))
        self.assertEqual(shell("for page in $(dpkg -L " + PACKAGES + " | grep man1/); do "
                               "man --warnings -E UTF-8 -l -Tutf8 -Z $page >/dev/null; done"), "")

    def test_the_shell_completes_commands_values_and_names_of_services(self):
        def completed(words):
            return shell("source /usr/share/bash-completion/bash_completion; _completion_loader bellows; "
                         f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _bellows; "
                         "echo ${COMPREPLY[@]}").split()
        self.assertIn("status", completed("bellows ''"))
        self.assertEqual(completed("bellows run --log-format ''"), ["plain", "json"])
        self.assertEqual(completed("bellows explain ''"), ["sample"])
        self.assertEqual(completed("bellows completion f"), ["fish"])
        self.assertIn("bellows-queue-proxy", shell("ls /usr/share/zsh/vendor-completions /usr/share/fish/vendor_completions.d"))

    def test_programs_are_called_by_their_installed_names(self):
        self.assertIn("usage: bellows-slack COMMAND", run("bellows-slack", "--help"))
        self.assertIn("bellows-slack sim --report", run("bellows-slack", "--help"))
        self.assertEqual(run("bellows-activator", "--version").split()[0], "bellows-activator")

    def test_the_units_are_valid_and_expose_little(self):
        self.assertEqual(shell("systemd-analyze verify bellows.service bellows.socket"), "")
        shell("systemd-analyze security --threshold=20 bellows.service")


class Service(Package):
    def test_it_serves_after_the_installation_without_privileges(self):
        self.assertEqual(run("systemctl", "is-active", "bellows.service", "bellows.socket").split(), ["active", "active"])
        self.assertIn("hello from process", get(8080).body)
        users = set(shell("ps_user() { stat -c %U /proc/$1; }; for p in $(cat "
                          "/sys/fs/cgroup/system.slice/bellows.service/cgroup.procs); do ps_user $p; done").split())
        self.assertEqual(users, {"bellows"})
        self.assertIn("sample", run("bellows", "status"))

    def test_a_reload_changes_settings_while_it_runs(self):
        first = run("systemctl", "show", "-P", "MainPID", "bellows")
        shell("sed -i 's/max-scale: 10/max-scale: 7/' /etc/bellows/bellows.yaml && systemctl reload bellows")
        self.addCleanup(shell, "sed -i 's/max-scale: 7/max-scale: 10/' /etc/bellows/bellows.yaml && systemctl reload bellows")
        until(lambda: "max-scale" in run("journalctl", "-u", "bellows", "-n", "5"), "the change is in the log")
        self.assertEqual(run("systemctl", "show", "-P", "MainPID", "bellows"), first)

    def test_a_deploy_outlives_a_restart(self):
        self.addCleanup(run, "bellows", "rollback", "sample", "--to", "1")
        run("bellows", "deploy", "sample", "--environment", "GREETING=hello")
        run("systemctl", "restart", "bellows")
        until(lambda: get(8080).status == 200, "it serves")
        self.assertIn("sample-00002", run("bellows", "revisions", "sample"))
        self.assertEqual(shell("stat -c '%U %a' /var/lib/bellows/services.state").split(), ["bellows", "600"])

    def test_a_restart_and_an_upgrade_under_load_refuse_nobody(self):
        new, kept = LoadGenerator(8080, 8), KeptConnections(8080, 8)

        def all_served():
            before = new.succeeded, kept.succeeded
            until(lambda: new.succeeded > before[0] + 100 and kept.succeeded > before[1] + 100, "a hundred of each")

        all_served()
        processes = [run("systemctl", "show", "-P", "MainPID", "bellows")]
        for change in ("systemctl restart bellows", "dpkg -i /packages/*.deb"):
            shell(change)
            processes.append(run("systemctl", "show", "-P", "MainPID", "bellows"))
            all_served()
        new.stop()
        kept.stop()
        print(f"{new.succeeded + kept.succeeded} requests over a restart and an upgrade, "
              f"{len(new.failures) + len(kept.failures)} failed")
        self.assertEqual((new.failures, kept.failures), ([], []))
        self.assertEqual(len(set(processes)), 3, "each was a new process")

    def test_an_invalid_file_keeps_the_port_and_callers_wait(self):
        shell("cd /etc/bellows && cp -p bellows.yaml bellows.yaml.kept && echo 'nonsense: 1' >>bellows.yaml")
        shell("systemctl restart bellows", check=False)
        load = LoadGenerator(8080, 2)
        until(lambda: int(run("systemctl", "show", "-P", "NRestarts", "bellows")) > 6, "more restarts than systemd's limit")
        self.assertEqual(run("systemctl", "is-active", "bellows.socket").strip(), "active")
        shell("cd /etc/bellows && mv bellows.yaml.kept bellows.yaml")
        until(lambda: load.succeeded > 10, "callers are served again")
        load.stop()
        self.assertEqual(load.failures, [])

    def test_a_removal_stops_it_and_a_purge_leaves_no_settings(self):
        shell(f"dpkg -P {PACKAGES}")
        self.assertEqual(shell("systemctl is-active bellows.service bellows.socket", check=False).split(), ["inactive"] * 2)
        self.assertEqual(shell("ls -d /etc/bellows /usr/bin/bellows* 2>/dev/null", check=False), "")
        seconds = install()
        self.assertIn("hello from process", get(8080).body)
        print(f"installed again and running after {seconds:.1f} s")


class Machine(Package):
    def test_a_delegated_control_group_is_its_own(self):
        self.assertRegex(run("systemctl", "show", "-p", "Delegate,DelegateControllers", "bellows"), r"Delegate=yes")
        group = "/sys/fs/cgroup/system.slice/bellows.service"
        self.assertEqual(shell(f"stat -c %U {group}/cgroup.procs").strip(), "bellows")

    def test_status_is_data(self):
        found = json.loads(run("bellows", "status", "-o", "json"))
        self.assertEqual([(each["name"], each["revisions"][0]["name"]) for each in found["services"]], [("sample", "sample-00001")])
        self.assertTrue(re.match(r"bellows \d", run("bellows", "--version")))


class Installation(unittest.TestCase):
    def test_under_another_prefix_it_has_the_paths_of_that(self):
        folder = tempfile.TemporaryDirectory(prefix="bellows-prefix-")
        self.addCleanup(folder.cleanup)
        prefix = pathlib.Path(folder.name)
        subprocess.run(["cmake", "--install", pathlib.Path(os.environ["BELLOWS_BIN"]).parent, "--prefix", prefix, "--strip"],
                       check=True, stdout=subprocess.DEVNULL)
        unit = (prefix / "lib/systemd/system/bellows.service").read_text()
        self.assertIn(f"\nExecStart={prefix}/bin/bellows up {prefix}/etc/bellows/bellows.yaml\n", unit)
        bellows = Running([prefix / "bin/bellows", "up", prefix / "etc/bellows/bellows.yaml", "--listen", "127.0.0.1:0",
                           "--admin", "127.0.0.1:0", "--log-format", "json"])
        self.addCleanup(bellows.close)
        port = int(bellows.wait_for("listening")["address"].rsplit(":", 1)[1])
        self.assertIn("hello from process", get(port).body)
        bellows.signal(signal.SIGTERM)
        self.assertEqual(bellows.end(), 0, bellows.text())


class Image(unittest.TestCase):
    def test_the_image_for_one_machine_serves(self):
        """Its files, as root of a process that is the first of its namespace, as a container engine starts it."""
        root = tempfile.TemporaryDirectory(prefix="bellows-image-")
        self.addCleanup(root.cleanup)
        os.chmod(root.name, 0o755)
        subprocess.run([HERE.parents[1] / "tools/image", "--bin", os.environ["BELLOWS_BIN"], "--rootfs", root.name, "bellows"],
                       check=True)
        for folder in ("proc", "dev"):
            os.makedirs(f"{root.name}/{folder}")
        inside = 'mount -t proc proc "$0/proc"; mount --bind /dev "$0/dev"; exec chroot --userspec=65532:65532 "$0" "$@"'
        bellows = Running(["unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-euc", inside, root.name,
                           "/usr/bin/bellows", "up", "/etc/bellows/bellows.yaml", "--listen", "0.0.0.0:0", "--admin",
                           "127.0.0.1:0", "--log-format", "json"])
        self.addCleanup(bellows.close)
        # The first process of a namespace ends all others; unshare cannot end it after the change of the user.
        self.addCleanup(lambda: [kill(pid) for pid in descendants(bellows.pid)])
        port = int(bellows.wait_for("listening")["address"].rsplit(":", 1)[1])
        self.assertIn("hello from process", get(port).body)


if __name__ == "__main__":
    unittest.main()
