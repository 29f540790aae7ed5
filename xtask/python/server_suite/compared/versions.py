"""Versions of models, and policies about them."""

import shutil

from .folders import index_of
from .models import add
from .talk import row

ONE = row(1, 2, 3, 4)


def _versions(t, numbers, policy=""):
    """A model with several versions, not loaded."""
    add(t.side.models, t.name, extra=f"version_policy: {{ {policy} }}" if policy else "")
    source = t.folder() / "1"
    for number in numbers:
        if number != 1:
            shutil.copytree(source, t.folder() / str(number))
    if 1 not in numbers:
        shutil.rmtree(source)


def _ask_versions(t, *versions):
    t.get(f"/v2/models/{t.name}")
    t.infer(ONE)
    for version in versions:
        t.infer(ONE, version=str(version))
        t.ready(version)
    index_of(t)


def version_latest(t):
    _versions(t, (1, 2, 10))
    t.load()
    _ask_versions(t, 1, 2, 10)


def version_latest_two(t):
    _versions(t, (1, 2, 10), "latest { num_versions: 2 }")
    t.load()
    _ask_versions(t, 1, 2, 10)
    t.stats()


def version_all(t):
    _versions(t, (1, 3), "all { }")
    t.load()
    _ask_versions(t, 1, 2, 3)
    t.get(f"/v2/models/{t.name}/versions/1/stats")
    t.get(f"/v2/models/{t.name}/versions/2/stats")


def version_specific(t):
    _versions(t, (1, 2, 3), "specific { versions: [ 1, 3 ] }")
    t.load()
    _ask_versions(t, 1, 2, 3)


def version_specific_that_is_missing(t):
    _versions(t, (1, 2), "specific { versions: [ 1, 7 ] }")
    t.post(f"/v2/repository/models/{t.name}/load")
    _ask_versions(t, 1, 7)


def version_specific_none(t):
    _versions(t, (1, 2), "specific { versions: [ 9 ] }")
    t.post(f"/v2/repository/models/{t.name}/load")
    index_of(t)


def version_zero(t):
    _versions(t, (1, 2), "latest { num_versions: 0 }")
    t.post(f"/v2/repository/models/{t.name}/load")
    index_of(t)


def version_folders_that_are_none(t):
    _versions(t, (1,), "all { }")
    for name in ("two", "v3", ".4"):
        shutil.copytree(t.folder() / "1", t.folder() / name)
    t.load()
    _ask_versions(t)


def version_is_added(t):
    _versions(t, (1,))
    t.load()
    shutil.copytree(t.folder() / "1", t.folder() / "2")
    t.load()
    _ask_versions(t, 1, 2)


def version_is_removed(t):
    _versions(t, (1, 2))
    t.load()
    shutil.rmtree(t.folder() / "2")
    t.load()
    _ask_versions(t, 1, 2)


def version_that_fails_beside_another(t):
    _versions(t, (1, 2), "all { }")
    (t.folder() / "2/model.onnx").write_bytes(b"nothing")
    answer = t.exchange("POST", f"/v2/repository/models/{t.name}/load")
    t.note(answer["status"])
    t.infer(ONE, version=1)
    t.infer(ONE)
    t.ready(1)
    t.ready(2)
