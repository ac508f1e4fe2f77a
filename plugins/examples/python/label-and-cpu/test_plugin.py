import unittest

from berth_guest import unresolvable, unschedulable
from berth_guest.testing import Host
from plugin import plugin

NO_LABEL = unresolvable("node(s) didn't have label pool")
NO_CPU = unschedulable("Insufficient free cpu")
FITS = None

A = {"pool": "a"}
B = {"pool": "b"}
SPARE = {"minFreeCpu": "500m"}


class LabelAndCpu(unittest.TestCase):
    def test_cases(self):
        for what, args, pod, labels, cpu, used, answer in [
            ("more free cpu than requested", SPARE, {"requests": {"cpu": 1}}, A, "2", "500m", FITS),
            ("a millicore short", SPARE, {"requests": {"cpu": 1}}, A, "2", "501m", NO_CPU),
            ("no label and too little free cpu", SPARE, {"requests": {"cpu": 1}}, {}, "1", "0", NO_LABEL),
            ("the pod's own value", {}, {"labels": A}, A, "1", "0", FITS),
            ("another value than the pod's", {}, {"labels": A}, B, "1", "0", NO_LABEL),
            ("the pod's value is empty", {}, {"labels": {"pool": ""}}, A, "1", "0", NO_LABEL),
            ("a pod that requests nothing", SPARE, {}, B, "400m", "0", NO_CPU),
            ("the arguments' value", {"value": "a"}, {}, A, "1", "0", FITS),
            ("another value than the arguments'", {"value": "a"}, {}, B, "1", "0", NO_LABEL),
            ("the pod's value before the arguments'", {"value": "a"}, {"labels": B}, B, "1", "0", FITS),
        ]:
            with self.subTest(what):
                host = Host(plugin, {"label": "pool", **args})
                host.node("node", labels=labels, allocatable={"cpu": cpu}, used={"cpu": used})
                self.assertEqual(host.filter(**pod)["node"], answer)

    def test_the_plugin_sees_a_changed_node(self):
        host = Host(plugin, {"label": "pool"}).node("node", A, {"cpu": 1}, {"cpu": 1})
        self.assertEqual(host.filter(requests={"cpu": 1})["node"], NO_CPU)
        self.assertEqual(host.node("node", A, {"cpu": 1}).filter(requests={"cpu": 1})["node"], FITS)

    def test_wrong_arguments_are_refused(self):
        wrong_cpu = [{"label": "pool", "minFreeCpu": cpu} for cpu in ("lots", "-1", "1.5", "1Gi", 1.5, -1, None)]
        for args, field in [
            ({}, "label"),
            ({"label": ""}, "label"),
            ({"label": "pool", "lable": "x"}, "lable"),
            *[(args, "minFreeCpu") for args in wrong_cpu],
        ]:
            with self.subTest(args), self.assertRaisesRegex(ValueError, field):
                Host(plugin, args)


if __name__ == "__main__":
    unittest.main()
