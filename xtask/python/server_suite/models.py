"""Models of the groups that start servers of their own."""

from onnx import TensorProto, helper

from backend_suite import repository

from . import replay


def add_builtin(models, name, text):
    """Add a model of a built-in backend, which has no file."""
    models.add(name, None, text)


def add_echo(models, name="echo", milliseconds=0, extra=""):
    """Add OUTPUT0 = INPUT0 of any length, answered after a time that takes no core."""
    tensor = ("FP32", [-1])
    delay = f'parameters {{ key: "execute_delay_ms" value {{ string_value: "{milliseconds}" }} }}'
    text = repository.configuration(
        {"INPUT0": tensor}, {"OUTPUT0": tensor}, "identity", 8, f"{delay}\n{extra}"
    )
    add_builtin(models, name, text)


def add_recorded(models, *names):
    """Add models of the recordings, those of built-in backends included."""
    for name in names:
        [folder] = replay.FOLDER.glob(f"*/{name}")
        file = folder / "1/model.onnx"
        file = file if file.exists() else None
        models.add(name, file, (folder / "config.pbtxt").read_text())


def parameter(key, value):
    return f'parameters {{ key: "{key}" value {{ string_value: "{value}" }} }}'


def ensemble(inputs, outputs, steps, extra=""):
    """The configuration of an ensemble; steps are (model, {input: tensor}, {output: tensor})."""
    lines = ['platform: "ensemble"', extra]
    for field, part in (("input", inputs), ("output", outputs)):
        texts = (repository.tensor_text(name, *kind) for name, kind in part.items())
        lines += [f"{field} {{ {text} }}" for text in texts]
    lines.append("ensemble_scheduling {")
    for model, *maps in steps:
        entries = [
            f'{field}_map {{ key: "{key}" value: "{value}" }}'
            for field, part in zip(("input", "output"), maps, strict=True)
            for key, value in part.items()
        ]
        lines.append(f'step {{ model_name: "{model}" model_version: -1 {" ".join(entries)} }}')
    return "\n".join([*lines, "}", ""])


def add_words(models, name="words"):
    """Add a model for OpenAI's embeddings: it counts the words "sun" and "rain" of texts of one."""
    node = helper.make_node(
        "TfIdfVectorizer",
        ["text"],
        ["vector"],
        mode="TF",
        min_gram_length=1,
        max_gram_length=1,
        max_skip_count=0,
        ngram_counts=[0],
        ngram_indexes=[0, 1],
        pool_strings=["sun", "rain"],
    )
    inputs, outputs = {"text": ("BYTES", [1])}, {"vector": ("FP32", [2])}
    graph = repository.model([node], repository.batched(inputs), repository.batched(outputs))
    mark = parameter("openai", "embeddings")
    models.add(name, graph, repository.configuration(inputs, outputs, batch=2, extra=mark))


def add_numbers(models, name="numbers"):
    """Add a model for OpenAI's completions: an answer for each number of its prompt."""
    text, number = ("BYTES", [1]), ("UINT32", [1])
    numbers = {key: ("UINT32", ["n"]) for key in ("IN", "DELAY", "WAIT")}
    split = repository.model(
        [
            helper.make_node("StringSplit", ["text"], ["rows", "lengths"], delimiter=" "),
            helper.make_node("Constant", [], ["flat"], value_ints=[-1]),
            helper.make_node("Reshape", ["rows", "flat"], ["list"]),
            helper.make_node("Cast", ["list"], ["IN"], to=TensorProto.UINT32),
            helper.make_node("Sub", ["IN", "IN"], ["DELAY"]),
            helper.make_node("Identity", ["DELAY"], ["WAIT"]),
        ],
        {"text": text},
        numbers,
    )
    models.add(f"{name}_split", split, repository.configuration({"text": text}, numbers))
    policy = "model_transaction_policy { decoupled: true }"
    given = {"OUT": number, "IDX": number}
    configuration = repository.configuration(numbers, given, "repeat", extra=policy)
    add_builtin(models, f"{name}_repeat", configuration)
    cast = helper.make_node("Cast", ["number"], ["text"], to=TensorProto.STRING)
    speak = repository.model([cast], {"number": number}, {"text": text})
    configuration = repository.configuration({"number": number}, {"text": text})
    models.add(f"{name}_speak", speak, configuration)
    tensors = {key: key.lower() for key in numbers}
    steps = [
        (f"{name}_split", {"text": "text_input"}, tensors),
        (f"{name}_repeat", tensors, {"OUT": "out"}),
        (f"{name}_speak", {"number": "out"}, {"text": "text_output"}),
    ]
    chat = [parameter(f"chat_{role}", "{} ") for role in ("system", "user", "assistant")]
    extra = "\n".join(
        [policy, parameter("openai", "completions"), parameter("chat_answer", "9"), *chat]
    )
    add_builtin(models, name, ensemble({"text_input": text}, {"text_output": text}, steps, extra))
