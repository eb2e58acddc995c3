"""A pytest plugin for runs of networkx's own tests: counts the calls that reach our backend, and can break it."""

from __future__ import annotations

import functools
import json
import os
from collections import Counter
from pathlib import Path

from grapheme.networkx_backend import interface
from grapheme.networkx_backend.info import FUNCTIONS

calls: Counter[str] = Counter()
refused: Counter[str] = Counter()


def counted(name):
    function = getattr(interface, name)

    @functools.wraps(function)
    def call(*args, **kwargs):
        calls[name] += 1
        result = function(*args, **kwargs)
        return result + 1 if name == os.environ.get("BREAK") and result is not None else result

    return call


def can_run(name, args, kwargs, asked=interface.can_run):
    answer = asked(name, args, kwargs)
    refused[name] += answer is not True
    return answer


def pytest_configure():
    interface.can_run = can_run
    for name in FUNCTIONS:
        setattr(interface, name, counted(name))


def pytest_sessionfinish(session):
    report = {"calls": calls, "refused": +refused, "run": session.testscollected, "failed": session.testsfailed}
    Path(os.environ["REPORT"]).write_text(json.dumps(report))
