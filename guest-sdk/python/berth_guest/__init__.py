"""The names that a plugin imports."""

from .arguments import cpu, flag, map_of, object_of, text, whole
from .plugin import Plugin
from .verdict import Rejection, pending, unresolvable, unschedulable

__all__ = [
    "Plugin",
    "Rejection",
    "cpu",
    "flag",
    "map_of",
    "object_of",
    "pending",
    "text",
    "unresolvable",
    "unschedulable",
    "whole",
]
