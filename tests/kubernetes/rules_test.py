"""The rules between settings that the definition of Revisions has: a server with CEL refuses what the autoscaler would refuse."""

import os
import unittest

from cluster_harness import HERE, OnCluster
from api import ApiError

CEL_SINCE = 25  # the minor version


def pairs():
    """(is it valid?, spec.scaling) of each row of the table."""
    with open(os.path.join(HERE, "rules.txt")) as table:
        for line in table:
            if line.startswith("#"):
                continue
            verdict, *words = line.split()
            yield verdict == "valid", dict(word.split("=") for word in words)


def as_json(text):
    """A number or a flag as one; a duration or a name is a text."""
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        return text


class ARevision(OnCluster):
    def test_that_contradicts_itself_is_refused_by_a_server_with_rules(self):
        taken = []
        for number, (is_valid, scaling) in enumerate(pairs()):
            item = {"apiVersion": "bellows.dev/v1alpha1", "kind": "Revision", "metadata": {"name": f"pair-{number}"},
                    "spec": {"scaleTargetRef": {"name": f"none-{number}"},
                             "scaling": {key: as_json(text) for key, text in scaling.items()}}}
            try:
                self.api.create("Revision", self.namespace, item)
                taken.append(True)
            except ApiError as error:
                self.assertIn(error.status, (400, 422), f"{scaling}: {error}")
                taken.append(False)
            wanted = is_valid or self.plane.minor < CEL_SINCE
            self.assertEqual(taken[-1], wanted, scaling)
        self.assertGreater(len(taken), 20)


if __name__ == "__main__":
    unittest.main()
