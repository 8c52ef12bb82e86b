"""slack: the output and the exit codes of its commands."""

import json
import os
import subprocess
import tempfile
import unittest

from harness import DEADLINE, program

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden", "slack")
NODES = "name,type,cpu_millicores,memory_bytes,pods,ready,labels\n" + "".join(
    f"n{i},m,4000,17179869184,110,true,\n" for i in range(10))
PODS = "name,owner,node,cpu_millicores,memory_bytes,labels,annotations\n" + "".join(
    f"p{i},web,n{i},3000,8589934592,,\n" for i in range(10))


def slack(*arguments, text=""):
    return subprocess.run([program("slack"), *arguments], input=text, capture_output=True, text=True,
                          timeout=DEADLINE, check=False)


class SlackPlan(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.nodes, self.pods = self.write("nodes.csv", NODES), self.write("pods.csv", PODS)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def plan(self, *flags):
        return slack("plan", "--nodes", self.nodes, "--pods", self.pods, *flags)

    def test_a_tenth_of_ten_nodes_is_five_placeholders(self):
        done = self.plan("--rate", "0.1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        plan = json.loads(done.stdout)
        self.assertEqual(plan["placeholders"][0], {
            "shape": "standard", "for": "extra capacity", "cpu-millicores": 800, "memory-bytes": 3435973836,
            "count": 5, "placed": 5, "pending": 0, "moved": 0})
        self.assertEqual(plan["desired"], {"cpu-millicores": 4000, "memory-bytes": 17179869184})

    def test_a_second_call_with_a_state_moves_nothing(self):
        state = os.path.join(self.folder, "state.json")
        first = self.plan("--state", state)
        with open(state, encoding="utf-8") as file:
            kept = file.read()
        second = self.plan("--state", state)
        self.assertEqual(second.stdout, first.stdout)
        with open(state, encoding="utf-8") as file:
            self.assertEqual(file.read(), kept)

    def test_wrong_input_is_one_error_and_exit_code_2(self):
        cut = self.write("cut.json", '{"version":1,"aver')
        other = self.write("other.json", '{"version":7}')
        for flags, error in [(["--rate", "1"], "want a number >= 0 and < 1"),
                             (["--rate", "-0.1"], "want a number >= 0 and < 1"),
                             (["--granularity", "0"], "--granularity"),
                             (["--state", cut], "cut.json"),
                             (["--state", other], "version: 7: want 1"),
                             (["--output", "yaml"], "--output")]:
            with self.subTest(flags):
                done = self.plan(*flags)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(error, done.stderr)

    def test_wrong_lists_are_one_error_with_file_and_line(self):
        node, pod = "n1,m,4000,17179869184,110,true,\n", "p1,web,n1,5,1,,\n"
        nodes, pods = NODES.splitlines(keepends=True)[0], PODS.splitlines(keepends=True)[0]
        for n, p, error in [(nodes + "n1,m,-4000,1,110,true,\n", pods, 'nodes.csv:2: cpu_millicores: "-4000"'),
                            (nodes + node + node, pods, 'node n1: name: "n1" occurs twice'),
                            (nodes + node, pods + "p1,web,n1,5,-1,,\n", 'pods.csv:2: memory_bytes: "-1"'),
                            (nodes + node, pods + pod + pod, 'pod p1: name: "p1" occurs twice')]:
            with self.subTest(error):
                self.nodes, self.pods = self.write("nodes.csv", n), self.write("pods.csv", p)
                done = self.plan()
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(error, done.stderr)

    def test_a_pod_larger_than_any_node_adds_no_node(self):
        self.pods = self.write("pods.csv", PODS + "big,web,,64000,1073741824,,\n")
        plan = json.loads(self.plan().stdout)
        self.assertEqual(plan["unmet"][0]["object"], "pod big")
        self.assertEqual((plan["unmet"][0]["field"], plan["unmet"][0]["value"]), ("cpu", "64000m"))
        self.assertIn("want at most 4000m", plan["unmet"][0]["reason"])

    def test_a_plan_with_an_error_scales_nothing_and_ends_with_1(self):
        self.nodes = self.write("nodes.csv", NODES + "n99,m,0,17179869184,110,true,\n")
        done = self.plan("--rate", "0.9")
        self.assertEqual(done.returncode, 1)
        plan = json.loads(done.stdout)
        self.assertEqual((plan["scale-up"], plan["scale-down"]), ([], []))
        self.assertIn("node n99: cpu: 0", done.stderr)
        self.assertEqual(self.plan("-o", "deployment").stdout, "")

    def test_a_list_of_kubectl_is_planned_as_it_is(self):
        with open(os.path.join(GOLDEN, "kubectl-list.json"), encoding="utf-8") as file:
            text = file.read()
        plan = json.loads(slack("plan", "--rate", "0.3", text=text).stdout)
        self.assertEqual([(row["shape"], row["count"], row["placed"]) for row in plan["placeholders"]],
                         [("standard", 5, 5), ("default/Deployment/db", 1, 0)])
        # Each of the three nodes has a database pod already.
        self.assertEqual(plan["scale-up"], [{"type": "m5.xlarge", "nodes": 1}])
        yaml = slack("plan", "-o", "capacitybuffer", text=text).stdout
        self.assertIn("kind: CapacityBuffer\n", yaml)
        report = slack("report", text=text).stdout
        self.assertIn("none of default/Deployment/db (500m 4Gi)", report)
        self.assertIn("3 nodes where anti-affinity keeps it away", report)

    def test_a_probe_says_what_is_in_the_way(self):
        done = slack("probe", "cpu=2", "mem=1Gi", "--nodes", self.nodes, "--pods", self.pods)
        answer = json.loads(done.stdout)
        self.assertEqual((answer["fits"], answer["fits-now"]), (False, 0))
        self.assertIn("10 nodes without enough free CPU", answer["in-the-way"])
        self.assertEqual(slack("probe", "cpu=2", "size=1", "--nodes", self.nodes, "--pods", self.pods).returncode, 2)


class SlackSim(unittest.TestCase):
    def test_a_table_and_a_page_compare_the_baselines(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "slack.html")
            done = slack("sim", "--scenario", "step", "--baselines", "none,slack", "--report", page)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("lowered-threshold", slack("sim", "--help").stdout)
            with open(page, encoding="utf-8") as file:
                self.assertIn("Pods without a node", file.read())
        self.assertEqual(len(done.stdout.splitlines()), 5)

    def test_an_unknown_baseline_is_a_usage_error(self):
        done = slack("sim", "--baselines", "hope")
        self.assertEqual(done.returncode, 2)
        self.assertIn("baselines: \"hope\": want some of none, slack", done.stderr)


if __name__ == "__main__":
    unittest.main()
