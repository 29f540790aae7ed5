"""Pictures of text, and arrays made from them."""

import random

import numpy as np
from PIL import Image, ImageDraw, ImageFont

WORDS = """
paper river seven invoice total 2026 0.83 Trident number street garden window 48.50 order date
price amount 17:45 label model north signal copper yellow basket ticket harbor engine planet 1999
silver letter bridge office summer 3,240 castle market radio camera doctor kitchen 100% forest
""".split()


def sentence(chance, most):
    """Words of at most `most` characters in all."""
    text = chance.choice(WORDS)
    while len(text) < most:
        word = chance.choice(WORDS)
        if len(text) + 1 + len(word) > most:
            break
        text = f"{text} {word}"
    return text


def line(seed, height=48, width=None):
    """(picture, text): one line of dark text, as high as asked for; as wide as the text, or cut."""
    chance = random.Random(seed)
    text = sentence(chance, chance.randint(6, 28))
    font = ImageFont.load_default(int(height * chance.uniform(0.55, 0.7)))
    left, top, right, bottom = font.getbbox(text)
    paper = tuple(chance.randint(215, 255) for _ in range(3))
    ink = tuple(chance.randint(0, 70) for _ in range(3))
    size = (width or right - left + height // 2, height)
    picture = Image.new("RGB", size, paper)
    place = (height // 4 - left, (height - bottom - top) // 2)
    ImageDraw.Draw(picture).text(place, text, fill=ink, font=font)
    return picture, text


def page(seed, height, width):
    """(picture, texts): lines of text in several sizes."""
    chance = random.Random(seed)
    paper = tuple(chance.randint(225, 255) for _ in range(3))
    picture, texts, top = Image.new("RGB", (width, height), paper), [], 12
    draw = ImageDraw.Draw(picture)
    while True:
        size = chance.choice((18, 22, 28, 34))
        if top + size * 1.6 > height:
            return picture, texts
        font = ImageFont.load_default(size)
        text = sentence(chance, chance.randint(6, 30))
        while len(text) > 1 and font.getlength(text) > width - 40:
            text = text.rpartition(" ")[0] or text[: len(text) // 2]
        ink = tuple(chance.randint(0, 90) for _ in range(3))
        draw.text((chance.randint(8, 20), top), text, fill=ink, font=font)
        texts.append(text)
        top += int(size * chance.uniform(1.5, 2.1))


def tensor(picture):
    """A picture as f32 [3, H, W] from -1 to 1, the channels in OpenCV's order."""
    array = np.asarray(picture, np.float32)[:, :, ::-1] / 127.5 - 1
    return np.ascontiguousarray(array.transpose(2, 0, 1))


def batch(dims, seed=0):
    """f32 [N, 3, H, W]: lines where the height is 48, otherwise pages."""
    count, _, height, width = dims
    if height == 48:
        return np.stack([tensor(line(seed + i, 48, width)[0]) for i in range(count)])
    return np.stack([tensor(page(seed + i, height, width)[0]) for i in range(count)])


def array_of(rule):
    """The array that an input of `trained.toml` describes."""
    if "picture" in rule:
        return batch(rule["picture"], rule.get("seed", 0))
    if "numbers" in rule:
        return np.array(rule["numbers"], np.float32)
    return np.full(*[(rule[k], v) for k, v in (("zeros", 0), ("ones", 1)) if k in rule][0], "f4")
