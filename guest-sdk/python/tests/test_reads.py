"""Tests of what a plugin declares and reads."""

import unittest
from dataclasses import dataclass
from enum import Enum
from types import SimpleNamespace

from berth_guest import Plugin, cpu, text
from berth_guest.facts import plain
from berth_guest.guest import Guest
from berth_guest.testing import Host


def scored(reads, score, args=None, arguments=None):
    """Returns a host with a plugin that has this score."""
    plugin = Plugin("p", reads, args)
    plugin.score(score)
    return Host(plugin, arguments)


class Entries(unittest.TestCase):
    def test_keys_and_paths_are_declared(self):
        reads = [
            'pod.labels["team"]',
            "pod.labels[args.label]",
            'pod.annotations["example.com/a.b"]',
            "pod.spec.activeDeadlineSeconds",
            'node.labels["zone"]',
            'node.status.capacity["example.com/gpu"]',
            "node.pods",
            'resident.labels["app"]',
        ]
        guest = Guest(Plugin("p", reads, dict(label=text(""))))
        declared = guest.configure('{"label": "crew"}')
        self.assertEqual(declared.pod.facts, [])
        self.assertEqual(declared.pod.label_keys, ["team", "crew"])
        self.assertEqual(declared.pod.annotation_keys, ["example.com/a.b"])
        self.assertEqual(declared.pod.fields, ["spec.activeDeadlineSeconds"])
        self.assertEqual(declared.node.label_keys, ["zone"])
        self.assertEqual(declared.node.fields, ['status.capacity["example.com/gpu"]'])
        self.assertEqual(declared.resident_pods.label_keys, ["app"])
        self.assertEqual(guest.configure('{"label": "team"}').pod.label_keys, ["team"])
        self.assertEqual(guest.configure("{}").pod.label_keys, ["team"])

    def test_wrong_entries_are_named(self):
        for entry, message in [
            ("node.label", r"unknown fact node\.label; known facts: name, labels"),
            ("nodes.labels", r"unknown fact nodes\.labels; a fact begins with pod\., node\."),
            ("cycle", r"unknown fact cycle; known facts: id, time, seed"),
            ("pod.labels[team]", r"unknown fact pod\.labels\[team\]"),
            ("pod.spec.", r"unknown fact pod\.spec\.;"),
            ("pod.spec.a*", r"unknown fact pod\.spec\.a\*;"),
            ("cluster.spec.a", r"unknown fact cluster\.spec\.a;"),
            ("pod.labels[args.name]", r"pod\.labels\[args\.name\]: name is not a text argument"),
            ("pod.labels[args.least]", r"least is not a text argument"),
            ("resident.labels", r"resident\.labels has no effect without node\.pods"),
        ]:
            with self.subTest(entry), self.assertRaisesRegex(ValueError, message):
                Plugin("p", [entry], dict(least=cpu(0)))


class Values(unittest.TestCase):
    def test_declared_labels_are_read_and_others_are_named(self):
        def scores(read):
            host = scored(
                ['node.labels["a"]', "node.labels[args.key]"], lambda pod, node: read(node), dict(key=text(""))
            )
            return host.node("n", labels={"a": "1", "b": "2"}).score()

        for read, score in [
            (lambda node: int(node.labels["a"]), 1),
            (lambda node: int("a" in node.labels), 1),
            (lambda node: len(node.labels), 1),
            (lambda node: int(node.labels.get("", "3")), 3),
        ]:
            self.assertEqual(scores(read), {"n": score})
        for read in (
            lambda node: node.labels["b"],
            lambda node: node.labels.get("b"),
            lambda node: "b" in node.labels,
        ):
            with self.assertRaisesRegex(LookupError, r"""add 'node\.labels\["b"\]' to reads"""):
                scores(read)

    def test_all_labels_are_read_if_both_are_declared(self):
        host = scored(["pod.labels", 'pod.labels["a"]'], lambda pod, node: len(pod.labels) + ("c" in pod.labels))
        self.assertEqual(host.node("n").score(labels={"a": "1", "b": "2"}), {"n": 2})

    def test_an_absent_label_is_a_key_error(self):
        with self.assertRaisesRegex(KeyError, "^'a'$"):
            scored(['pod.labels["a"]'], lambda pod, node: pod.labels["a"]).node("n").score()

    def test_fields_are_read_by_path(self):
        seen = []
        paths = ["spec.containers.image", "spec.paused", 'spec.nodeSelector["a.b/c"]', "status"]
        host = scored([f"pod.{path}" for path in paths], lambda pod, node: seen.append(pod.fields) or 0).node("n")
        spec = {"containers": [{"image": "x"}, {}], "nodeSelector": {"a.b/c": "d"}}
        host.score(fields={"spec": spec, "status": {"phase": "Pending"}})
        images, selector, status = paths[0], paths[2], paths[3]
        self.assertEqual(seen[0], {images: ["x", None], selector: "d", status: {"phase": "Pending"}})
        self.assertIsNone(seen[0].get("spec.paused"))
        with self.assertRaisesRegex(LookupError, r"add 'pod\.spec\.other' to reads"):
            seen[0].get("spec.other")

    def test_a_changed_node_has_its_new_fields(self):
        host = scored(["node.spec.podCIDR"], lambda pod, node: len(node.fields.get("spec.podCIDR", "")))
        self.assertEqual(host.node("n", fields={"spec": {"podCIDR": "10.0.0.0/8"}}).score(), {"n": 10})
        self.assertEqual(host.node("n").score(), {"n": 0})

    def test_typed_facts(self):
        reads = ["pod.limits", "pod.qos", "pod.creation_time", "pod.scheduling_group", "node.capacity", "node.info"]
        seen = []

        def score(pod, node):
            seen.append((pod.limits.milli_cpu, pod.qos, pod.creation_time, pod.scheduling_group))
            seen.append((node.capacity.scalars, node.info.architecture))
            return 0

        host = scored(reads, score).node("n", capacity={"example.com/gpu": 2})
        host.score(limits={"cpu": "500m"}, qos="burstable", creation_time=7, scheduling_group="g")
        self.assertEqual(seen, [(500, "burstable", 7, "g"), ({"example.com/gpu": 2}, "amd64")])

    def test_records_of_the_contract_become_plain(self):
        class Effect(Enum):
            PREFER_NO_SCHEDULE = 1

        @dataclass
        class Container:
            effect: Effect
            scalars: list

        gpus = SimpleNamespace(name="example.com/gpu", quantity=1)
        (converted,) = plain([Container(Effect.PREFER_NO_SCHEDULE, [gpus])], "containers")
        self.assertEqual((converted.effect, converted.scalars), ("prefer-no-schedule", {"example.com/gpu": 1}))


if __name__ == "__main__":
    unittest.main()
