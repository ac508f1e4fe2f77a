"""What a filter answers about one node, and many such answers in the form that crosses to the host."""

from typing import NamedTuple


class Rejection(NamedTuple):
    """A no, with its reasons as people read them in `kubectl describe pod`."""

    code: str
    reasons: tuple[str, ...]


def unschedulable(*reasons):
    """Not on this node as things are; taking pods away might help."""
    return Rejection("UNSCHEDULABLE", reasons)


def unresolvable(*reasons):
    """Not on this node whatever pods are taken away (`UnschedulableAndUnresolvable`)."""
    return Rejection("UNSCHEDULABLE_AND_UNRESOLVABLE", reasons)


def pending(*reasons):
    """Not yet: the pod waits for something that the plugin expects."""
    return Rejection("PENDING", reasons)


# More distinct rejections than the contract allows are told as this one.
_TOO_MANY = unschedulable("too many different reasons to list")
_LAST = 1000


class Numbers(dict):
    """A number for each distinct verdict: 0 for None, which says that the pod fits."""

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
        """The rejections, in the order of their numbers, which begin with 1."""
        return list(self)[1:]
