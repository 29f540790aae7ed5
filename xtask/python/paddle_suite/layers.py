"""Layers of the exported networks that `paddle.vision.models` does not have."""

import paddle
from paddle import nn
from paddle.nn import functional


class Bert(nn.Layer):
    """An encoder over tokens; 0 is padding."""

    def __init__(self, words=60, width=32, heads=4, depth=2):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Embedding(64, width)
        self.norm = nn.LayerNorm(width)
        layer = nn.TransformerEncoderLayer(width, heads, 2 * width, activation="gelu")
        self.encoder = nn.TransformerEncoder(layer, depth)
        self.pooler = nn.Linear(width, width)
        self.head = nn.Linear(width, words)

    def forward(self, tokens):
        places = paddle.cumsum(paddle.ones_like(tokens), axis=-1) - 1
        x = self.norm(self.words(tokens) + self.places(places))
        mask = paddle.unsqueeze((tokens == 0).astype("float32") * -1e4, [1, 2])
        x = self.encoder(x, mask)
        return self.head(x), paddle.tanh(self.pooler(x[:, 0]))


class VisionTransformer(nn.Layer):
    """An encoder over patches of 8 × 8 pixels, whose position is a convolution."""

    def __init__(self, width=32, heads=4, depth=2):
        super().__init__()
        self.width = width
        self.patches = nn.Conv2D(3, width, 8, stride=8)
        self.places = nn.Conv2D(width, width, 3, padding=1, groups=width)
        self.first = self.create_parameter([1, 1, width])
        layer = nn.TransformerEncoderLayer(width, heads, 4 * width, normalize_before=True)
        self.encoder = nn.TransformerEncoder(layer, depth, nn.LayerNorm(width))
        self.head = nn.Linear(width, 10)

    def forward(self, image):
        x = self.patches(image)
        x = (x + self.places(x)).flatten(2).transpose([0, 2, 1])
        first = paddle.expand(self.first, [paddle.shape(x)[0], 1, self.width])
        x = self.encoder(paddle.concat([first, x], axis=1))
        return functional.softmax(self.head(x[:, 0]), axis=-1)


class Recurrent(nn.Layer):
    """Two layers of cells, with their last states."""

    def __init__(self, kind, features=12, **options):
        super().__init__()
        self.cells = kind(features, 16, num_layers=2, **options)
        self.head = nn.Linear(32 if "direction" in options else 16, 7)

    def forward(self, x):
        x, state = self.cells(x)
        state = state[0] if isinstance(state, (list, tuple)) else state
        return self.head(x), state


class Crnn(nn.Layer):
    """A recogniser of text lines: convolutions, then two directions of LSTM."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2D(3, 16, 3, padding=1),
            nn.BatchNorm2D(16),
            nn.ReLU(),
            nn.MaxPool2D(2, 2),
            nn.Conv2D(16, 32, 3, padding=1),
            nn.BatchNorm2D(32),
            nn.Hardswish(),
            nn.MaxPool2D((2, 1), (2, 1)),
            nn.Conv2D(32, 32, (8, 1)),
            nn.BatchNorm2D(32),
            nn.ReLU(),
        )
        self.cells = nn.LSTM(32, 24, direction="bidirect")
        self.head = nn.Linear(48, 40)

    def forward(self, image):
        x = self.body(image).squeeze(2).transpose([0, 2, 1])
        x, _ = self.cells(x)
        return functional.softmax(self.head(x), axis=-1)


class LoopOfCount(nn.Layer):
    """A loop as long as an input says."""

    def __init__(self):
        super().__init__()
        self.step = nn.Linear(6, 6)

    def forward(self, x, count):
        i = paddle.zeros([1], "int64")
        while i < count:
            x = paddle.tanh(self.step(x)) + x
            i = i + 1
        return x, i


class LoopOverRows(nn.Layer):
    """A sum over the rows of an input, weighted by their numbers."""

    def forward(self, x):
        total, i = paddle.zeros([5], "float32"), paddle.zeros([1], "int64")
        while i < paddle.shape(x)[0]:
            row = paddle.gather(x, i).squeeze(0)
            total = total * 0.5 + row * i.astype("float32")
            i = i + 1
        return total


class LoopNested(nn.Layer):
    """A loop in a loop; both carry the same value."""

    def forward(self, x):
        i, total = paddle.zeros([1], "int64"), x
        while i < 3:
            j = paddle.zeros([1], "int64")
            while j < i + 1:
                total = total * 0.9 + paddle.sin(total)
                j = j + 1
            i = i + 1
        return total


class Branch(nn.Layer):
    """Either of two layers, by the sign of a mean; the branches leave one value untouched."""

    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        kept = x * 2
        if paddle.mean(x) > 0:
            y = self.up(x)
        else:
            y = self.down(x) - 1
            kept = kept + 3
        return y, kept


class BranchInLoop(nn.Layer):
    """A loop whose body chooses by its counter and by the data."""

    def forward(self, x):
        i = paddle.zeros([1], "int64")
        while i < 5:
            if i % 2 == 0:
                x = x * 1.5 - 0.25
            else:
                if paddle.max(x) > 2:
                    x = x / 2
                else:
                    x = paddle.exp(-x)
            i = i + 1
        return x


class GreedyDecoder(nn.Layer):
    """Symbols one after the other, each the likeliest after the one before, as recognisers of
    tables decode."""

    def __init__(self, symbols=11, width=16):
        super().__init__()
        self.symbols = nn.Embedding(symbols, width)
        self.cell = nn.GRUCell(width, width)
        self.head = nn.Linear(width, symbols)

    def forward(self, state):
        symbol = paddle.zeros([paddle.shape(state)[0]], "int64")
        scores = self.head(state).unsqueeze(1)
        i = paddle.zeros([1], "int64")
        while i < 6:
            _, state = self.cell(self.symbols(symbol), state)
            logits = self.head(state)
            symbol = paddle.argmax(logits, axis=-1)
            scores = paddle.concat([scores, logits.unsqueeze(1)], axis=1)
            i = i + 1
        return scores, symbol


class ArrayOfSteps(nn.Layer):
    """A list that a loop fills, as long as the input says."""

    def forward(self, x):
        steps, i = [], paddle.zeros([1], "int64")
        while i < paddle.shape(x)[0]:
            x = paddle.tanh(x) + 0.1
            steps.append(x)
            i = i + 1
        return paddle.stack(steps, axis=1)


class AssignedSlices(nn.Layer):
    """Values written into parts of a tensor, and parts read with steps."""

    def forward(self, x):
        y = x * 1.0
        y[:, 0, :] = x[:, -1, :] * 2
        y[:, 1, 2:4] = 0.5
        return y, x[:, ::2, 1::2], paddle.where(x > 0, x, y)


class Resized(nn.Layer):
    """Each kind of resizing, by a factor and by a size."""

    def forward(self, x):
        nearest = functional.interpolate(x, scale_factor=2, mode="nearest")
        linear = functional.interpolate(x, size=[13, 9], mode="bilinear", align_corners=True)
        cubic = functional.interpolate(x, scale_factor=[1.5, 2.0], mode="bicubic")
        size = paddle.shape(nearest)[2:]
        back = functional.interpolate(linear, size=size, mode="bilinear", align_mode=1)
        return nearest + back, linear, cubic, functional.adaptive_avg_pool2d(x, [3, 2])
