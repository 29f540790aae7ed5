"""Ops of detectors."""

import numpy as np
import paddle
from paddle.vision import ops

from ..call import Call
from . import draws


def boxes(r, *shape, size=16.0):
    """Corners of boxes, the first above and left of the second."""
    first = r.rng.uniform(0, size, (*shape, 2))
    return np.concatenate([first, first + r.rng.uniform(0.5, size / 2, (*shape, 2))], -1).astype(
        "f4"
    )


@draws("yolo_box", "prior_box", "box_coder", "roi_align", "nms", "matrix_nms")
def detect(r, name):
    if name == "yolo_box":
        anchors, classes = [10, 13, 16, 30, 33, 23][: 2 * r.int(1, 3)], r.int(1, 4)
        aware = r.chance(0.3)
        many = len(anchors) // 2
        channels = many * (5 + classes) + (many if aware else 0)
        x = r.array([2, channels, r.int(2, 4), r.int(2, 4)], special=0)
        sizes = r.array([2, 2], "int32", 100, 400, special=0)
        options = {"clip_bbox": r.chance(0.5), "scale_x_y": r.one(1.0, 1.2)}
        if aware:
            options |= {"iou_aware": True, "iou_aware_factor": 0.4}
        # No threshold that powers of one half reach.
        call = (anchors, classes, r.one(0.01, 0.43), r.one(8, 16, 32))
        return Call(ops.yolo_box, x, sizes, *call, **options)
    if name == "prior_box":
        x, image = r.array([1, 2, 3, 4], special=0), r.array([1, 3, 20, 24], special=0)
        least = r.one([4.0], [4.0, 8.0])
        options = {
            "max_sizes": r.one(None, [n + 3 for n in least]),
            "aspect_ratios": r.one([1.0], [1.0, 2.0], [2.0, 0.5, 3.0]),
            "flip": r.chance(0.5),
            "clip": r.chance(0.5),
            "steps": r.one([0.0, 0.0], [5.0, 6.0]),
            "offset": r.one(0.5, 0.3),
            "min_max_aspect_ratios_order": r.chance(0.5),
        }
        return Call(ops.prior_box, x, image, least, **options)
    if name == "box_coder":
        many = r.int(1, 4)
        prior = boxes(r, many)
        variance = r.one([0.1, 0.1, 0.2, 0.2], abs(r.array([many, 4], special=0)) + 0.1)
        normal = r.chance(0.5)
        if r.chance(0.5):
            return Call(
                ops.box_coder, prior, variance, boxes(r, r.int(1, 3)), "encode_center_size", normal
            )
        axis, rows = r.int(0, 1), r.int(1, 3)
        target = r.array(
            [rows, many, 4] if axis == 0 else [many, rows, 4], "float32", -1, 1, special=0
        )
        return Call(ops.box_coder, prior, variance, target, "decode_center_size", normal, axis=axis)
    if name == "roi_align":
        x = r.array([2, 3, 8, 9], special=0)
        counts = r.array([2], "int32", 0, 3, special=0)
        counts[0] += 1
        regions = boxes(r, int(counts.sum()))
        size = r.one(2, [3, 2])
        options = (r.one(1.0, 0.5), r.one(-1, 1, 2), r.chance(0.5))
        return Call(ops.roi_align, x, regions, counts, size, *options)
    if name == "nms":
        many = r.int(1, 8)
        scores = r.rng.permutation(many).astype("float32")
        return Call(ops.nms, boxes(r, many), r.one(0.3, 0.6), scores)
    many, classes = r.int(1, 6), r.int(1, 3)
    scores = r.rng.permutation(classes * many).reshape(1, classes, many).astype("f4") / 20 + 0.1
    options = {
        "use_gaussian": r.chance(0.5),
        "background_label": r.one(-1, 0),
        "normalized": r.chance(0.5),
        "return_index": r.chance(0.5),
    }
    thresholds = (r.one(0.05, 0.2), r.one(0.0, 0.1), r.one(-1, 4), r.one(-1, 3))
    return Call(ops.matrix_nms, boxes(r, 1, many), scores, *thresholds, **options)


@draws("distribute_fpn", "roi_pool", "psroi_pool", "generate_proposals")
def regions(r, name):
    if name == "distribute_fpn":
        rois = boxes(r, r.int(1, 6), size=300.0)
        return Call(ops.distribute_fpn_proposals, rois, 2, 5, 4, 224)
    counts = np.array([2], "int32")
    if name == "roi_pool":
        return Call(
            ops.roi_pool, r.array([1, 3, 8, 9], special=0), boxes(r, 2, size=7.0), counts, 2
        )
    if name == "psroi_pool":
        x = r.array([1, 8, 8, 9], special=0)
        return Call(ops.psroi_pool, x, boxes(r, 2, size=7.0), counts, 2)
    scores = r.array([1, 2, 3, 3], special=0)
    deltas = r.array([1, 8, 3, 3], "float32", -1, 1, special=0)
    anchors = boxes(r, 3, 3, 2)
    variances = np.ones([3, 3, 2, 4], "float32")
    size = np.array([[30.0, 30.0]], "float32")
    options = {"pre_nms_top_n": 10, "post_nms_top_n": 5, "nms_thresh": 0.6, "min_size": 1.0}
    return Call(ops.generate_proposals, scores, deltas, size, anchors, variances, **options)


@draws("affine_channel", "space_to_depth", "edit", "viterbi")
def rare(r, name):
    x = r.array([2, 4, 4, 4], special=0)
    if name == "space_to_depth":
        return Call(lambda x: paddle.nn.functional.pixel_unshuffle(x, 2), x)
    if name == "affine_channel":
        return Call(lambda x: paddle.nn.functional.pixel_shuffle(x, 2), x)
    if name == "edit":
        return Call(paddle.trapezoid, r.array([3, 4], special=0))
    return Call(paddle.diff, r.array([3, 4], special=0), r.int(1, 2))
