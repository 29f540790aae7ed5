"""Clips of synthesised speech: a source of pulses through three resonances for each vowel.

A clip is words of several vowels, between pauses, over a little noise.
"""

import numpy as np

RATE = 16000
CLIPS = 10
# Frequencies of the first three formants of vowels, in Hz.
VOWELS = {
    "a": (730, 1090, 2440),
    "e": (530, 1840, 2480),
    "i": (270, 2290, 3010),
    "o": (570, 840, 2410),
    "u": (300, 870, 2240),
    "r": (490, 1350, 1690),
}
BANDWIDTHS = (60, 90, 150)


def resonance(signal, frequencies, bandwidth):
    """A filter of two poles, whose frequency may change with each sample."""
    radius = np.exp(-np.pi * bandwidth / RATE)
    first = 2 * radius * np.cos(2 * np.pi * frequencies / RATE)
    gain = 1 - first + radius * radius
    output = np.empty_like(signal)
    before, earlier = 0.0, 0.0
    for k, value in enumerate(signal * gain):
        value += first[k] * before - radius * radius * earlier
        output[k], before, earlier = value, value, before
    return output


def pulses(pitch):
    """One pulse for each period of the voice, softened as by the glottis."""
    phase = np.cumsum(pitch / RATE) % 1.0
    return np.where(phase < 0.6, np.sin(np.pi * phase / 0.6) ** 2, 0.0) - 0.3


def hiss(rng, samples):
    """A consonant: high noise that swells and fades."""
    noise = np.diff(rng.standard_normal(samples + 1))
    return 0.08 * noise * np.hanning(samples)


def word(rng, pitch):
    """Vowels that glide into each other, some after a consonant, as f64 samples."""
    parts = []
    for _ in range(rng.integers(2, 5)):
        if rng.random() < 0.6:
            parts.append(hiss(rng, int(rng.uniform(0.04, 0.09) * RATE)))
        samples = int(rng.uniform(0.12, 0.25) * RATE)
        start, end = rng.choice(list(VOWELS), 2)
        bend = pitch * (1 + 0.12 * np.sin(np.linspace(0, 3, samples) + rng.uniform(0, 3)))
        voice = pulses(bend * (1 + 0.01 * rng.standard_normal()))
        for low, high, bandwidth in zip(VOWELS[start], VOWELS[end], BANDWIDTHS):
            voice = resonance(voice, np.linspace(low, high, samples), bandwidth)
        fade = np.minimum(1, np.minimum(np.arange(samples), np.arange(samples)[::-1]) / 200)
        parts.append(voice / np.abs(voice).max() * fade)
    return np.concatenate(parts)


def clip(seed):
    """About ten seconds, f32 within ±1."""
    rng = np.random.default_rng(seed)
    pitch = rng.uniform(95, 220)
    parts = [np.zeros(int(rng.uniform(0.3, 1.0) * RATE))]
    while sum(map(len, parts)) < 10 * RATE:
        for _ in range(rng.integers(1, 4)):
            parts.append(rng.uniform(0.3, 0.8) * word(rng, pitch))
            parts.append(np.zeros(int(0.04 * RATE)))
        parts.append(np.zeros(int(rng.uniform(0.3, 1.2) * RATE)))
    signal = np.concatenate(parts)
    return (signal + 0.002 * rng.standard_normal(len(signal))).astype(np.float32)


def write(folder):
    """`clip-00.npy` and so on."""
    for k in range(CLIPS):
        np.save(folder / f"clip-{k:02}.npy", clip(k))
