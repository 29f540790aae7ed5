"""The Python examples of the repository `client`, unmodified, each in a process of its own.

The models are those of the repository `server`. `simple_identity` has Python there and runs on the
built-in backend here; `densenet_onnx` has a file of ONNX's own test data, since upstream's script
downloads one. An example passes if it ends with status 0 and says so where it has a word for it.
"""

import os
import pathlib
import shutil
import socket
import subprocess

import onnx

from backend_suite import repository
from checks import Skip

from ..models import add_builtin, add_recorded, ensemble
from ..server import Server, places_of

LIMIT = 120  # seconds of an example
EXAMPLES = "src/python/examples"
MODELS = "docs/examples/model_repository"
DENSENET = "light/light_densenet121.onnx"
PICTURES = "preprocess_inception_ensemble"
# Repositories of the examples that count models: all others have the models of the first.
COUNTED = {"simple_http_model_control.py": 7, "simple_grpc_model_control.py": 8}
# Arguments of all runs of an example; the others have one run without any. P is the picture.
RUNS = {
    "image_client.py": [
        f"-m densenet_onnx -c 3 -s INCEPTION {way} P"
        for way in ("", "-i grpc", "--async", "-i grpc --async", "-i grpc --streaming")
    ],
    "grpc_image_client.py": [
        f"-m densenet_onnx -c 3 -s INCEPTION {way} P" for way in ("", "--async", "--streaming")
    ],
    "ensemble_image_client.py": [f"-m {PICTURES} -c 3 P", f"-m {PICTURES} -i grpc -c 3 P"],
    "reuse_infer_objects_client.py": ["-i HTTP", "-i grpc"],
    "memory_growth_test.py": ["-i HTTP -r 20", "-i grpc -r 20"],
    "simple_grpc_infer_client.py": ["", "-C gzip", "-C deflate"],
    "simple_http_infer_client.py": [
        "",
        "--request-compression-algorithm gzip",
        "--request-compression-algorithm deflate",
        "--response-compression-algorithm gzip",
        "--response-compression-algorithm deflate",
        "-H Host:h -H a:b",
    ],
    "simple_grpc_sequence_stream_infer_client.py": ["", "--dyna"],
    "simple_grpc_aio_sequence_stream_infer_client.py": ["", "--dyna"],
    "simple_grpc_sequence_sync_infer_client.py": ["", "--dyna"],
    "simple_http_sequence_sync_infer_client.py": ["", "--dyna"],
}
REFUSED = {
    "simple_grpc_cudashm_client.py": "needs CUDA",
    "simple_http_cudashm_client.py": "needs CUDA",
}


def run(suite, checkouts, python):
    """Run each example; `python` has the packages that they import."""
    folder = suite.folder / "examples"
    files = sorted((checkouts.client / EXAMPLES).glob("*.py"))
    assert len(files) >= 25, f"{checkouts.client / EXAMPLES} has {len(files)} examples"
    models = repository.Repository(folder / "models")
    add_models(models, checkouts.server)
    # One example asks for the server's name.
    flags = (
        "--id=triton",
        "--model-control-mode=explicit",
        "--load-model=*",
        "--allow-client-shm=true",
    )
    with Server(suite.trident, models.folder, folder / "log", flags) as running:
        for file in files:
            if file.name in REFUSED:
                suite.record(file.stem, "SKIP", REFUSED[file.name])
                continue
            for options in RUNS.get(file.name, [""]):
                case = f"{file.name} {options}".rstrip()
                words = [file, *checkouts.arguments(options)]
                suite.check(case, chosen(suite, running, folder, python, words))
        suite.check("no panic in the log", running.no_panic)


def chosen(suite, running, folder, python, words):
    """The check of a run, on a server of its own if the example needs one."""
    name = words[0].name
    if name in COUNTED:
        return lambda: counted(suite, folder, python, words)
    if name == "memory_growth_test.py":
        return lambda: at_fixed_ports(suite, folder, python, words)
    return lambda: passes(running.places, python, words)


def passes(places, python, words):
    """Run an example, which must end well."""
    source = words[0].read_text()
    place = places["gRPC" if "grpc" in " ".join(map(str, words)) else "HTTP"]
    url = ["-u", place] if '"--url"' in source else []
    ended = subprocess.run(
        [python, *words, *url],
        env=os.environ | {"PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    said = (ended.stdout + ended.stderr)[-400:]
    assert ended.returncode == 0, f"status {ended.returncode}: {said}"
    if "PASS" in source:
        assert "PASS" in ended.stdout, f"it does not say PASS: {said}"


def counted(suite, folder, python, words):
    """An example that loads and unloads, on a repository of as many models as it expects."""
    name = words[0].name
    place = folder / pathlib.Path(name).stem
    wanted = COUNTED[name]
    for model in sorted((folder / "models").glob("simple*")):
        shutil.copytree(model, place / "models" / model.name)
    for number in range(wanted - len(list((place / "models").iterdir()))):
        shutil.copytree(folder / "models/simple_identity", place / f"models/more_{number}")
        (place / f"models/more_{number}/config.pbtxt").write_text("")
    flags = ("--model-control-mode=explicit",)
    with Server(suite.trident, place / "models", place / "log", flags) as running:
        passes(running.places, python, words)
        running.no_panic()


def at_fixed_ports(suite, folder, python, words):
    """An example that knows no other ports than 8000 and 8001."""
    for port in (8000, 8001):
        with socket.socket() as one:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                raise Skip(f"port {port} is in use, and the example knows no other") from None
    flags = [*places_of("http", "grpc"), "--http-port=8000", "--grpc-port=8001"]
    flags = [flag for flag in flags if not flag.endswith("port=0")]
    with Server(suite.trident, folder / "models", folder / "fixed.log", flags) as running:
        passes(running.places, python, words)
        running.no_panic()


def add_models(models, server):
    """Models of the examples."""
    for source in sorted((server / MODELS).glob("simple*")):
        place = models.folder / source.name
        shutil.copytree(source, place)
        if source.name == "simple_identity":
            (place / "1/model.py").unlink()
            text = (place / "config.pbtxt").read_text()
            (place / "config.pbtxt").write_text(text.replace('"python"', '"identity"'))
    densenet = models.folder / "densenet_onnx"
    shutil.copytree(server / MODELS / "densenet_onnx", densenet)
    (densenet / "1").mkdir(exist_ok=True)
    file = pathlib.Path(onnx.__file__).parent / "backend/test/data" / DENSENET
    shutil.copy(file, densenet / "1/model.onnx")
    qa = server / "qa/L0_client_memory_growth/models/custom_identity_int32"
    shutil.copytree(qa, models.folder / qa.name)
    (models.folder / qa.name / "1").mkdir(exist_ok=True)
    add_recorded(models, "repeat_int32")
    add_strings(models, server)
    add_pictures(models, server)


def add_strings(models, server):
    """Upstream's model of strings as correlation IDs, which its tests make in the same way."""
    source = server / "qa/custom_models/custom_dyna_sequence_int32"
    place = models.folder / "simple_string_dyna_sequence"
    (place / "1").mkdir(parents=True)
    text = (source / "config.pbtxt").read_text().replace(source.name, place.name)
    (place / "config.pbtxt").write_text(text.replace("TYPE_UINT64", "TYPE_STRING"))


def add_pictures(models, server):
    """An ensemble of a step that reads pictures and a network of any batch."""
    file = pathlib.Path(onnx.__file__).parent / "backend/test/data" / DENSENET
    network = onnx.load(file)
    for tensor in (*network.graph.input, *network.graph.output):
        if tensor.name in ("data_0", "fc6_1"):
            tensor.type.tensor_type.shape.dim[0].dim_param = "N"
    models.add("network", network, NETWORK)
    labels = server / MODELS / "densenet_onnx/densenet_labels.txt"
    shutil.copy(labels, models.folder / "network")
    add_builtin(models, "read", READ)
    steps = [
        ("read", {"file": "INPUT"}, {"pixels": "pixels"}),
        ("network", {"data_0": "pixels"}, {"fc6_1": "OUTPUT"}),
    ]
    tensors = {"INPUT": ("BYTES", [1])}, {"OUTPUT": ("FP32", [1000])}
    add_builtin(models, PICTURES, ensemble(*tensors, steps, "max_batch_size: 4"))


READ = """backend: "trident_image"
max_batch_size: 4
input { name: "file" data_type: TYPE_STRING dims: [ 1 ] }
output { name: "pixels" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
"""
NETWORK = """backend: "trident"
max_batch_size: 4
input { name: "data_0" data_type: TYPE_FP32 dims: [ 3, 224, 224 ] }
output {
  name: "fc6_1" data_type: TYPE_FP32 dims: [ 1000 ] reshape { shape: [ 1000, 1, 1 ] }
  label_filename: "densenet_labels.txt"
}
"""
