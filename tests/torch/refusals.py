# SPDX-License-Identifier: Apache-2.0
"""What calls are refused with, for the tests of the torch engine."""
import alcore


def error(function):
    """The message of the error that it raises; "" where it raises none."""
    try:
        function()
    except (alcore.Error, ValueError) as problem:
        return str(problem)
    return ""
