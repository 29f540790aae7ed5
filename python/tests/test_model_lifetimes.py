"""Arrays, models and dictionaries that change or end while a model has them."""

import array
import functools
import gc
import mmap
import sys
import threading
import time
import weakref

import numpy as np
import pytest
from onnx_bytes import map_type, model, node, sequence_type, tensor_type
from test_model import endless

import trident

TYPE = tensor_type("float32", ["N"])
SUM = model([node("Add", ["x", "y"], ["z"])], {"x": TYPE, "y": TYPE}, {"z": TYPE})


class Hook:
    """An argument whose code runs while a model reads its arguments, and may return any object."""

    def __init__(self, act, exported=None, device=(1, 0)):
        self.act, self.device = act, device
        self.exported = np.ones(8, np.float32) if exported is None else exported

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        returned = self.act()
        return self.exported.__dlpack__(**options) if returned is None else returned


def attempt(act, exported=None):
    """An argument that tries something, and a list that gets the exception."""
    seen = []

    def catch():
        try:
            act()
        except Exception as error:
            seen.append(type(error))

    return Hook(catch, exported), seen


def resizing(array):
    """A change of an array's memory that NumPy is told not to check."""
    return functools.partial(array.resize, 1 << 20, refcheck=False)


def views():
    """An array that owns its memory, and everything that lends it."""
    for view in (
        lambda x: x,
        lambda x: x[:8],
        lambda x: x.reshape(2, 4)[:, :].reshape(-1),
        lambda x: memoryview(x),
        lambda x: np.asarray(memoryview(x))[:8],
        lambda x: x.view(np.recarray).view(np.ndarray),
    ):
        x = np.arange(8, dtype=np.float32)
        yield x, view(x)


def test_arrays_that_are_lent_cannot_be_resized():
    run = trident.Model(SUM)
    for x, view in views():
        expected = x + 1
        hook, seen = attempt(resizing(x))
        assert np.array_equal(run(view, hook), expected)
        assert seen == [ValueError] and len(x) == 8
        del view
        resizing(x)()


def test_memory_for_results_cannot_be_resized(floats):
    nodes = [node("Neg", ["x"], ["a"]), node("Abs", ["x"], ["b"])]
    run = trident.Model(model(nodes, {"x": TYPE}, {"a": TYPE, "b": TYPE}))
    x, a, b = floats(8), np.zeros(8, np.float32), np.zeros(8, np.float32)
    # Memory is lent in the order of the dictionary.
    hook, seen = attempt(resizing(a), b)
    run.run({"x": x}, out={"a": a, "b": hook})
    assert seen == [ValueError] and np.array_equal(a, -x) and np.array_equal(b, abs(x))
    resizing(a)()


def test_other_memory_that_is_lent_cannot_be_resized():
    run = trident.Model(SUM)
    numbers, raw = array.array("f", [1] * 8), bytearray(32)
    memory = mmap.mmap(-1, 32)
    for given, grow in [
        (numbers, lambda: numbers.append(1)),
        (memoryview(raw).cast("f"), lambda: raw.append(1)),
        (memoryview(memory).cast("f"), memory.close),
    ]:
        hook, seen = attempt(grow)
        run(given, hook)
        assert seen == [BufferError]
        if isinstance(given, memoryview):
            given.release()
        grow()


def test_arrays_that_are_freed_live_until_the_run_ends(floats):
    run = trident.Model(SUM)
    x = floats(1 << 20)
    expected = x + 1
    ones = np.ones_like(x)
    given = {"x": x, "y": Hook(lambda: given.clear(), ones)}
    alive = weakref.ref(x)
    del x
    assert np.array_equal(run.run(given)["z"], expected)
    gc.collect()
    assert alive() is None


def test_dictionaries_may_change_while_they_are_read(floats):
    run = trident.Model(SUM)
    x = floats(8)
    given = {}

    def change():
        given.clear()
        given.update(a=1, b=2, c=3)

    given.update(y=Hook(change), x=x)
    assert np.array_equal(run.run(given)["z"], x + 1)
    room = np.zeros(8, np.float32)
    out = {}
    hook = Hook(out.clear, room)
    out["z"] = hook
    assert run.run({"x": x, "y": x}, out=out)["z"] is hook
    assert np.array_equal(room, x + x)


def test_maps_and_lists_may_change_while_they_are_read(floats):
    entries = map_type("int64", tensor_type("float32"))
    vector = node("DictVectorizer", ["x"], ["y"], int64_vocabulary=[7, 8], domain="ai.onnx.ml")
    run = trident.Model(model([vector], {"x": entries}, {"y": tensor_type("float32")}))
    given = {}

    class Key:
        def __array__(self, *_, **__):
            given.clear()
            return np.array(7)

        def __int__(self):
            return 7

    given[Key()] = 1.0
    given[8] = 2.0
    assert run(given).shape == (2,) and not given
    item = tensor_type("float32")
    types = {"s": sequence_type(item), "x": item}, {"t": sequence_type(item)}
    append = trident.Model(model([node("SequenceInsert", ["s", "x"], ["t"])], *types))
    parts = [floats(8)]
    parts += [Hook(parts.clear), floats(3)]
    assert 3 <= len(append(parts, floats(2))) <= 4


def test_iterators_that_raise_are_passed_on(floats):
    class Failing(list):
        def __iter__(self):
            yield floats(2)
            raise RuntimeError("no more")

    class Names(dict):
        def keys(self):
            yield "x"
            raise RuntimeError("no names")

    item = tensor_type("float32")
    types = {"s": sequence_type(item), "x": item}, {"t": sequence_type(item)}
    append = trident.Model(model([node("SequenceInsert", ["s", "x"], ["t"])], *types))
    with pytest.raises(RuntimeError, match="no more") as caught:
        append(Failing([1]), floats(2))
    assert caught.value.__notes__ == ["input `s` of the model"]
    for generator in (iter([floats(2)]), (x for x in [floats(2)])):
        with pytest.raises(trident.ModelError, match="a list is expected"):
            append(generator, floats(2))
    # A dict is read as it is, whatever a class makes of its methods.
    assert trident.Model(SUM).run(Names(x=floats(2), y=floats(2)))["z"].shape == (2,)
    with pytest.raises(TypeError, match="dict of arrays by name, and 1 is not a str"):
        trident.Model(SUM).run({1: floats(2)})


@pytest.mark.parametrize(
    "hook, error, text",
    [
        (Hook(lambda: 1 / 0), ZeroDivisionError, "division"),
        (Hook(lambda: sys.exit(3)), SystemExit, "3"),
        (Hook(lambda: object()), TypeError, "PyCapsule"),
        (Hook(lambda: 5), TypeError, "PyCapsule"),
        (Hook(lambda: None, device=None), TypeError, "subscriptable"),
        (Hook(lambda: None, device=()), IndexError, "out of range"),
        (Hook(lambda: None, device=("a", 0)), trident.ModelError, "invalid literal"),
        (Hook(lambda: None, device=(1 << 70, 0)), OverflowError, "too large"),
        (Hook(lambda: None, device=(2, 0)), trident.ModelError, "another device"),
    ],
)
def test_exports_that_raise_or_return_garbage_are_passed_on(hook, error, text, floats):
    run = trident.Model(SUM)
    x = floats(8)
    for operand, call in [
        ("input `y`", lambda: run(x, hook)),
        ("output `z`", lambda: run.run({"x": x, "y": x}, out={"z": hook})),
    ]:
        with pytest.raises(error, match=text) as caught:
            call()
        if error is trident.ModelError:
            assert str(caught.value).startswith(f"{operand}: ")
        else:
            assert caught.value.__notes__ == [f"{operand} of the model"]
    # What was lent is given back.
    x.resize(16, refcheck=False)
    assert np.array_equal(run(x, x), x + x)


def test_a_used_capsule_is_refused(floats):
    x = floats(8)
    used = x.__dlpack__()
    np.from_dlpack(Hook(lambda: used))
    with pytest.raises(trident.ModelError, match="input `y`: .* incorrect name"):
        trident.Model(SUM)(x, Hook(lambda: used))


def test_exports_may_use_the_model_close_it_and_delete_it(floats):
    x = floats(8)
    models = [trident.Model(SUM)]
    nested = []
    hook = Hook(lambda: nested.append(models[0](x, x)))
    assert np.array_equal(models[0](x, hook), x + 1) and np.array_equal(nested[0], x + x)
    closed = models[0]
    assert np.array_equal(closed(x, Hook(closed.close)), x + 1)
    with pytest.raises(trident.ModelError, match="closed"):
        closed(x, x)
    models[0] = trident.Model(SUM)
    alive = weakref.ref(models[0])
    assert np.array_equal(models[0](x, Hook(models.clear)), x + 1)
    assert alive() is None


def test_a_model_may_be_closed_or_deleted_while_threads_run_it():
    counted = endless()[1]
    for end in (lambda models: models[0].close(), lambda models: models.clear()):
        models, results = [trident.Model(counted)], []
        begun = threading.Barrier(4)

        def go(models=models, results=results, begun=begun):
            x = np.ones(4, np.float32)
            begun.wait()
            try:
                while True:
                    results.append(models[0](x, np.int64(2000)))
            except (IndexError, trident.ModelError) as error:
                results.append(str(error))

        threads = [threading.Thread(target=go) for _ in range(3)]
        for thread in threads:
            thread.start()
        begun.wait()
        time.sleep(0.05)
        end(models)
        for thread in threads:
            thread.join()
        texts = [result for result in results if isinstance(result, str)]
        arrays = [result for result in results if not isinstance(result, str)]
        assert len(texts) == 3 and all("closed" in text or "index" in text for text in texts)
        assert arrays and all(np.isinf(result).all() for result in arrays)
