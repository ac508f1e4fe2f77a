"""The text of an exception, for the host."""

import traceback


def describe(error):
    """Returns the exception and the places in the code that raised it. The source lines are left out, because a
    component has no files: traceback.format_exc reads the source, which ends the host's call as a trap.
    """
    places = [
        f"  at {frame.f_code.co_filename}:{line} in {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    # The place where the exception was raised comes first.
    return "".join(traceback.format_exception_only(error)) + "\n".join(reversed(places))
