import linecache
import unittest
from unittest.mock import patch

from berth_guest.errors import describe


def fail():
    raise LookupError("no such key")


class Errors(unittest.TestCase):
    def test_an_error_has_its_places_and_no_file_is_read(self):
        with patch.object(linecache, "updatecache", side_effect=AssertionError("a source file was read")):
            try:
                fail()
            except LookupError as error:
                described = describe(error)
        self.assertRegex(described, r"^LookupError: no such key\n  at \S+test_errors\.py:\d+ in fail\n  at .* in test_")


if __name__ == "__main__":
    unittest.main()
