"""Calls of ``trident.Model``."""

import asyncio
import copy
import os
import pathlib
import pickle
import threading

import numpy as np
import onnx

import trident
from fuzz.mutate import mutate

from . import arrays
from .world import Wrong, feed, numbers, some_kind

ERRORS = (trident.ModelError,)


def load(w, rng):
    kind = some_kind(rng)
    source = rng.choice([bytes, bytearray, memoryview, str, pathlib.Path])
    data = kind.file
    given = source(w.path(data)) if source in (str, pathlib.Path) else source(data)
    options = {"threads": rng.choice([0, 1, 2])}
    if rng.random() < 0.2:
        options |= {"device": "cpu", "memory_limit": 1 << 30, "time_limit": 60.0, "progress": False}
    return w.add("model", kind, w.right(lambda: trident.Model(given, **options)))


def model(w, rng):
    """An open model and its kind."""
    kind, found = w.pick(rng, "model", load)
    if found.is_closed:
        kind = some_kind(rng)
        found = w.add("model", kind, w.right(lambda: trident.Model(kind.file)))
    return kind, found


def load_wrong(w, rng):
    data = some_kind(rng).file
    wrong = [
        lambda: trident.Model(w.folder / "missing.onnx"),
        lambda: trident.Model(w.folder),
        lambda: trident.Model(b""),
        lambda: trident.Model(None),
        lambda: trident.Model(3),
        lambda: trident.Model(np.zeros(3)),
        trident.Model,
        lambda: trident.Model(data, threads=-1),
        lambda: trident.Model(data, threads=1 << 40),
        lambda: trident.Model(data, threads="two"),
        lambda: trident.Model(data, device="toaster"),
        lambda: trident.Model(data, device="\0"),
        lambda: trident.Model(data, memory_limit=-1),
        lambda: trident.Model(data, time_limit=0),
        lambda: trident.Model(data, time_limit=float("nan")),
        lambda: trident.Model(data, precision="f16"),
        lambda: trident.Model("a\0b"),
        lambda: trident.Model(data, option=1),
    ]
    w.refused(rng.choice(wrong))


def load_mutant(w, rng):
    kind, other = some_kind(rng), some_kind(rng)
    data = mutate(rng, kind.file, other.file, onnx.ModelProto)
    given = data if rng.random() < 0.5 else w.path(data)
    made = w.either(lambda: trident.Model(given, memory_limit=1 << 28, time_limit=5.0))
    if made is not None:
        w.either(lambda: made.run(feed(rng, kind)))
        w.either(lambda: (repr(made), made.inputs, made.outputs, made.info, made.inspect()))


def run(w, rng):
    kind, m = model(w, rng)
    given = feed(rng, kind)
    for value in given.values():
        w.keep(value)
    formed = {name: arrays.form(numbers(rng), np.asarray(v)) for name, v in given.items()}
    expected = kind.compute(given)
    way = rng.randrange(4)
    if way == 0 and len(formed) == len(m.inputs):
        result = w.right(lambda: m(*formed.values()))
    elif way == 1:
        result = w.right(lambda: m(**formed))
    elif way == 2:
        profile = w.right(lambda: m.profile(**formed))
        result = profile.results
    else:
        wanted = rng.choice([None, list(expected), [next(iter(expected))], []])
        result = w.right(lambda: m.run(formed, outputs=wanted))
        names = list(expected) if wanted is None else wanted
        if list(result) != [name for name in kind.outputs if name in names]:
            raise Wrong(f"outputs {list(result)} for {wanted}")
        w.check(result, {name: expected[name] for name in names})
        return
    several = result if isinstance(result, tuple) else (result,)
    w.check(dict(zip(kind.outputs, several)), expected)


def run_wrong(w, rng):
    kind, m = model(w, rng)
    given = feed(rng, kind)
    gen = numbers(rng)
    if given and rng.random() < 0.6:
        name = rng.choice(list(given))
        given[name] = arrays.wrong(gen, np.asarray(given[name]))
        # A value of another rank or a list may fit.
        w.either(lambda: m.run(given))
        return
    wrong = [
        lambda: m.run({**given, "no such": np.zeros(1)}),
        lambda: m.run({**given, 3: np.zeros(1)}),
        lambda: m.run({**given, "\ud800": np.zeros(1)}),
        lambda: m.run(list(given.values())),
        lambda: m.run(None),
        lambda: m.run(),
        lambda: m.run(given, outputs=["no such"]),
        lambda: m.run(given, outputs="y"),
        lambda: m.run(given, outputs=3),
        lambda: m.run(given, out={"no such": np.zeros(1)}),
        lambda: m.run(given, out=[np.zeros(1)]),
        lambda: m.run(given, stop=1),
        lambda: m(*given.values(), 1, 2, 3),
        lambda: m(**given, surely_not=1),
    ]
    w.refused(rng.choice(wrong))


def run_out(w, rng):
    kind, m = model(w, rng)
    given = feed(rng, kind, rng.choice([1, 2, 5]))
    expected = kind.compute(given)
    name = rng.choice(list(expected))
    if not isinstance(expected[name], np.ndarray) or expected[name].dtype == object:
        return
    if rng.random() < 0.6:
        place = np.zeros_like(expected[name], order="C")
        result = w.right(lambda: m.run(given, out={name: place}), expected)
        if result[name] is not place:
            raise Wrong("the result is not the array of `out`")
        return
    taken = next(iter(given.values()), None)
    place = arrays.wrong_place(numbers(rng), expected[name], taken)
    w.refused(lambda: m.run(given, out={name: place}))


def run_async(w, rng):
    kind, m = model(w, rng)
    feeds = [feed(rng, kind) for _ in range(rng.randrange(1, 4))]
    ends = rng.random() < 0.4

    async def all_of_them():
        tasks = [asyncio.ensure_future(m.run_async(given)) for given in feeds]
        if ends:
            await asyncio.sleep(rng.choice([0, 0.0005]))
            tasks[0].cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    for given, result in zip(feeds, w.right(lambda: asyncio.run(all_of_them()))):
        if isinstance(result, asyncio.CancelledError) and ends:
            continue
        if isinstance(result, BaseException):
            raise Wrong(f"a task of run_async raised {result!r}")
        w.check(result, kind.compute(given))


def run_in_threads(w, rng):
    kind, m = model(w, rng)
    feeds = [feed(rng, kind) for _ in range(3)]
    closes, failures = rng.random() < 0.3, []

    def work(given):
        expected = kind.compute(given)
        try:
            for _ in range(5):
                (w.either if closes else w.right)(lambda: m.run(given), expected)
        except Wrong as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=[given]) for given in feeds]
    for thread in threads:
        thread.start()
    if closes:
        m.close()
    for thread in threads:
        thread.join()
    for failure in failures:
        raise failure


def resize_while_lent(w, rng):
    kind, m = model(w, rng)
    given = feed(rng, kind, 5)
    if not given:
        return
    expected = kind.compute(given)
    name = rng.choice(list(given))
    array = np.array(given[name], order="C", copy=True)
    given[name] = array
    size = (0, *array.shape[1:])
    over = threading.Event()

    def shrink():
        while not over.is_set():
            try:
                array.resize(size, refcheck=False)
                return
            except ValueError:
                continue

    thread = threading.Thread(target=shrink)
    thread.start()
    try:
        result = w.either(lambda: m.run(given))
    finally:
        over.set()
        thread.join()
    if result is not None and array.shape != size:
        w.check(result, expected)


def run_hostile(w, rng):
    kind, m = model(w, rng)
    given = feed(rng, kind)
    if not given:
        return
    name = rng.choice(list(given))
    array = np.asarray(given[name])

    def hostility():
        raise arrays.Hostility

    acts = [m.close, given.clear, lambda: given.update(more=array), hostility, lambda: None]
    answers = [None, object(), array, 3]
    if array.dtype not in (object, np.bool_):
        answers.append(array.__dlpack__() if array.size else None)
    given[name] = arrays.Hostile(rng.choice(acts), rng.choice(answers))
    w.either(lambda: m.run(given))


def interrupt(w, rng):
    kind, m = model(w, rng)
    given = feed(rng, kind)
    result = w.interrupted(lambda: m.run(given), rng.choice([1e-5, 1e-4, 1e-3]))
    if result is not None:
        w.check(result, kind.compute(given))
    w.right(lambda: m.run(given), kind.compute(given))


def copies(w, rng):
    kind, m = model(w, rng)
    ways = [copy.copy, copy.deepcopy, trident.Model, lambda m: pickle.loads(pickle.dumps(m))]
    w.add("model", kind, w.right(lambda: rng.choice(ways)(m)))


def compile_model(w, rng):
    kind, m = model(w, rng)
    path = w.folder / f"{len(list(w.folder.iterdir()))}.mps"
    w.right(lambda: m.compile(path))
    if rng.random() < 0.5:
        w.add("model", kind, w.right(lambda: trident.Model(path)))
        return
    damaged = mutate(rng, path.read_bytes(), kind.file, onnx.ModelProto)
    w.either(lambda: trident.Model(damaged))


def look(w, rng):
    kind, m = model(w, rng)
    given = feed(rng, kind)
    shapes = {name: np.shape(value) for name, value in given.items()}
    names = w.right(lambda: [output.name for output in m.outputs])
    if names != list(kind.outputs):
        raise Wrong(f"the outputs are {names}")
    w.right(lambda: (repr(m), str(m.inputs), m.metadata, m.info, m.copied_bytes, m.origin))
    w.right(lambda: str(m.inspect(rng.choice([None, shapes]))))
    wrong = {"x": rng.choice([(-1,), (1 << 62, 1 << 62), "a", 3, (1,) * 99])}
    w.either(lambda: m.inspect(wrong))


def close(w, rng):
    kind, m = model(w, rng)
    given = feed(rng, kind)
    if rng.random() < 0.5:
        with m:
            w.right(lambda: m.run(given), kind.compute(given))
    m.close()
    m.close()
    calls = [lambda: m.run(given), lambda: m.inputs, lambda: copy.copy(m), lambda: pickle.dumps(m)]
    w.refused(rng.choice(calls))


def delete(w, rng):
    w.drop(rng, "model")


def write(w, rng):
    """Write to one result, which changes no other array."""
    w.check_kept()
    places = [i for i, (v, _) in enumerate(w.kept) if isinstance(v, np.ndarray) and v.size]
    if places:
        at = rng.choice(places)
        value = w.kept[at][0]
        if value.flags.writeable:
            value[...] = value.flat[-1]
            w.kept = [(v, v.copy() if v is value else before) for v, before in w.kept]
            w.check_kept()


def fork(w, rng):
    kind, m = model(w, rng)
    given = feed(rng, kind)
    expected = kind.compute(given)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            result = m.run(given)
            status = 0 if all(arrays.equal(result[n], v) for n, v in expected.items()) else 2
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if status != 0:
        raise Wrong(f"the forked child ended with status {status}")


CALLS = [load, load_wrong, load_mutant, run, run_wrong, run_out, run_async, run_in_threads,
         resize_while_lent, run_hostile, interrupt, copies, compile_model, look, close, delete,
         write, fork]  # fmt: skip
PROGRAMS = [
    ["load", "look", "run", "run", "close"],
    ["load", "run_out", "run_out", "write", "delete"],
    ["load", "copies", "run_in_threads", "delete", "run"],
    ["load", "run_async", "interrupt", "run", "resize_while_lent", "run"],
    ["load", "compile_model", "run", "load_mutant", "load_wrong", "run_wrong"],
]
