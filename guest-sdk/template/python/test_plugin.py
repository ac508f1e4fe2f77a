import unittest

from berth_guest import unresolvable
from berth_guest.testing import Host
from plugin import plugin

OTHER = unresolvable("node(s) belong to another team")
FITS = None


def host(args):
    host = Host(plugin, args).node("red-1", labels={"team": "red"})
    return host.node("blue-1", labels={"team": "blue", "crew": "red"})


class TeamNodes(unittest.TestCase):
    def test_a_team_keeps_to_its_nodes(self):
        self.assertEqual(host({}).filter(labels={"team": "red"}), {"red-1": FITS, "blue-1": OTHER})
        self.assertEqual(host({}).filter(), {"red-1": FITS, "blue-1": FITS})

    def test_the_label_is_an_argument(self):
        self.assertEqual(host({"label": "crew"}).filter(labels={"crew": "red"}), {"red-1": OTHER, "blue-1": FITS})


if __name__ == "__main__":
    unittest.main()
