"""Configuration entries: one table says what each does, for the check and for the page."""

import pathlib
import re

import numpy as np
import pytest
from onnxruntime_models import ours, state, theirs
from test_onnxruntime_page import PAGE, ROOT

from trident.onnxruntime.entries import RUN, SESSION, Effect

DIGITS = ROOT / "examples/digits/digits.onnx"

#: The tables of the page, by the effect that they list.
TABLES = {
    Effect.ACTS: "acts",
    Effect.TUNES: "is ignored",
    Effect.ROUNDS: "is ignored, and rounds or accepts in ONNX Runtime",
    Effect.REFUSED: "is refused",
}

#: Texts of ONNX Runtime's library that look like keys: parts of keys, and names of its telemetry.
PARTS = {"ep.cuda.", "session.model_external_initializers_file_folder_"}


def listed(title, options):
    """The keys in a row of the page."""
    table = PAGE.split(f"| | {title} |\n")[1].split("\n\n")[0]
    rows = [row for row in table.splitlines() if row.startswith(f"| entries of `{options}`")]
    return sorted(re.findall(r"`([a-z_0-9]+\.[\w.]+|gpu_graph_id|disable_\w+)`", " ".join(rows)))


@pytest.mark.parametrize("effect", Effect)
def test_the_page_lists_each_key_once(effect):
    session = sorted(key for key, entry in SESSION.items() if entry.effect is effect)
    assert listed(TABLES[effect], "add_session_config_entry") == session
    run = sorted(key for key, entry in RUN.items() if entry.effect is effect)
    assert listed(TABLES[effect], "add_run_config_entry") == run


@pytest.mark.skipif(theirs is None, reason="onnxruntime is not installed")
def test_each_key_of_the_installed_package_is_known():
    """ONNX Runtime has no list of its keys, but they are texts in its library."""
    if not theirs.__version__.startswith("1.31."):
        pytest.skip(f"the table is that of 1.31.1, and {theirs.__version__} is installed")
    library = pathlib.Path(theirs.capi.onnxruntime_pybind11_state.__file__).read_bytes()
    areas = rb"session|optimization|mlas|ep|memory"
    found = re.findall(rb"(?<=\0)(?:" + areas + rb")\.[a-z_0-9.]+(?=\0)", library)
    keys = {key.decode() for key in found} - PARTS
    assert len(keys) >= 90
    assert keys - SESSION.keys() - RUN.keys() == set()


@pytest.mark.parametrize("key", sorted(SESSION))
def test_entries_are_refused_or_kept(key):
    entry = SESSION[key]
    options = ours.SessionOptions()
    for value in entry.values or ("1",):
        if entry.effect is Effect.REFUSED:
            with pytest.raises(state(ours).Fail, match=f"{key}={value} is not supported"):
                options.add_session_config_entry(key, value)
        else:
            options.add_session_config_entry(key, value)
    options.add_session_config_entry(key, "")
    assert options.get_session_config_entry(key) == ""


def test_ignored_entries_change_nothing():
    options = ours.SessionOptions()
    for key, entry in SESSION.items():
        if entry.effect in (Effect.TUNES, Effect.ROUNDS):
            options.add_session_config_entry(key, "1")
    run = ours.RunOptions()
    for key in RUN:
        run.add_run_config_entry(key, "1")
        assert run.get_run_config_entry(key) == "1"
    feed = {"image": np.ones((1, 1, 8, 8), np.float32)}
    (plain,) = ours.InferenceSession(DIGITS).run(None, feed)
    (changed,) = ours.InferenceSession(DIGITS, options).run(None, feed, run)
    assert (plain == changed).all()
