"""Convolutions, pools and other ops with windows, and resizing."""

import numpy as np
import paddle
import paddle.nn.functional as F

from ..call import Call
from . import PADDLE_2, draws

FORMS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def one_or_each(r, axes, least, most):
    return r.one(r.int(least, most), r.ints(axes, least, most))


def padding(r, axes, most=2):
    """A padding in each of Paddle's forms."""
    return r.one(
        r.int(0, most),
        r.ints(axes, 0, most),
        r.ints(2 * axes, 0, most),
        r.one("SAME", "VALID"),
    )


def image(r, axes, channels, form, least=4, most=9, batch=None):
    sizes = r.ints(axes, least, most)
    batch = r.int(1, 3) if batch is None else batch
    shape = [batch, channels, *sizes] if form[1] == "C" else [batch, *sizes, channels]
    return r.array(shape, r.dtype(), special=0)


@draws("conv1d", "conv2d", "conv3d")
def conv(r, name):
    axes = int(name[4])
    groups, each = r.int(1, 3), r.int(1, 2)
    form = r.one(*FORMS[axes])
    # Paddle has no kernels of f64 for the last axis in some cases: f32 alone.
    x = image(r, axes, groups * each, form).astype("float32")
    weight = r.array([groups * r.int(1, 2), each, *r.ints(axes, 1, 3)], special=0)
    bias = r.one(None, r.array([weight.shape[0]], special=0))
    stride, dilation = one_or_each(r, axes, 1, 3), one_or_each(r, axes, 1, 2)
    pad = padding(r, axes)
    return Call(getattr(F, name), x, weight, bias, stride, pad, dilation, groups, form)


@draws("conv1d_transpose", "conv2d_transpose", "conv3d_transpose")
def conv_transpose(r, name):
    axes = int(name[4])
    groups, each = r.int(1, 3), r.int(1, 2)
    form = r.one(*FORMS[axes])
    x = image(r, axes, groups * each, form, 2, 5).astype("float32")
    weight = r.array([groups * each, r.int(1, 2), *r.ints(axes, 1, 3)], special=0)
    bias = r.one(None, r.array([weight.shape[1] * groups], special=0))
    stride = r.ints(axes, 1, 3)
    more = {}
    if r.chance(0.4):
        more["output_padding"] = [r.int(0, n - 1) for n in stride]
    options = {"dilation": r.int(1, 2), "groups": groups, "data_format": form, **more}
    return Call(
        getattr(F, name), x, weight, bias, stride=stride, padding=padding(r, axes, 1), **options
    )


@draws("avg_pool1d", "avg_pool2d", "avg_pool3d", "max_pool1d", "max_pool2d", "max_pool3d")
def pool(r, name):
    axes, average = int(name[-2]), name.startswith("avg")
    form = "NCL" if axes == 1 else r.one(*FORMS[axes])
    x = image(r, axes, r.int(1, 3), form)
    kernel = one_or_each(r, axes, 1, 4)
    stride = r.one(None, one_or_each(r, axes, 1, 3))
    most = (kernel if isinstance(kernel, int) else min(kernel)) // 2
    options = {"stride": stride, "padding": padding(r, axes, most), "ceil_mode": r.chance(0.4)}
    if options["padding"] == "VALID":
        options["ceil_mode"] = False
    if axes > 1:
        options["data_format"] = form
    if average:
        options["exclusive"] = r.chance(0.5)
        if axes > 1 and r.chance(0.2):
            options["divisor_override"] = r.int(1, 5)
    elif form[1] == "C" and r.chance(0.3) and not isinstance(options["padding"], str):
        options["return_mask"] = True
    return Call(getattr(F, name), x, kernel, **options)


@draws("lp_pool2d", "unpool", "fractional", "adaptive_avg", "adaptive_max")
def pool_rest(r, name):
    if name == "lp_pool2d":
        form = r.one(*FORMS[2])
        # Paddle's powers of f64 are those of f32.
        x = abs(image(r, 2, 2, form)).astype("float32")
        kernel = r.int(1, 3)
        options = {"stride": r.int(1, 3), "padding": r.int(0, kernel // 2)}
        return Call(F.lp_pool2d, x, r.one(1.0, 2.0, 3.0), kernel, data_format=form, **options)
    if name == "unpool":
        x = image(r, 2, 2, "NCHW", 4, 8)
        x = x[:, :, : x.shape[2] // 2 * 2, : x.shape[3] // 2 * 2].copy()
        return Call(unpool, x)
    axes = r.int(1, 3)
    if name == "fractional":
        x = image(r, 2, 2, "NCHW", 5, 8).astype("float32")
        return Call(F.fractional_max_pool2d, x, r.int(2, 4), random_u=0.3)
    function = getattr(F, f"{name}_pool{axes}d")
    form = r.one(*FORMS[axes]) if name == "adaptive_avg" and axes > 1 else FORMS[axes][0]
    x = image(r, axes, r.int(1, 3), form)
    if axes == 1:
        return Call(function, x, r.int(1, 5))
    size = r.one(r.int(1, 5), [r.one(None, r.int(1, 5)) for _ in range(axes)])
    more = {"data_format": form} if name == "adaptive_avg" else {}
    return Call(function, x, size, **more)


def unpool(x):
    y, indices = F.max_pool2d(x, 2, 2, return_mask=True)
    return F.max_unpool2d(y, indices, 2, 2)


@draws("interp_1d", "interp_2d", "interp_3d", "bicubic", "nearest", "area")
def interp(r, name):
    if name == "bicubic":
        axes, mode = 2, "bicubic"
    elif name in ("nearest", "area"):
        axes, mode = r.int(2, 3), name
    else:
        axes = int(name[-2])
        mode = {1: "linear", 2: "bilinear", 3: "trilinear"}[axes]
    form = r.one(*FORMS[axes]) if axes > 1 and mode != "area" else FORMS[axes][0]
    if axes == 1:
        form = r.one("NCW", "NWC")
    # Paddle computes the places of f64 elements in f32.
    x = image(r, axes, r.int(1, 3), form, 1, 7).astype("float32")
    options = {"mode": mode, "data_format": form}
    if mode not in ("nearest", "area"):
        options["align_corners"] = r.chance(0.5)
        if mode != "bicubic" and not options["align_corners"]:
            options["align_mode"] = r.int(0, 1)
    if r.chance(0.5):
        size = r.ints(axes, 1, 12)
        options["size"] = r.given(size, "int32", 0.3)
    else:
        scale = r.one(2.0, 0.5, 1.5, 3.0, 0.7, [r.one(1.0, 2.0, 0.6, 1.3) for _ in range(axes)])
        options["scale_factor"] = scale if axes > 1 or not isinstance(scale, list) else scale[0]
        if isinstance(scale, float) and r.chance(0.15):
            options["scale_factor"] = r.given([scale], "float32", 1)
    return Call(F.interpolate, x, **options)


@draws("unfold", "fold", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "temporal_shift")
def moves(r, name):
    if name == "unfold":
        x = image(r, 2, r.int(1, 3), "NCHW")
        kernel = one_or_each(r, 2, 1, 3)
        pad = r.one(r.int(0, 2), r.ints(2, 0, 2), r.ints(4, 0, 2))
        return Call(F.unfold, x, kernel, one_or_each(r, 2, 1, 3), pad, one_or_each(r, 2, 1, 2))
    if name == "fold":
        kernel, strides, size = r.ints(2, 1, 3), r.ints(2, 1, 2), r.ints(2, 4, 7)
        pad = r.one(r.int(0, 1), r.ints(2, 0, 1), r.ints(4, 0, 1))
        each = [pad] * 4 if isinstance(pad, int) else pad * (4 // len(pad))
        sums = [each[0] + each[2], each[1] + each[3]]
        windows = [(n + s - k) // t + 1 for n, s, k, t in zip(size, sums, kernel, strides)]
        columns = r.int(1, 2) * kernel[0] * kernel[1]
        x = r.array([2, columns, windows[0] * windows[1]], r.dtype(), special=0)
        return Call(F.fold, x, size, kernel, strides, pad)
    form = r.one(*FORMS[2])
    factor = r.int(1, 3)
    if name == "pixel_unshuffle":
        sizes = [n * factor for n in r.ints(2, 1, 3)]
        shape = [2, 2, *sizes] if form == "NCHW" else [2, *sizes, 2]
        return Call(F.pixel_unshuffle, r.array(shape, r.dtype(), special=0), factor, form)
    if name == "temporal_shift":
        segments = r.int(1, 3)
        x = image(r, 2, r.int(2, 9), form, batch=segments * r.int(1, 2))
        return Call(F.temporal_shift, x, segments, r.one(0.25, 0.1, 0.4), data_format=form)
    channels = factor * factor * 2 if name == "pixel_shuffle" else factor * r.int(1, 3)
    return Call(getattr(F, name), image(r, 2, channels, form), factor, form)


@draws("grid_sample", "affine_grid", "deform_conv2d", "local_response_norm")
def sampling(r, name):
    if name == "affine_grid":
        axes = r.int(2, 3)
        theta = r.array([2, axes, axes + 1], r.dtype(), -1, 1, special=0)
        corners = r.chance(0.5)
        # With corners, Paddle gives NaN for an axis of length 1.
        size = [2, 3, *r.ints(axes, 2 if corners else 1, 5)]
        return Call(F.affine_grid, theta, r.given(size, "int32", 0.2), corners)
    if name == "local_response_norm":
        axes = r.int(1, 3)
        form = r.one(*FORMS[axes])
        x = image(r, axes, r.int(1, 7), form).astype("float32")
        options = (r.int(1, 5), r.one(1e-4, 0.1), r.float(0.3, 1), r.float(0.5, 2), form)
        return Call(F.local_response_norm, x, *options)
    if name == "grid_sample":
        axes = r.one(2, 2, 3)
        x = image(r, axes, r.int(1, 3), "NC", 1, 6)
        grid = r.array([x.shape[0], *r.ints(axes, 1, 4), axes], x.dtype, -1.5, 1.5, special=0)
        if PADDLE_2:
            # It rounds halves away from zero.
            grid = np.asarray(grid + 0.0137, grid.dtype)
        modes = (r.one("bilinear", "nearest"), r.one("zeros", "border", "reflection"))
        return Call(F.grid_sample, x, grid, *modes, r.chance(0.5))
    groups, each, out = r.int(1, 2), r.int(1, 2), r.int(1, 2)
    x = image(r, 2, groups * each, "NCHW", 4, 6).astype("float32")
    kernel, stride, pad, dilation = r.ints(2, 1, 3), r.int(1, 2), r.int(0, 1), r.int(1, 2)
    sizes = [
        (n + 2 * pad - dilation * (k - 1) - 1) // stride + 1 for n, k in zip(x.shape[2:], kernel)
    ]
    if min(sizes) < 1:
        dilation, pad, kernel = 1, 1, [1, 1]
        sizes = [(n + 2 - 1) // stride + 1 for n in x.shape[2:]]
    taps = kernel[0] * kernel[1]
    offset = r.array([x.shape[0], 2 * taps, *sizes], "float32", -1, 1, special=0)
    mask = r.one(None, r.array([x.shape[0], taps, *sizes], "float32", 0, 1, special=0))
    weight = r.array([groups * out, each, *kernel], special=0)
    options = {"stride": stride, "padding": pad, "dilation": dilation, "groups": groups}
    return Call(paddle.vision.ops.deform_conv2d, x, offset, weight, mask=mask, **options)
