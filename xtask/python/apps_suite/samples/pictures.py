"""Thirty pictures of text: notes, receipts and labels, in Pillow's own font."""

import random

from PIL import Image, ImageDraw, ImageFilter, ImageFont

PICTURES = 30
WORDS = (
    "harbour lantern copper meadow window seven bridge quiet orange station garden "
    "paper silver morning ticket river market winter engine violin pepper castle "
    "Monday Friday Lisbon Oslo Cairo total number street invoice receipt account"
).split()
INKS = ("black", "navy", "darkgreen", "maroon", "#333333")
PAPERS = ("white", "#f4eedd", "#dfe9f5", "#eeeeee", "#fff6c8")


def phrase(random_, words):
    return " ".join(random_.choice(WORDS) for _ in range(words))


def amount(random_):
    return f"{random_.randrange(1, 900)}.{random_.randrange(100):02}"


def note(random_):
    """Lines of prose, each in its own size."""
    return [(phrase(random_, 4), random_.randrange(20, 40)) for _ in range(random_.randrange(3, 8))]


def receipt(random_):
    """Names and prices."""
    lines = [(f"{random_.choice(WORDS).upper()} {random_.randrange(1000, 9999)}", 34)]
    lines += [(f"{phrase(random_, 2)}  {amount(random_)}", 24) for _ in range(7)]
    return [*lines, (f"TOTAL {amount(random_)} EUR", 30)]


def label(random_):
    """A few large words."""
    return [(phrase(random_, 2), random_.randrange(44, 70)) for _ in range(2)]


KINDS = (note, receipt, label)


def picture(seed):
    """Picture number `seed`; every fourth is slanted, every fifth blurred."""
    random_ = random.Random(seed)
    size = (random_.randrange(480, 900), random_.randrange(360, 760))
    paper = random_.choice(PAPERS)
    image = Image.new("RGB", size, paper)
    draw = ImageDraw.Draw(image)
    top = random_.randrange(12, 40)
    for text, height in KINDS[seed % len(KINDS)](random_):
        if top + height > size[1] - 12:
            break
        font = ImageFont.load_default(height)
        draw.text((random_.randrange(12, 60), top), text, random_.choice(INKS), font=font)
        top += int(height * random_.uniform(1.4, 2.0))
    if seed % 4 == 3:
        angle = random_.uniform(-6, 6)
        image = image.rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor=paper)
    if seed % 5 == 4:
        image = image.filter(ImageFilter.GaussianBlur(0.8))
    return image


def write(folder):
    """`picture-00.png` and so on."""
    for seed in range(PICTURES):
        picture(seed).save(folder / f"picture-{seed:02}.png")
