"""Kubeconfigs that cannot be used: one line that names what is wrong, and exit code 2."""

import json
import os
import subprocess
import unittest

from cluster_harness import DEADLINE, OnCluster, program


class BadKubeconfig(OnCluster):
    def config(self, change=None, text=None):
        """A kubeconfig like the administrator's, changed."""
        folder = self.folder()
        file = os.path.join(folder, "config")
        parts = {"server": self.plane.env["KUBE_URL"], "certificate-authority": self.plane.env["KUBE_CA"]}
        config = {"apiVersion": "v1", "kind": "Config", "current-context": "here",
                  "clusters": [{"name": "c", "cluster": parts}],
                  "users": [{"name": "u", "user": {"token": self.plane.env["KUBE_TOKEN"]}}],
                  "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}]}
        if change:
            change(config)
        with open(file, "w") as out:
            out.write(text if text is not None else json.dumps(config))
        return file

    def refused(self, *flags, env=None):
        """The one line that each program prints."""
        lines = set()
        for command in ([program("autoscaler"), "--listen", "127.0.0.1:0"],
                        [program("bellows"), "status"]):
            done = subprocess.run([*command, *flags], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=DEADLINE, check=False, env={**os.environ, **(env or {})})
            said = done.stderr.strip().splitlines()
            self.assertEqual(done.returncode, 2, f"{command} {flags}: {done.stdout}{done.stderr}")
            self.assertEqual(done.stdout, "")
            self.assertTrue(said)
            lines.add(said[0].split(": ", 1)[1])
        return "\n".join(lines)

    def test_is_missing(self):
        self.assertIn("/nowhere/config", self.refused("--kubeconfig", "/nowhere/config"))

    def test_is_not_yaml(self):
        file = self.config(text="clusters: [a\n: b")
        self.assertIn(file, self.refused("--kubeconfig", file))

    def test_lacks_the_context(self):
        said = self.refused("--kubeconfig", self.config(), "--context", "elsewhere")
        self.assertIn("elsewhere", said)
        self.assertIn("here", said)

    def test_names_a_certificate_that_does_not_exist(self):
        def change(config):
            config["clusters"][0]["cluster"]["certificate-authority"] = "/nowhere/ca.crt"
        self.assertIn("/nowhere/ca.crt", self.refused("--kubeconfig", self.config(change)))

    def test_has_a_certificate_of_another_authority(self):
        folder = self.folder()
        other = os.path.join(folder, "other.crt")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                        "2", "-subj", "/CN=other", "-keyout", os.path.join(folder, "other.key"), "-out", other],
                       check=True, capture_output=True)

        def change(config):
            config["clusters"][0]["cluster"]["certificate-authority"] = other
        said = self.refused("--kubeconfig", self.config(change))
        self.assertIn("certificate", said)
        self.assertIn(self.plane.env["KUBE_URL"].removeprefix("https://"), said)


if __name__ == "__main__":
    unittest.main()
