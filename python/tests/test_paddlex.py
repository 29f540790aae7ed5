"""The engine of PaddleX, with stand-ins for PaddleX and PaddleOCR."""

import importlib
import importlib.util
import pathlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from onnx_bytes import model, node, tensor_type

DATA = pathlib.Path(__file__).resolve().parents[1] / "trident.data/purelib"

#: As much of PaddleX as the engine needs, in the places where PaddleX has it.
PADDLEX = {
    "pydantic.py": """
        class BaseModel:
            pass

        ConfigDict = dict

        def Field(default, **rules):
            return default
    """,
    "paddlex/__init__.py": "__version__ = '3.7.2'",
    "paddlex/inference/__init__.py": "",
    "paddlex/inference/models/__init__.py": "from . import bindings, engines, runners, utils",
    "paddlex/inference/models/engines/__init__.py": """
        class RunnerEngine:
            def __init_subclass__(cls):
                KNOWN[cls.entities] = cls

            def _apply_device(self, raw, device):
                if device:
                    raw["device_type"] = device.partition(":")[0]

        KNOWN = {}
    """,
    "paddlex/inference/models/bindings.py": """
        class Binding:
            def __init__(self, predictor):
                self.predictor = predictor

        class default_registry:
            _registry = {
                "det": {"paddle_static": Binding("a")},
                "rec": {"onnxruntime": Binding("b")},
                "doc": {"transformers": Binding("c")},
            }
    """,
    "paddlex/inference/models/runners/__init__.py": """
        class InferenceRunner:
            pass
    """,
    "paddlex/inference/models/runners/utils.py": """
        def sort_inputs(inputs, names):
            order = sorted(range(len(names)), key=names.__getitem__)
            return [inputs[order.index(i)] for i in range(len(inputs))]
    """,
    "paddlex/inference/models/utils/__init__.py": "",
    "paddlex/inference/models/utils/model_paths.py": """
        def get_model_paths(folder):
            return {"onnx": folder / "inference.onnx"}
    """,
    "paddleocr/__init__.py": "",
    "paddleocr/_common_args.py": "SUPPORTED_INFERENCE_ENGINE_LIST = ['paddle', 'onnxruntime']",
}

STAND_INS = {name.partition("/")[0].removesuffix(".py") for name in PADDLEX}


@pytest.fixture
def packages(tmp_path):
    """A folder with the stand-ins and the import hook."""
    for name, text in PADDLEX.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
    for file in DATA.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def run(folder, code, ok=True):
    """What a program prints whose site-packages are the folder; what it says where it fails."""
    start = f"import site, sys; sys.path.insert(0, {str(folder)!r}); site.addsitedir(sys.path[0])\n"
    done = subprocess.run(
        [sys.executable, "-c", start + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode == 0) == ok, done.stderr
    return done.stdout if ok else done.stderr


def test_the_import_of_paddlex_registers_the_engine(packages):
    out = run(
        packages,
        """
        import sys
        assert "trident" not in sys.modules
        finders = len(sys.meta_path)
        import paddlex.inference.models as models
        from paddleocr import _common_args

        print(sorted(models.engines.KNOWN), _common_args.SUPPORTED_INFERENCE_ENGINE_LIST[-1])
        registry = models.bindings.default_registry._registry
        print([model for model, bound in registry.items() if "trident" in bound])
        print(registry["det"]["trident"].predictor, finders - len(sys.meta_path))
        """,
    )
    assert out == "['trident'] trident\n['det', 'rec']\na 2\n"


def test_a_program_without_paddlex_imports_nothing_of_ours(packages):
    assert run(packages, "import sys, json; print('trident' in sys.modules)") == "False\n"


def test_registering_twice_is_registering_once(packages):
    code = "import trident.paddlex as t; print(t.register(), t.register())"
    assert run(packages, code) == "2 2\n"


def test_a_paddlex_without_engines_still_works_and_the_error_lists_versions(packages):
    (packages / "paddlex/inference/models/engines/__init__.py").unlink()
    (packages / "paddlex/inference/models/__init__.py").write_text("HERE = 1\n")
    code = """
        import warnings
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            from paddlex.inference.models import HERE
        print(HERE, len(seen))
        import trident.paddlex
        trident.paddlex.register()
    """
    said = run(packages, code, ok=False)
    assert "3.5.2, 3.6.0, 3.7.2" in said and "pip install" in said


def test_without_paddlex_the_error_says_what_to_install(tmp_path):
    code = "sys.modules['paddlex'] = None; import trident.paddlex as t; t.register()"
    said = run(tmp_path, code, ok=False)
    assert "pip install 'trident[paddleocr]'" in said


def engine_of(packages, monkeypatch):
    """The engine, made from the stand-ins."""
    monkeypatch.syspath_prepend(str(packages))
    paddlex = importlib.import_module("trident.paddlex")
    paddlex.register()
    engines = importlib.import_module("paddlex.inference.models.engines")
    return engines.KNOWN["trident"]()


@pytest.fixture
def engine(packages, monkeypatch):
    yield engine_of(packages, monkeypatch)
    for name in [
        name for name in sys.modules if name.partition(".")[0] in ("paddlex", "paddleocr")
    ]:
        del sys.modules[name]


def build(engine, folder, **config):
    return engine.get_default_runner_builder()(
        model_name="add", model_dir=folder, model_config=None, engine_config=config
    )


def write_model(folder):
    """A model that computes `b - a`, and has its inputs in this order."""
    floats = tensor_type("float32", [None, 3])
    nodes = [node("Sub", ["b", "a"], ["c"])]
    file = folder / "inference.onnx"
    file.write_bytes(model(nodes, {"b": floats, "a": floats}, {"c": floats}, opset=14, version=8))


def test_a_model_runs_with_its_inputs_in_the_order_of_their_names(engine, tmp_path):
    write_model(tmp_path)
    runner = build(engine, tmp_path, threads=1, memory_limit=1 << 20)
    ones = np.ones((2, 3), np.float32)
    (found,) = runner([ones, ones * 3])  # those of `a`, then of `b`
    assert (found == 2).all()
    with pytest.raises(ValueError, match="has the inputs"):
        runner([ones] * 5)
    runner.close()


def test_a_cache_keeps_the_compiled_model(engine, tmp_path):
    write_model(tmp_path)
    cache = tmp_path / "cache"
    build(engine, tmp_path, cache_dir=cache).close()
    (entry,) = cache.iterdir()
    made = entry.stat().st_mtime_ns
    build(engine, tmp_path, cache_dir=cache).close()
    assert [file.stat().st_mtime_ns for file in cache.iterdir()] == [made]
    entry.write_bytes(b"damaged")
    build(engine, tmp_path, cache_dir=cache).close()
    assert entry.read_bytes() != b"damaged"


def test_a_device_that_we_do_not_have_is_an_error(engine, tmp_path):
    raw = engine.prepare_config_dict({}, device="gpu:0")
    with pytest.raises(ValueError, match=r"no device for 'gpu'.*engine_config"):
        build(engine, tmp_path, **raw)


@pytest.mark.skipif(
    importlib.util.find_spec("paddlex") is None,
    reason="needs PaddleX: cargo xtask env paddleocr",
)
def test_paddlex_itself_binds_its_models(tmp_path):
    for file in DATA.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    code = """
        import paddlex.inference.models as models
        registry = models.bindings.default_registry._registry
        print(sum("trident" in bound for bound in registry.values()) > 250, "paddle" in sys.modules)
    """
    assert run(tmp_path, code).endswith("True False\n")
