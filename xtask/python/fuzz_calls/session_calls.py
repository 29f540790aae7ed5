"""Calls of ``trident.onnxruntime``."""

import json
import os
import pathlib
import threading

import numpy as np
import onnx

import trident.onnxruntime as ort
from fuzz.mutate import mutate
from trident.onnxruntime.errors import _Status

from . import arrays
from .world import Wrong, feed, numbers, some_kind

ERRORS = (_Status, RuntimeError)


def options_for(w, rng):
    options = ort.SessionOptions()
    options.intra_op_num_threads = rng.choice([0, 1, 2])
    options.enable_profiling = rng.random() < 0.2
    options.profile_file_prefix = str(w.folder / "profile")
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if rng.random() < 0.1:
        options.optimized_model_filepath = str(w.folder / "optimized.onnx")
    return options


def session(w, rng):
    kind = some_kind(rng)
    given = kind.file if rng.random() < 0.5 else str(w.path(kind.file))
    providers = rng.choice([None, ["CPUExecutionProvider"], ort.get_available_providers()])
    options = rng.choice([None, options_for(w, rng)])

    def make():
        return ort.InferenceSession(given, options, providers=providers)

    return w.add("session", kind, w.right(make))


def session_wrong(w, rng):
    data = some_kind(rng).file

    def with_option(name, value):
        options = ort.SessionOptions()
        setattr(options, name, value)
        return ort.InferenceSession(data, options)

    wrong = [
        lambda: ort.InferenceSession(str(w.folder / "missing.onnx")),
        lambda: ort.InferenceSession(b"not a model"),
        lambda: ort.InferenceSession(None),
        lambda: ort.InferenceSession(3),
        lambda: ort.InferenceSession(data, 3),
        lambda: ort.SessionOptions().register_custom_ops_library("x.so"),
        lambda: ort.SessionOptions().add_session_config_entry("", "1"),
        lambda: ort.SessionOptions().add_session_config_entry(1, 2),
        lambda: ort.SessionOptions().get_session_config_entry("no such"),
        lambda: ort.SessionOptions().add_initializer("x", np.zeros(1)),
        lambda: ort.SessionOptions().add_free_dimension_override_by_name("N", "three"),
        lambda: ort.SparseTensor(),
        lambda: with_option("intra_op_num_threads", "two"),
        lambda: with_option("enable_profiling", None),
    ]
    w.refused(rng.choice(wrong))


def session_mutant(w, rng):
    kind, other = some_kind(rng), some_kind(rng)
    data = mutate(rng, kind.file, other.file, onnx.ModelProto)
    limits = [("TridentExecutionProvider", {"memory_limit": 1 << 28, "time_limit": 5})]
    made = w.either(lambda: ort.InferenceSession(data, providers=limits))
    if made is not None:
        w.either(lambda: made.run(None, feed(rng, kind)))


def listed(kind, given):
    """The numbers of NumPy in the outputs' order."""
    results = kind.compute(given)
    return [results[name] for name in kind.outputs]


def check(w, kind, results, given):
    w.check(dict(zip(kind.outputs, results, strict=True)), kind.compute(given))


def run(w, rng):
    kind, s = w.pick(rng, "session", session)
    given = feed(rng, kind)
    formed = {}
    for name, value in given.items():
        value = np.asarray(value)
        made = arrays.form(numbers(rng), value)
        formed[name] = value if isinstance(made, memoryview | list | arrays.Exporter) else made
    run_options = rng.choice([None, ort.RunOptions()])
    if rng.random() < 0.5:
        check(w, kind, w.right(lambda: s.run(None, formed, run_options)), given)
        return
    name = rng.choice(kind.outputs)
    (result,) = w.right(lambda: s.run([name], formed, run_options))
    w.check({name: result}, {name: kind.compute(given)[name]})


def run_wrong(w, rng):
    kind, s = w.pick(rng, "session", session)
    given = feed(rng, kind)
    if given and rng.random() < 0.5:
        name = rng.choice(list(given))
        given[name] = arrays.wrong(numbers(rng), np.asarray(given[name]))
        w.either(lambda: s.run(None, given))
        return
    ended = ort.RunOptions()
    ended.terminate = True
    wrong = [
        lambda: s.run(None, {**given, "no such": np.zeros(1)}),
        lambda: s.run(["no such"], given),
        lambda: s.run(None, None),
        lambda: s.run("y", given),
        lambda: s.run(None, given, 3),
        lambda: s.run(None, given, ended),
        lambda: s.run_with_ort_values(None, {"x": np.zeros(1)}),
        lambda: s.run_with_iobinding(None),
        lambda: s.run_async(None, given, 3, None),
        lambda: s.run_with_ortvaluevector(),
    ]
    w.either(rng.choice(wrong))


def terminate(w, rng):
    kind, s = w.pick(rng, "session", session)
    given = feed(rng, kind)
    run_options = ort.RunOptions()
    timer = threading.Timer(rng.choice([0, 1e-4, 1e-3]), setattr, [run_options, "terminate", True])
    timer.start()
    results = w.either(lambda: s.run(None, given, run_options))
    timer.join()
    if results is not None:
        check(w, kind, results, given)
    run_options.terminate = False
    check(w, kind, w.right(lambda: s.run(None, given, run_options)), given)


def run_async(w, rng):
    kind, s = w.pick(rng, "session", session)
    given, done, got = feed(rng, kind), threading.Event(), []

    def callback(results, data, error):
        got.extend([results, data, error])
        done.set()

    w.right(lambda: s.run_async(None, given, callback, 7))
    if not done.wait(30):
        raise Wrong("the callback of run_async was not called")
    if got[1:] != [7, ""]:
        raise Wrong(f"run_async called back with {got}")
    check(w, kind, got[0], given)


def values(w, rng):
    kind, s = w.pick(rng, "session", session)
    given = feed(rng, kind)
    if any(np.asarray(v).dtype == object for v in given.values()) or kind.name == "pair":
        return

    def make(v):
        return ort.OrtValue.ortvalue_from_numpy(np.array(v, order="C"))

    boxed = {name: w.right(lambda v=v: make(v)) for name, v in given.items()}
    results = w.right(lambda: s.run_with_ort_values(None, boxed))
    check(w, kind, [value.numpy() for value in results], given)
    w.made.setdefault("value", []).extend((kind, value) for value in [*boxed.values(), *results])


def value(w, rng):
    if not w.made.get("value"):
        return values(w, rng)
    _, v = rng.choice(w.made["value"])
    w.right(lambda: (v.shape(), v.data_type(), v.element_type(), v.is_tensor(), v.has_value()))
    array = v.numpy()
    if array.dtype != np.bool_ and not array.dtype == object:
        back = w.right(lambda: np.from_dlpack(v))
        if not arrays.equal(back, array):
            raise Wrong(f"DLPack gives {back!r} for {array!r}")
    other = np.ones_like(array) if rng.random() < 0.5 else rng.choice([np.zeros(99), "a", None])
    w.either(lambda: v.update_inplace(other))
    w.kept = (
        [(kept, before) for kept, before in w.kept if not np.shares_memory(kept, v.numpy())]
        if all(isinstance(kept, np.ndarray) for kept, _ in w.kept)
        else []
    )


def value_wrong(w, rng):
    wrong = [
        lambda: ort.OrtValue.ortvalue_from_numpy(None),
        lambda: ort.OrtValue.ortvalue_from_numpy(np.zeros(1), "cuda", 0),
        lambda: ort.OrtValue.ortvalue_from_numpy(np.zeros(1, "M8[s]")),
        lambda: ort.OrtValue.ortvalue_from_shape_and_type([-1], np.float32),
        lambda: ort.OrtValue.ortvalue_from_shape_and_type([1], "no such"),
        lambda: ort.OrtValue.ortvalue_from_numpy_with_onnx_type(np.zeros(1), 999),
        lambda: ort.OrtValue(3),
        lambda: ort.OrtValue.from_dlpack(3),
        lambda: ort.OrtValue.as_sparse_tensor(None),
    ]
    w.refused(rng.choice(wrong))


def bind(w, rng):
    kind, s = w.pick(rng, "session", session)
    given = feed(rng, kind, rng.choice([1, 3]))
    expected = kind.compute(given)
    whole = [*given.values(), *expected.values()]
    if any(isinstance(v, list) or np.asarray(v).dtype == object for v in whole):
        return
    binding = w.right(s.io_binding)
    given = {name: np.array(v, order="C") for name, v in given.items()}
    places = {}
    for name, v in given.items():
        w.right(lambda name=name, v=v: binding.bind_cpu_input(name, v))
    for name, v in expected.items():
        if rng.random() < 0.5:
            w.right(lambda name=name: binding.bind_output(name))
        else:
            place = np.zeros(v.shape, v.dtype)
            places[name] = place
            w.right(
                lambda name=name, p=place: binding.bind_output(
                    name, "cpu", 0, p.dtype, p.shape, p.ctypes.data
                )
            )
    w.right(lambda: s.run_with_iobinding(binding))
    results = dict(zip(expected, w.right(binding.copy_outputs_to_cpu), strict=True))
    w.check(results, expected)
    if any(not arrays.equal(place, expected[name]) for name, place in places.items()):
        raise Wrong("a result is not in the memory that was bound")
    w.add("binding", kind, binding)
    w.keep(list(places.values()))


def bind_wrong(w, rng):
    kind, binding = w.pick(
        rng,
        "binding",
        lambda w, rng: w.add(
            "binding", *[(k, s.io_binding()) for k, s in [w.pick(rng, "session", session)]][0]
        ),
    )
    place = np.zeros(2, np.float32)
    wrong = [
        lambda: binding.bind_cpu_input("no such", place),
        lambda: binding.bind_cpu_input("x", None),
        lambda: binding.bind_output("no such"),
        lambda: binding.bind_output(3),
        lambda: binding.bind_output("y", "cuda"),
        lambda: binding.bind_output("y", "cpu", 0, np.float32, [2], 0),
        lambda: binding.bind_output("y", "cpu", 0, np.float32, [-2], place.ctypes.data),
        lambda: binding.bind_ortvalue_input("x", 3),
        lambda: binding.bind_ortvalue_output("y", None),
        binding.copy_outputs_to_cpu,
        binding.get_outputs,
        binding.clear_binding_inputs,
        binding.clear_binding_outputs,
    ]
    w.either(rng.choice(wrong))
    del kind


def override(w, rng):
    kind = next(kind for kind in some_kinds(rng) if kind.optional)
    given = {**kind.make(numbers(rng), 2)}
    options = ort.SessionOptions()
    fixed = ort.OrtValue.ortvalue_from_numpy(given["y"])
    options.add_initializer("y", fixed)
    options.add_free_dimension_override_by_name("N", 2)
    s = w.right(lambda: ort.InferenceSession(kind.file, options))
    check(w, kind, w.right(lambda: s.run(None, {"x": given["x"]})), given)
    w.refused(lambda: s.run(None, {"x": np.zeros((3, 3), np.float32)}))


def some_kinds(rng):
    while True:
        yield some_kind(rng)


def profile(w, rng):
    _, s = w.pick(rng, "session", session)
    path = w.right(s.end_profiling)
    if path:
        events = json.loads(pathlib.Path(path).read_text())
        os.unlink(path)
        if not isinstance(events, list):
            raise Wrong("a profile is no list of events")


def look(w, rng):
    kind, s = w.pick(rng, "session", session)
    names = w.right(lambda: [each.name for each in s.get_outputs()])
    if names != list(kind.outputs):
        raise Wrong(f"the outputs are {names}")
    w.right(lambda: [(a.name, a.type, a.shape) for a in s.get_inputs()])
    w.right(lambda: [a.name for a in s.get_overridable_initializers()])
    w.right(lambda: (s.get_modelmeta().graph_name, s.get_providers(), s.get_provider_options()))
    if rng.random() < 0.3:
        w.right(lambda: s.set_providers(["CPUExecutionProvider"]))
    if rng.random() < 0.3:
        w.either(lambda: s.set_providers(rng.choice([3, ["No"], [("CPUExecutionProvider", 3)]])))


def delete(w, rng):
    w.drop(rng, rng.choice(["session", "binding", "value"]))


CALLS = [
    session,
    session_wrong,
    session_mutant,
    run,
    run_wrong,
    terminate,
    run_async,
    values,
    value,
    value_wrong,
    bind,
    bind_wrong,
    override,
    profile,
    look,
    delete,
]
PROGRAMS = [
    ["session", "look", "run", "run", "profile", "delete"],
    ["session", "values", "value", "run", "value_wrong"],
    ["session", "bind", "bind", "bind_wrong", "delete", "run"],
    ["session", "run_async", "terminate", "run", "override"],
    ["session_wrong", "session", "session_mutant", "run_wrong", "run"],
]
