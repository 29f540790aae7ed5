"""Configurations of upstream's tests: those that must be refused, and those that must load.

`qa/L0_model_config` has a folder for each, with the texts that the Triton Inference Server logs, or
with the configuration that clients then see. A refusal in other words passes; how many have
upstream's is printed. Models of backends that this server does not have are left out.
"""

import json
import pathlib
import re
import shutil
import subprocess
from collections import Counter

from google.protobuf import json_format, text_format
from tritonclient.grpc import model_config_pb2

from backend_suite.client import Http

from ..server import Server
from . import fitting, generators

QA = "qa/L0_model_config"
REFUSED = ("common", "custom", "ensemble", "onnx")
LOADED = ("custom", "ensemble", "onnx")
ELSEWHERE = ("openvino", "python", "pytorch", "tensorrt")
BUILT_IN = ("identity", "repeat", "sequence", "dyna_sequence", "query")
LIMIT = 60
# Characters that have no meaning in the expressions of `grep`, but in Python's.
PLAIN = re.compile(r"[(){}+?|]")


def run(suite, checkouts):
    folder, qa = suite.folder / "configurations", checkouts.server / QA
    words = Counter()
    for case, options, models in refused(folder, qa, checkouts):
        suite.check(case, lambda c=case, o=options, m=models: is_refused(suite, m, o, words, c))
    for case, models in loaded(folder, qa, checkouts):
        suite.check(case, lambda c=case, m=models: is_loaded(suite, folder, c, m))
    for case, models in elsewhere(folder, checkouts.server / "qa"):
        suite.check(case, lambda m=models: loads(suite, m))
    left = sum(
        len(list((qa / part / name).iterdir()))
        for part in ("autofill_noplatform", "autofill_noplatform_success")
        for name in ELSEWHERE
    )
    print(f"configurations: {dict(words)}; {left} of {', '.join(ELSEWHERE)} are left out")


def placed(folder, case, source):
    """A repository with a model, or with the models of a folder without a configuration."""
    models = folder / re.sub(r"\W+", "_", case)
    if (source / "config.pbtxt").exists() or source.name.startswith("no_config"):
        shutil.copytree(source, models / source.name)
        places = [models / source.name]
    else:
        shutil.copytree(source, models)
        places = [place for place in models.iterdir() if place.is_dir()]
    for place in places:
        (place / "1").mkdir(exist_ok=True)
    return models


def refused(folder, qa, checkouts):
    """(case, options, repository) of what upstream refuses."""
    for source in sorted((qa / "noautofill_platform").iterdir()):
        case = f"noautofill_platform/{source.name}"
        models = placed(folder, case, source)
        file = models / source.name / "config.pbtxt"
        kept = [line for line in file.read_text().splitlines() if "platform:" not in line]
        file.write_text("\n".join([*kept, 'platform: "onnxruntime_onnx"', ""]))
        fitting.write(file)
        yield case, ["--disable-auto-complete-config"], models
    for kind in REFUSED:
        for source in sorted((qa / "autofill_noplatform" / kind).iterdir()):
            case = f"autofill_noplatform/{kind}/{source.name}"
            yield case, [], placed(folder, case, source)
    file = generators.models(checkouts, "qa_model") / "onnx_float32_float32_float32/1/model.onnx"
    for source in sorted((qa / "special_cases").iterdir()):
        case = f"special_cases/{source.name}"
        models = placed(folder, case, source)
        if source.name == "invalid_platform":
            shutil.copy(file, models / source.name / "1")
        yield case, ["--disable-auto-complete-config"], models


def loaded(folder, qa, checkouts):
    """(case, repository) of what upstream completes and loads."""
    file = generators.models(checkouts, "qa_identity") / "onnx_zero_1_float16/1/model.onnx"
    for kind in LOADED:
        for source in sorted((qa / "autofill_noplatform_success" / kind).iterdir()):
            case = f"autofill_noplatform_success/{kind}/{source.name}"
            models = placed(folder, case, source)
            if source.name == "cpu_instance":
                shutil.copy(file, models / source.name / "1")
            yield case, models


def elsewhere(folder, qa):
    """(case, repository) of models of built-in backends in the folders of other tests."""
    for file in sorted(qa.rglob("config.pbtxt")):
        backend = re.search(r'^backend: *"(\w+)"', file.read_text(), re.MULTILINE)
        if backend and backend[1] in BUILT_IN and "L0_model_config" not in file.parts:
            case = str(file.parent.relative_to(qa))
            models = placed(folder, case, file.parent)
            name = re.search(r'^name: *"([^"]+)"', file.read_text(), re.MULTILINE)
            if name:
                (models / file.parent.name).rename(models / name[1])
            yield case, models


def check(suite, models, options=()):
    """`trident serve --check` of a repository: its status and what it says."""
    ended = subprocess.run(
        [suite.trident, "serve", models, "--check", *options],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    return ended.returncode, ended.stdout + ended.stderr


def is_refused(suite, models, options, words, case):
    status, said = check(suite, models, options)
    assert status == 1, f"status {status}, although upstream refuses it: {expected(models)}"
    assert "panicked" not in said and "bug in Trident" not in said, said[-300:]
    same = any(re.search(text, said) for text in expected(models))
    words["refused in upstream's words" if same else "in other words"] += 1
    if not same and suite.options.verbose:
        print(f"{case}: {expected(models)} is here: {said[-300:]}")


def expected(models):
    """The expressions of `grep` in a repository's files `expected`."""
    files = [file for file in sorted(models.rglob("expected*")) if file.is_file()]
    assert files, f"{models} says nothing about what is expected"
    lines = [line for file in files for line in file.read_text().splitlines() if line.strip()]
    return [PLAIN.sub(r"\\\g<0>", line) for line in lines]


def loads(suite, models):
    status, said = check(suite, models)
    assert status == 0, f"status {status}: {said[-300:]}"


def is_loaded(suite, folder, case, models):
    name = pathlib.Path(case).name
    texts = [file.read_text() for file in sorted((models / name).glob("expected*"))]
    wanted = [plain(text_format.Parse(text, model_config_pb2.ModelConfig())) for text in texts]
    with Server(suite.trident, models, folder / f"{models.name}.log") as running:
        client = Http(running.port("HTTP"))
        found = client.get(f"/v2/models/{name}/config")
        client.close()
    found = plain(json_format.ParseDict(found, model_config_pb2.ModelConfig()))
    assert found in wanted, difference(found, wanted)


def plain(message):
    """The fields of a configuration, without instances: upstream's tests have a GPU."""
    fields = json.loads(json_format.MessageToJson(message, preserving_proto_field_name=True))
    fields.pop("instance_group", None)
    return fields


def difference(found, wanted):
    """The fields of a configuration that differ from the most similar one."""
    lists = [
        {
            key: (found.get(key), one.get(key))
            for key in {*found, *one}
            if found.get(key) != one.get(key)
        }
        for one in wanted
    ]
    return f"(here, upstream) of fields: {min(lists, key=len)}"
