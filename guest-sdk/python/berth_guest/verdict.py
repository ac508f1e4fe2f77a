"""The verdict of a filter about one node, and the verdicts about many nodes in the contract's form: the list of
distinct rejections, and one number per node.
"""

from typing import NamedTuple


class Rejection(NamedTuple):
    """A rejection. `code` is a code of the contract in upper case. Users read `reasons` in `kubectl describe pod`."""

    code: str
    reasons: tuple[str, ...]


def unschedulable(*reasons):
    """Returns a rejection: the pod does not fit the node now, but may fit if pods are removed from the node."""
    return Rejection("UNSCHEDULABLE", reasons)


def unresolvable(*reasons):
    """Returns a rejection: the pod does not fit, whatever pods are removed from the node
    (`UnschedulableAndUnresolvable`).
    """
    return Rejection("UNSCHEDULABLE_AND_UNRESOLVABLE", reasons)


def pending(*reasons):
    """Returns a rejection: the pod waits for an event that the plugin expects."""
    return Rejection("PENDING", reasons)


# The contract allows 1000 distinct rejections per call. The rejection with number _LAST replaces the 1000th and all
# further distinct rejections.
_TOO_MANY = unschedulable("too many different reasons to list")
_LAST = 1000


class Numbers(dict):
    """The numbers of the distinct verdicts of one call, by verdict. None (the pod fits) has the number 0."""

    def __init__(self):
        super().__init__({None: 0})

    def __missing__(self, verdict):
        if not isinstance(verdict, Rejection):
            raise TypeError(f"the filter returned {verdict!r}: return None, unschedulable(…) or unresolvable(…)")
        if len(self) > _LAST:
            return _LAST
        self[_TOO_MANY if len(self) == _LAST else verdict] = number = len(self)
        return number

    def outcomes(self):
        """Returns the distinct rejections. The rejection with number n is at index n - 1."""
        return list(self)[1:]
