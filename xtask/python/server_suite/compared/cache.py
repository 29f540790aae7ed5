"""The response cache."""

from .models import add, ensemble, failing, pair, sums
from .talk import row, tensor, wanted

ON = "response_cache { enable: true }"
ONE, TWO = row(1, 2, 3, 4), row(4, 3, 2, 1)


def cache_of_a_model(t):
    t.serve(add, extra=ON)
    for x in (ONE, ONE, TWO, ONE):
        t.infer(x)
    t.stats()
    t.metrics(match="cache_num|count|success")


def cache_with_batcher(t):
    t.serve(add, extra=f"{ON} dynamic_batching {{ }}")
    for x in (ONE, ONE, TWO):
        t.infer(x)
    t.stats()


def cache_that_is_off(t):
    t.serve(add, extra="response_cache { enable: false }")
    for _ in range(2):
        t.infer(ONE)
    t.stats()


def cache_does_not_know_ids(t):
    t.serve(add, extra=ON)
    t.infer(ONE, id="a")
    t.infer(ONE, id="b")
    t.infer(ONE, parameters={"x": 1})
    t.infer(ONE, parameters={"priority": 1})
    t.stats()


def cache_knows_outputs(t):
    t.serve(pair, extra=ON)
    both = (row(1, 2, datatype="INT32"), row(3, 4, name="INPUT1", datatype="INT32"))
    t.infer(*both)
    t.infer(*both, outputs=[wanted("OUTPUT0")])
    t.infer(*both, outputs=[wanted("OUTPUT1")])
    t.infer(*reversed(both))
    t.stats()


def cache_knows_forms(t):
    """JSON, bytes and gRPC share entries."""
    import struct

    t.serve(add, extra=ON)
    t.infer(ONE)
    t.binary(tensor("INPUT0", "FP32", [1, 4], binary_data_size=16),
             data=struct.pack("<4f", 1, 2, 3, 4))  # fmt: skip
    t.rpc_infer(ONE)
    t.infer(ONE, outputs=[wanted("OUTPUT0", classification=2)])
    t.infer(ONE, parameters={"binary_data_output": True})
    t.stats()


def cache_knows_shapes(t):
    t.serve(add, extra=ON)
    t.infer(tensor("INPUT0", "FP32", [2, 4], [1] * 8))
    t.infer(tensor("INPUT0", "FP32", [1, 4], [1] * 4))
    t.infer(tensor("INPUT0", "FP32", [2, 4], [1] * 8))
    t.stats()


def cache_ends_with_the_model(t):
    t.serve(add, extra=ON)
    t.infer(ONE)
    t.unload()
    t.load()
    t.infer(ONE)
    t.stats()


def cache_keeps_no_failures(t):
    t.serve(failing, extra=ON)
    for _ in range(2):
        t.infer(row(99, datatype="INT64"))
    t.stats()


def cache_of_large_answers(t):
    """An answer that is larger than the cache is not kept."""
    from .models import same

    t.serve(same, extra=ON)
    x = tensor("INPUT0", "FP32", [1, 400_000], [1.5, *[0.5] * 399_999])
    for _ in range(2):
        t.infer(x, outputs=[wanted("OUTPUT0", classification=1)], parameters={"x": 1})
    t.stats()


def cache_of_sequences(t):
    sums(t.side.models, t.name, initial="zero")
    with (t.folder() / "config.pbtxt").open("a") as file:
        file.write(ON)
    t.post(f"/v2/repository/models/{t.name}/load")


def cache_of_an_ensemble(t):
    t.serve(add, name="cached_step")
    ensemble(
        t.side.models,
        t.name,
        [("cached_step", {"INPUT0": "IN"}, {"OUTPUT0": "OUT"})],
        {"IN": ("FP32", [4])},
        {"OUT": ("FP32", [4])},
        extra=ON,
    )
    t.load()
    for _ in range(2):
        t.infer(row(1, 2, 3, 4, name="IN"))
    t.stats()
    t.stats("cached_step")
