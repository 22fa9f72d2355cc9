#!/usr/bin/env python3
"""A module."""

import os


def f(x):
    """Doc."""

    if x:
        return os.getcwd()

    return None


class C:
    def m(self):
        return 1
