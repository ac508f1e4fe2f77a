"""The verdict of a filter about one node, and many verdicts in the contract's form."""

from typing import NamedTuple


class Rejection(NamedTuple):
    """A rejection with its reasons, as users read them in `kubectl describe pod`."""

    code: str
    reasons: tuple[str, ...]


def unschedulable(*reasons):
    """The pod does not fit as things are. Removing pods from the node may help."""
    return Rejection("UNSCHEDULABLE", reasons)


def unresolvable(*reasons):
    """The pod does not fit, whatever pods are removed from the node (`UnschedulableAndUnresolvable`)."""
    return Rejection("UNSCHEDULABLE_AND_UNRESOLVABLE", reasons)


def pending(*reasons):
    """The pod has to wait for something that the plugin expects."""
    return Rejection("PENDING", reasons)


# Stands for all distinct rejections beyond the contract's limit.
_TOO_MANY = unschedulable("too many different reasons to list")
_LAST = 1000


class Numbers(dict):
    """A number for each distinct verdict. None, which means that the pod fits, has the number 0."""

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
        """Returns the rejections, in the order of their numbers. The numbers start at 1."""
        return list(self)[1:]
