"""A small convolutional network in NumPy: forward, backward and Adam.

Activations are NHWC, convolution weights [9 * C_in, C_out] with the kernel position outermost.
"""

import numpy as np


def windows(x):
    """[N, H, W, C] to [N * H * W, 9 * C]: the 3x3 neighbourhood of every pixel, zero-padded."""
    n, h, w, c = x.shape
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    shifted = [padded[:, i : i + h, j : j + w] for i in range(3) for j in range(3)]
    return np.concatenate(shifted, axis=3).reshape(n * h * w, 9 * c)


class Conv:
    """3x3 convolution, stride 1, same size, then ReLU."""

    def __init__(self, rng, c_in, c_out):
        scale = np.sqrt(2 / (9 * c_in))
        weight = rng.normal(0, scale, (9 * c_in, c_out)).astype(np.float32)
        self.params = [weight, np.zeros(c_out, np.float32)]

    def forward(self, x):
        self.shape = x.shape
        self.columns = windows(x)
        y = self.columns @ self.params[0] + self.params[1]
        self.active = y > 0
        return (y * self.active).reshape(*x.shape[:3], -1)

    def backward(self, dy):
        n, h, w, c = self.shape
        dy = dy.reshape(n * h * w, -1) * self.active
        self.grads = [self.columns.T @ dy, dy.sum(0)]
        dcolumns = (dy @ self.params[0].T).reshape(n, h, w, 9, c)
        dx = np.zeros((n, h + 2, w + 2, c), np.float32)
        for k in range(9):
            i, j = divmod(k, 3)
            dx[:, i : i + h, j : j + w] += dcolumns[:, :, :, k]
        return dx[:, 1:-1, 1:-1]


class MaxPool:
    """2x2 maximum, stride 2."""

    params, grads = (), ()

    def forward(self, x):
        n, h, w, c = x.shape
        blocks = x.reshape(n, h // 2, 2, w // 2, 2, c)
        y = blocks.max(axis=(2, 4), keepdims=True)
        self.winner = blocks == y
        return y[:, :, 0, :, 0]

    def backward(self, dy):
        n, h, w, c = dy.shape
        dx = self.winner * dy[:, :, None, :, None]
        return dx.reshape(n, 2 * h, 2 * w, c)


class Dense:
    """Flatten, then a linear layer."""

    def __init__(self, rng, n_in, n_out):
        scale = np.sqrt(1 / n_in)
        weight = rng.normal(0, scale, (n_in, n_out)).astype(np.float32)
        self.params = [weight, np.zeros(n_out, np.float32)]

    def forward(self, x):
        self.shape = x.shape
        self.x = x.reshape(len(x), -1)
        return self.x @ self.params[0] + self.params[1]

    def backward(self, dy):
        self.grads = [self.x.T @ dy, dy.sum(0)]
        return (dy @ self.params[0].T).reshape(self.shape)


def softmax(logits):
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


class Network:
    """8x8 grey images [N, 8, 8, 1] to 10 class logits."""

    def __init__(self, rng):
        self.convs = [Conv(rng, 1, 32), Conv(rng, 32, 64), Conv(rng, 64, 64)]
        self.dense = Dense(rng, 2 * 2 * 64, 10)
        first, second, third = self.convs
        self.layers = [first, second, MaxPool(), third, MaxPool(), self.dense]

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def gradients(self, x, labels):
        """Parameters' gradients of the mean cross-entropy, in the order of `params`."""
        dy = softmax(self.forward(x))
        dy[np.arange(len(x)), labels] -= 1
        dy /= len(x)
        for layer in reversed(self.layers):
            dy = layer.backward(dy)
        return [grad for layer in self.layers for grad in layer.grads]

    @property
    def params(self):
        return [param for layer in self.layers for param in layer.params]


class Adam:
    """Adam (Kingma and Ba, 2015) with decoupled weight decay (Loshchilov and Hutter, 2019)."""

    def __init__(self, params, decay=1e-4):
        self.params, self.decay, self.step_count = params, decay, 0
        self.first = [np.zeros_like(p) for p in params]
        self.second = [np.zeros_like(p) for p in params]

    def step(self, grads, rate):
        self.step_count += 1
        correction1 = 1 - 0.9**self.step_count
        correction2 = 1 - 0.999**self.step_count
        for p, g, m, v in zip(self.params, grads, self.first, self.second):
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            p -= rate * ((m / correction1) / (np.sqrt(v / correction2) + 1e-8) + self.decay * p)
