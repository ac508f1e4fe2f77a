"""Tests of the snapshot and the batched calls, called as the host does."""

import unittest
from types import SimpleNamespace

from berth_guest import Plugin, unresolvable, unschedulable
from berth_guest.guest import Guest
from berth_guest.testing import Host

CYCLE = SimpleNamespace(id=1, time=0, seed=0, signature=0)


def label(key, value):
    return SimpleNamespace(key=key, value=value)


def guest_of(plugin, **pod):
    guest = Guest(plugin)
    guest.configure("{}")
    guest.add_signature(0, SimpleNamespace(**pod))
    return guest


class Declarations(unittest.TestCase):
    def test_only_read_facts_are_declared(self):
        reads = ["pod.labels", "node.usage", "node.pods", "resident.labels", "cluster.node_count"]
        declared = Guest(Plugin("p", reads)).configure("{}")
        self.assertEqual(vars(declared.pod), dict(facts=["labels"], label_keys=[], annotation_keys=[], fields=[]))
        self.assertEqual(declared.node.facts, ["usage"])
        self.assertEqual(declared.resident_pods.facts, ["labels"])
        self.assertEqual(declared.cluster_facts, ["node_count"])
        self.assertFalse(declared.reads_time)
        self.assertIsNone(Guest(Plugin("p", ["node.name"])).configure("{}").resident_pods)

    def test_the_scope_follows_from_the_read_facts(self):
        def scope(reads, pre_filter=False, **more):
            plugin = Plugin("p", reads, **more)
            if pre_filter:
                plugin.pre_filter(lambda pod: None)
            return Guest(plugin).configure("{}").filter_scope

        self.assertEqual(scope([]), "node")
        self.assertEqual(scope(["cycle.time"]), "cluster")
        self.assertEqual(scope(["cluster.images"]), "node")
        self.assertEqual(scope(["cluster.images"], pre_filter=True), "cluster")
        self.assertEqual(scope(["cycle.seed"], scope="node"), "node")
        with self.assertRaisesRegex(ValueError, r'scope "node" can\'t read cycle\.time'):
            Plugin("p", ["cycle.time"], scope="node")
        with self.assertRaisesRegex(ValueError, "scope must be one of"):
            Plugin("p", scope="domain")

    def test_the_time_is_declared_only_if_it_is_read(self):
        declared = [Guest(Plugin("p", [f"cycle.{fact}"])).configure("{}").reads_time for fact in ("id", "seed", "time")]
        self.assertEqual(declared, [False, False, True])

    def test_errors_of_the_author_are_named(self):
        plugin = Plugin("p")
        plugin.filter(lambda pod: None)
        with self.assertRaisesRegex(TypeError, "takes 2 to 4 parameters as a filter"):
            Guest(plugin)

    def test_an_undeclared_fact_is_named(self):
        for read, message in [
            (lambda node, context: node.labels, 'add "node.labels" to reads'),
            (lambda node, context: node.info, 'add "node.info" to reads'),
            (lambda node, context: node.fields, 'such as "node.spec.NAME"'),
            (lambda node, context: context.node_count, 'add "cluster.node_count" to reads'),
            (lambda node, context: context.cycle.time, 'add "cycle.time" to reads'),
        ]:
            plugin = Plugin("p", ["node.name", "cycle.id"])
            plugin.score(self.scored_by(read))
            with self.subTest(message), self.assertRaisesRegex(AttributeError, message):
                Host(plugin).node("a").score()

    def scored_by(self, read):
        return lambda pod, node, args, context: read(node, context)


class Cluster(unittest.TestCase):
    def test_pods_are_added_and_removed_before_and_after_their_node(self):
        plugin = Plugin("p", ["node.pods", "resident.labels"])
        plugin.score(lambda pod, node: sum(other.labels.get("app") == "db" for other in node.pods))
        guest = guest_of(plugin)
        cluster = guest.snapshot

        def resident(id, app):
            pod = SimpleNamespace(labels=[label("app", app)])
            cluster.set_resident(SimpleNamespace(id=id, node=0, pod=pod))

        resident(0, "db")
        cluster.set_node(SimpleNamespace(id=0))
        resident(1, "web")
        self.assertEqual(guest.score(CYCLE, [0]), [1])
        resident(1, "db")
        self.assertEqual(guest.score(CYCLE, [0]), [2])
        cluster.remove_node(0)
        cluster.remove_resident(0)
        cluster.remove_resident(1)
        cluster.set_node(SimpleNamespace(id=0))
        self.assertEqual(guest.score(CYCLE, [0]), [0])

    def test_scalar_usage_ends_with_its_last_pod(self):
        plugin = Plugin("p", ["node.usage"])
        plugin.score(lambda pod, node: node.usage.scalars.get("example.com/gpu", -1))
        host = Host(plugin).node("a", used={"example.com/gpu": 2})
        self.assertEqual(host.score(), {"a": 2})
        self.assertEqual(host.node("a", used={"example.com/gpu": 0}).score(), {"a": -1})

    def test_unknown_nodes_and_signatures_are_errors(self):
        plugin = Plugin("p", ["node.labels"])
        plugin.filter(lambda pod, node: None)
        with self.assertRaisesRegex(LookupError, "node 7"):
            guest_of(plugin).filter(CYCLE, [7])
        with self.assertRaisesRegex(LookupError, "pod signature 0"):
            Guest(plugin).filter(CYCLE, [])

    def test_pods_are_known_without_a_record_of_their_node(self):
        plugin = Plugin("p", ["node.pods"])
        plugin.score(lambda pod, node: len(node.pods))
        guest = guest_of(plugin)
        guest.snapshot.set_resident(SimpleNamespace(id=0, node=1, pod=SimpleNamespace()))
        self.assertEqual(guest.score(CYCLE, [0, 1]), [0, 1])


class Answers(unittest.TestCase):
    def verdicts(self, answer, count):
        plugin = Plugin("p", ["node.name"])
        plugin.filter(lambda pod, node: answer(node.name))
        guest = guest_of(plugin)
        for id in range(count):
            guest.snapshot.set_node(SimpleNamespace(id=id, name=f"{id}", uid=""))
        return guest.filter(CYCLE, list(range(count)))

    def test_equal_rejections_are_sent_once(self):
        answers = {"1": None, "2": unresolvable("full")}
        outcomes, verdicts = self.verdicts(lambda name: answers.get(name, unschedulable("full")), 4)
        self.assertEqual(verdicts, [1, 0, 2, 1])
        self.assertEqual(outcomes, [unschedulable("full"), unresolvable("full")])

    def test_too_many_distinct_rejections_are_still_rejections(self):
        outcomes, verdicts = self.verdicts(unschedulable, 70_000)
        self.assertEqual((len(outcomes), verdicts[-1], min(verdicts)), (1000, 1000, 1))
        self.assertEqual(outcomes[-1].reasons, ("too many different reasons to list",))

    def test_an_answer_of_another_type_is_named(self):
        with self.assertRaisesRegex(TypeError, "the filter returned True"):
            self.verdicts(lambda name: True, 1)
        plugin = Plugin("p")
        plugin.score(lambda pod, node: 1.5)
        with self.assertRaisesRegex(TypeError, "the score 1.5 is not a whole number"):
            Host(plugin).node("a").score()

    def test_functions_take_any_subset_of_parameters(self):
        plugin = Plugin("p", ["cycle.id", "cluster.node_count"])
        plugin.score(lambda pod, node, args, context: context.cycle.id * 10 + context.node_count)
        self.assertEqual(Host(plugin).node("a").node("b").score(), {"a": 12, "b": 12})


if __name__ == "__main__":
    unittest.main()
