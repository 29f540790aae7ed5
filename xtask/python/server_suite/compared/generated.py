"""The endpoints `generate` and `generate_stream`."""

from .models import failing, pair, same


def _generate(t, body, action="generate", **headers):
    t.post(f"/v2/models/{t.name}/{action}", body, **headers)


def generate(t):
    t.serve(same, batch=0)
    for body in ({"INPUT0": [1, 2]}, {"INPUT0": 1}, {"INPUT0": 1.5, "id": "a"},
                 {"INPUT0": [1], "id": 7}, {"INPUT0": [[1, 2]]}, {"INPUT0": []}, {"INPUT0": "x"},
                 {"INPUT0": None}, {"INPUT0": {"a": 1}}):  # fmt: skip
        _generate(t, body)


def generate_stream(t):
    t.serve(same, batch=0)
    _generate(t, {"INPUT0": [1, 2], "id": "a"}, "generate_stream")
    _generate(t, {"INPUT0": "x"}, "generate_stream")
    _generate(t, {}, "generate_stream")


def generate_with_parameters(t):
    t.serve(same, batch=0)
    for more in ({"x": 1}, {"x": "y"}, {"x": True}, {"x": 1.5}, {"x": [1]}, {"x": None},
                 {"x": {"y": 1}}, {"parameters": {"x": 1}}, {"parameters": {"x": [1]}},
                 {"parameters": 7}, {"timeout": 5000000}, {"priority": 1}, {"triton_x": 1},
                 {"sequence_id": "x"}, {"binary_data_output": True}):  # fmt: skip
        _generate(t, {"INPUT0": [1], **more})


def generate_texts(t):
    t.serve(same, batch=0, kind="BYTES")
    _generate(t, {"INPUT0": "ä"})
    _generate(t, {"INPUT0": ["a", "b"]})
    _generate(t, {"INPUT0": 5})
    _generate(t, {"INPUT0": "ä\n\n"}, "generate_stream")


def generate_of_two_outputs(t):
    t.serve(pair)
    _generate(t, {"INPUT0": [1, 2], "INPUT1": [3, 4]})
    _generate(t, {"INPUT1": [1, 2], "INPUT0": [3, 4], "id": "x"}, "generate_stream")
    _generate(t, {"INPUT0": [1, 2], "INPUT1": [3]})


def generate_with_batch(t):
    t.serve(same)
    _generate(t, {"INPUT0": [1, 2, 3]})
    _generate(t, {"INPUT0": 1})


def generate_that_fails(t):
    t.serve(failing)
    _generate(t, {"INPUT0": 99})
    _generate(t, {"INPUT0": 99}, "generate_stream")


def generate_in_versions(t):
    name = t.serve(same, batch=0)
    t.post(f"/v2/models/{name}/versions/1/generate", {"INPUT0": 1})
    t.post(f"/v2/models/{name}/versions/3/generate", {"INPUT0": 1})
    _generate(t, {"INPUT0": 1}, Accept_Encoding="gzip")
    _generate(t, {"INPUT0": 1}, Content_Type="text/plain")


def generate_without_model(t):
    t.post("/v2/models/nobody/generate", {"INPUT0": 1})
    t.post("/v2/models/nobody/generate_stream", {"INPUT0": 1})
    t.get("/v2/models/nobody/generate_stream")
