"""The largest elements of outputs as classes, with labels."""

from .models import labelled, same
from .talk import row, tensor, wanted


def labels(t):
    t.serve(labelled)
    x = row(0.5, 3.5, -1, 2)
    for count in (1, 2, 4, 9):
        t.infer(x, outputs=[wanted("OUTPUT0", classification=count)])
    t.rpc_infer(x, outputs=[{"name": "OUTPUT0",
                             "parameters": {"classification": {"int64_param": 3}}}])  # fmt: skip


def labels_of_two_outputs(t):
    t.serve(labelled)
    x = row(0.5, 3.5, -1, 2)
    t.infer(x, outputs=[wanted("OUTPUT1", classification=2), wanted("OUTPUT0", classification=3)])
    t.infer(x, outputs=[wanted("OUTPUT1"), wanted("OUTPUT0", classification=1)])


def labels_of_batches(t):
    t.serve(labelled)
    x = tensor("INPUT0", "FP32", [3, 4], [1, 2, 3, 4, 4, 3, 2, 1, 0, 9, 0, 8])
    t.infer(x, outputs=[wanted("OUTPUT0", classification=2)])
    t.infer(x, outputs=[wanted("OUTPUT0", classification=2, binary_data=True)])


def labels_with_spaces(t):
    t.serve(labelled, labels="a cat\n\n  dog  \nlast:one")
    t.infer(row(4, 3, 2, 1), outputs=[wanted("OUTPUT0", classification=4)])


def labels_without_file(t):
    t.serve(labelled)
    (t.folder() / "labels.txt").unlink()
    t.unload()
    t.load()
    t.infer(row(4, 3, 2, 1), outputs=[wanted("OUTPUT0", classification=2)])


def classification_of_odd_numbers(t):
    t.serve(labelled)
    for count in (-1, "2", 1.5, True, None):
        t.infer(row(4, 3, 2, 1), outputs=[wanted("OUTPUT0", classification=count)])


def classification_of_types(t):
    for kind, data in (("INT32", [3, -5, 9]), ("UINT8", [1, 255, 0]), ("FP64", [0.1, 2e9, -3]),
                       ("INT64", [1, -9007199254740993, 2])):  # fmt: skip
        name = t.serve(same, name=f"classes_{kind.lower()}", kind=kind)
        t.infer(
            row(*data, datatype=kind), model=name, outputs=[wanted("OUTPUT0", classification=3)]
        )


def classification_of_truth_values(t):
    t.serve(same, kind="BOOL")
    t.infer(row(True, datatype="BOOL"), outputs=[wanted("OUTPUT0", classification=1)])


def classification_of_texts(t):
    t.serve(same, kind="BYTES")
    t.infer(row("a", datatype="BYTES"), outputs=[wanted("OUTPUT0", classification=1)])


def classification_of_very_many(t):
    t.serve(labelled)
    t.infer(row(4, 3, 2, 1), outputs=[wanted("OUTPUT0", classification=4294967297)])


def classification_without_batch(t):
    t.serve(same, batch=0)
    t.infer(tensor("INPUT0", "FP32", [3], [1, 9, 4]), outputs=[wanted("OUTPUT0", classification=2)])


def classification_of_two_axes(t):
    t.serve(same, rank=2)
    x = tensor("INPUT0", "FP32", [1, 2, 2], [1, 9, 4, 5])
    t.infer(x, outputs=[wanted("OUTPUT0", classification=3)])
