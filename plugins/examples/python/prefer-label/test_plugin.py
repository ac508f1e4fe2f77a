import unittest

from berth_guest.testing import Host
from plugin import plugin


class PreferLabel(unittest.TestCase):
    def test_a_node_scores_the_weight_of_its_value(self):
        host = Host(plugin, {"label": "tier", "weights": {"gold": 100, "silver": 50, "": 7}})
        for tier in ("gold", "silver", "bronze"):
            host.node(tier, labels={"tier": tier})
        self.assertEqual(host.node("none").score(), {"gold": 100, "silver": 50, "bronze": 0, "none": 0})

    def test_without_weights_every_node_scores_0(self):
        host = Host(plugin, {"apiVersion": "v1", "kind": "PreferLabelArgs", "label": "tier"})
        self.assertEqual(host.node("gold", labels={"tier": "gold"}).score(), {"gold": 0})

    def test_wrong_arguments_are_refused(self):
        for args, field in [
            ({}, "label"),
            ({"label": "tier", "wieghts": {}}, "wieghts"),
            *[({"label": "tier", "weights": {"gold": gold}}, r"weights\.gold") for gold in (101, -1, 1.5, "1")],
        ]:
            with self.subTest(args), self.assertRaisesRegex(ValueError, field):
                Host(plugin, args)


if __name__ == "__main__":
    unittest.main()
