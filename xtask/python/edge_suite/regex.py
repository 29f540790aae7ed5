"""Regular expressions of `RegexFullMatch` beside RE2.

RE2 reads `[Kk]` and `[Ss]` as letters in any case, and so takes U+212A and U+017F for them where
they are an alternative beside other single characters (`[Kk]|x`). The cases leave this out.
"""

import unicodedata

import numpy as np
import re2
from onnx import TensorProto, helper

from .suite import Refused, model, same

TEXTS = (
    *(
        "",
        "a",
        "A",
        "ab",
        "aB",
        "abab",
        "b",
        "ba",
        "aab",
        "aaa",
        "a1",
        "1",
        "12",
        "x",
        "_",
        "-",
        "]",
    ),
    *(
        "a-b",
        "a.b",
        "a b",
        " ",
        "  ",
        "\t",
        "\n",
        "\v",
        "\f",
        "\r",
        "\0",
        "a\n",
        "\na",
        "a\nb",
        "^",
        "$",
    ),
    *(
        "é",
        "É",
        "aé",
        "éa",
        "\u00a0",
        "\u1680",
        "\u2028",
        "\u0661\u0662",
        "\u0967",
        "k",
        "K",
        "\u212a",
    ),
    *(
        "s",
        "S",
        "\u017f",
        "ß",
        "\u1e9e",
        "σ",
        "ς",
        "Σ",
        "ǅ",
        "ǆ",
        "Ǆ",
        "α",
        "Ω",
        "Ж",
        "漢",
        "\U0001f600",
    ),
    *(
        "\u00b2",
        "Ⅷ",
        "\u0301",
        "\ue000",
        "\u00ad",
        "\u0378",
        "{",
        "a{",
        "a{,2}",
        "{2}",
        "\\",
        "(",
        "\x7f",
    ),
)
# RE2's page of the syntax, construct by construct.
SYNTAX = (
    *(
        ".",
        "(?s).",
        "[xyz]",
        "[^xyz]",
        r"\d",
        r"\D",
        r"\s",
        r"\S",
        r"\w",
        r"\W",
        r"\d+",
        r"\w+",
        r"\W+",
    ),
    *(r"\pN", r"\PN", r"\p{N}", r"\P{N}", r"\p{Greek}", r"\P{Greek}", r"\p{^Greek}", r"\P{^Greek}"),
    *(r"\pL", r"\p{Lu}", r"\p{Ll}", r"\p{Lt}", r"\pM", r"\pP", r"\pS", r"\pZ", r"\pC", r"\p{Cs}"),
    *(r"\p{Any}", r"\P{Any}", r"\p{Han}", r"\p{Latin}", r"\p{Common}", r"\p{greek}", r"\p{Grek}"),
    *(
        r"\p{L&}",
        r"\p{LC}",
        r"\p{Cn}",
        r"\p{Lu",
        r"\p",
        r"\p{}",
        r"\p{IsGreek}",
        r"\p{sc=Greek}",
        r"\pX",
    ),
    *(f"[[:{name}:]]" for name in "alnum alpha ascii blank cntrl digit graph lower print".split()),
    *(
        f"[[:{name}:]]"
        for name in "punct space upper word xdigit ^alpha ^space ^ascii foo ^foo".split()
    ),
    *(
        "[[:alpha:]1]+",
        "[^[:alpha:]]",
        "[[:^alpha:]b]",
        "[:alpha:]",
        "[[:alpha]+",
        "[[:]",
        "[[:a]b:]",
    ),
    *(
        "[[:alpha:][:digit:]]+",
        "[[=a=]]",
        "[[.a.]]",
        r"[\d]",
        r"[\D]",
        r"[^\d]",
        r"[^\D]",
        r"[\w-]+",
    ),
    *(
        r"[\p{Greek}a]",
        r"[^\p{Greek}]",
        r"[\PN]",
        r"[\p{^N}]",
        r"[^\PN]",
        "[a-c]+",
        "[a-]+",
        "[-a]+",
    ),
    *(
        r"[\d-z]+",
        r"[a-\d]",
        "[z-a]",
        "[]a]+",
        "[^]a]",
        "[]",
        "[^]",
        "[a",
        "[",
        "[^",
        r"[\]]",
        r"[\n-\r]",
    ),
    *(
        r"[\b]",
        r"[\B]",
        r"[\A]",
        r"[\C]",
        r"[\Q]",
        r"[\x41-\x{43}]",
        r"[\101-\103]",
        r"[\-a]+",
        "[--a]",
    ),
    *(
        "[a-b-c]+",
        "[a&&b]",
        "[a--b]",
        "[a~~b]",
        "[[a]]",
        "[é-ü]",
        r"[^\x00-\x{10FFFF}]",
        r"[\x{D800}]",
    ),
    *(
        "xy",
        "a|b",
        "ab|a",
        "a||b",
        "|",
        "|a",
        "a|",
        "(|a)+",
        "x*",
        "a+",
        "a?",
        "a{2}",
        "a{1,2}",
        "a{2,}",
    ),
    *(
        "a*?",
        "a+?",
        "a??",
        "a{2}?",
        "a{1,2}?",
        "a{2,}?",
        "a{,2}",
        "a{",
        "a{1",
        "a{1,",
        "a{x}",
        "{2}",
    ),
    *(
        "a{0}",
        "a{0,0}",
        "a{0,}",
        "a{01}",
        "a{1,01}",
        "a{ 1}",
        "a{1,2",
        "a{2,1}",
        "a{1000}",
        "a{1001}",
    ),
    *(
        "a{1,1001}",
        "a{10000000000}",
        "a{999999999}",
        "(a{100}){10}",
        "(a{100}){11}",
        "((a{10}){10}){10}",
    ),
    *(
        "((a{10}){10}){11}",
        "(a{2,}){501}",
        "(a{0}){1000}",
        "((a{0}){1000}){2}",
        "(a*){1000}",
        "(a+){1001}",
    ),
    *(
        "a**",
        "a*+",
        "a+*",
        "a++",
        "a?+",
        "a{2}{3}",
        "a{2}*",
        "a*{2}",
        "a*??",
        "a{2}+",
        "(?:a*)*",
        "(a*)+",
    ),
    *(
        "*",
        "+",
        "?",
        "*a",
        "a|*",
        "(*a)",
        "(+)",
        "|*",
        "^*",
        "$+a",
        r"\b+a",
        "^{2}a",
        "(^a)*",
        "(a$)*",
        "()*",
    ),
    *(
        "(a)",
        "(?P<n>a)",
        "(?<n>a)",
        "(?'n'a)",
        "(?:a)",
        "(?i)a",
        "(?i:a)b",
        "(?P<>a)",
        "(?P<n",
        "(?P<n>",
    ),
    *(
        "(?P<a-b>c)",
        "(?P<é>a)",
        "(?P<1>a)",
        "(?P<n>a)(?P<n>b)",
        "(?P=n)",
        "(?P>n)",
        "(?<>a)",
        "(?&n)",
    ),
    *(
        "(?)a",
        "(?i)",
        "(?-)a",
        "(?i-)a",
        "(?-i)A",
        "(?i-s)a",
        "(?is-mU)a",
        "(?-:a)",
        "(?i-i:a)",
        "(?x)a",
    ),
    *(
        "(?ii)a",
        "(?a)a",
        "(?i",
        "(?i:a",
        "(?",
        "(?:",
        "(?^)a",
        "(?--i)a",
        "(?i-s-m)a",
        "(?J)a",
        "(?u)a",
    ),
    *(
        "a(?i)b",
        "(a(?i)b)c",
        "x|(?i)a|b",
        "(?i)a(?-i)b",
        "(?i:(?-i)a)b",
        "(?i)[a-c]+",
        "(?i)[^a]",
        "(?U)a+",
    ),
    *(
        "(?i)k",
        "(?i)s",
        "(?i)[^k]",
        r"(?i)\w",
        r"(?i)\W",
        r"(?i)[\w]",
        r"(?i)[^\W]",
        "(?i)[[:lower:]]",
    ),
    *(
        "(?i)[[:^upper:]]",
        r"(?i)\p{Lu}",
        r"(?i)\P{Lu}",
        r"(?i)[^\p{Lu}]",
        "(?i)σ",
        "(?i)ß",
        "(?i)ǅ",
        "(?i)[ǅ]",
    ),
    *(
        r"(?i)\x{212a}",
        r"(?i)\Qk\E",
        "(?i)é",
        "(?i)[K]",
        "(?i)ſ",
        "(?m)a$\n",
        "(?m)a$\n^b",
        "a$\n^b",
    ),
    *(
        "(?m)^$",
        "(?m)^\n$",
        "(?m)(^a$\n?)+",
        "(?s)a.b",
        "a.b",
        "(?ms)^.*$",
        "(?m)^.*$",
        "^a$",
        "^^a$$",
    ),
    *(
        r"\Aa\z",
        r"a\z",
        r"\A",
        r"\z\A",
        r"a\Z",
        r"\G",
        r"a\b",
        r"\ba",
        r"a\B",
        r"\B",
        r"a\bb",
        r"a\Bb",
        r"\b",
    ),
    *(
        r"a\bé",
        r"a\Bé",
        r"é\b",
        r"é\B",
        r".\b.",
        r"a\b b",
        r"\bé\b",
        r"\Bé\B",
        r"\b{2}a",
        r"(?:a\b|b)+",
    ),
    *(
        r"\a",
        r"\f",
        r"\t",
        r"\n",
        r"\r",
        r"\v",
        r"\e",
        r"\cA",
        r"\0",
        r"\00",
        r"\000",
        r"\012",
        r"\08",
        r"\1",
    ),
    *(
        r"\12",
        r"\141",
        r"\777",
        r"\8",
        r"\9",
        r"(a)\1",
        r"\x41",
        r"\x4",
        r"\x",
        r"\x{41}",
        r"\x{}",
        r"\xag",
    ),
    *(
        r"\x{10FFFF}",
        r"\x{110000}",
        r"\x{00000041}",
        r"\x{1F600}",
        r"\x{D800}",
        r"\x{4g}",
        r"\x{41",
        r"\u0041",
    ),
    *(
        r"\C",
        r"\C\C",
        r"\C*",
        r"\C+é",
        r"\C{3}",
        r"a\C",
        r"\Ca",
        r"\Q.*\E",
        r"\Qa",
        r"\Q\E",
        r"a\Q\E*",
        r"\E",
    ),
    *(
        r"\Qab\E+",
        r"\Q\\E",
        r"\Q^$\E",
        r"a\Qb\Eb*",
        r"\.",
        r"\-",
        r"\_",
        r"\]",
        r"\{",
        r"\ ",
        r"\é",
        "\\",
    ),
    *(
        r"\h",
        r"\H",
        r"\K",
        r"\N",
        r"\R",
        r"\X",
        r"\l",
        r"\L",
        r"\U",
        r"\i",
        r"\y",
        r"\<",
        r"\>",
        r"\'",
        r"\`",
    ),
    *(
        "(?=a)",
        "(?!a)",
        "(?<=a)",
        "(?<!a)",
        "(?>a)",
        "(?|a|b)",
        "(?#c)a",
        "(?(1)a|b)",
        "(?R)",
        "(?1)",
        "(?C)",
    ),
    *(
        "(?P>a)",
        "(?{a})",
        "(*ACCEPT)",
        "(",
        ")",
        "a)",
        "(a",
        "(a))",
        "a)(b",
        "((a)",
        "()",
        "(())",
        "",
        "a",
        "é",
    ),
    *(
        "a{2}b",
        "(ab)+",
        "(a|b)*",
        "(a|ab)(c|bcd)*",
        "[ab]*b",
        "a.*b",
        ".*",
        ".+",
        "(?s).*",
        "(a*)*",
        "(a|a)*",
    ),
)
# Letters that got an upper case in Unicode 16, and a mark of another category there.
CHANGED = "\u019b\u0264\U0001171e"
# Pieces of random patterns.
ATOMS = (
    *(
        "a",
        "b",
        "A",
        "k",
        "K",
        "s",
        "1",
        "é",
        "σ",
        "_",
        " ",
        "-",
        ".",
        "^",
        "$",
        r"\d",
        r"\D",
        r"\w",
        r"\W",
    ),
    *(
        r"\s",
        r"\S",
        r"\b",
        r"\B",
        r"\A",
        r"\z",
        r"\C",
        r"\pL",
        r"\PN",
        r"\p{Greek}",
        r"\p{^Lu}",
        "[a-c]",
        "[^b]",
    ),
    *(
        "[[:alpha:]]",
        "[[:^space:]]",
        r"[\w-]",
        r"[^\W\d]",
        r"\n",
        r"\x{e9}",
        r"\Qa.\E",
        "(?i)",
        "(?-i)",
    ),
    *(
        "(?s)",
        "(?m)",
        "(?U)",
        "{",
        "}",
        "[",
        "]",
        ",",
        "2",
        "\\",
        "?",
        "<",
        ">",
        ":",
        "=",
        "P",
        "i",
        "é",
    ),
)
REPEATS = (
    "*",
    "+",
    "?",
    "*?",
    "+?",
    "??",
    "{2}",
    "{1,2}",
    "{0,1}?",
    "{2,}",
    "{0}",
    "{,2}",
    "{2",
    "{40}",
)
GROUPS = ("(", "(?:", "(?i:", "(?s:", "(?m-i:", "(?P<n>", "(?<m>", "(?U:", "(?=", "(?<!")
LETTERS = "abABkKs1éÉσς _-\n.\u212a\u017f\u0661"


def full_match(pattern):
    node = helper.make_node("RegexFullMatch", ["x"], ["y"], pattern=pattern)
    x, y = TensorProto.STRING, TensorProto.BOOL
    return model([node], {"x": (x, ["n"])}, {"y": (y, ["n"])})


def reference(pattern):
    """The compiled pattern, or None where RE2 refuses it."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options=options)
    except re2.error:
        return None


def compare(suite, pattern, texts):
    """Fail unless the pattern has RE2's answers for all texts, or is refused as by RE2."""
    compiled = reference(pattern)
    x = np.array(texts, object)
    if compiled is None:
        try:
            suite.trident(full_match(pattern), [x])
        except Refused as refusal:
            assert refusal.stage in ("load", "plan"), f"{pattern!r} is refused too late: {refusal}"
            assert " at character " in str(refusal), f"{pattern!r}: no place in {refusal}"
            return
        raise AssertionError(f"{pattern!r} is accepted, RE2 refuses it")
    want = np.array([compiled.fullmatch(text) is not None for text in texts])
    (got,) = suite.trident(full_match(pattern), [x])
    wrong = [text for text, a, b in zip(texts, got, want, strict=True) if a != b]
    assert not wrong, f"{pattern!r} on {wrong[:5]!r}: RE2 gives the opposite"
    same([got], [want])


def random_pattern(random, depth=0):
    """A pattern of the syntax, now and then with a mistake."""
    parts = []
    for _ in range(int(random.integers(1, 5))):
        if depth < 3 and random.random() < 0.25:
            group = str(random.choice(GROUPS[:8] if random.random() < 0.97 else GROUPS))
            parts.append(f"{group}{random_pattern(random, depth + 1)})")
        else:
            usual = random.random() < 0.97
            parts.append(ATOMS[int(random.integers(0, 42 if usual else len(ATOMS)))])
        if random.random() < 0.3:
            parts.append(str(random.choice(REPEATS)))
        if random.random() < 0.12:
            parts.append("|")
    return "".join(parts)


def random_texts(random):
    return ["".join(random.choice(list(LETTERS), int(random.integers(0, 6)))) for _ in range(40)]


def fuzz(suite, number):
    random = suite.random(f"random {number}")
    for _ in range(100):
        compare(suite, random_pattern(random), [*TEXTS, *random_texts(random)])


def names(suite):
    """Every category and script of Unicode, and their negations, on characters of all planes.

    RE2 and Trident have tables of different versions of Unicode: the characters are those that
    Python knows, which are in both, but for `CHANGED`.
    """
    points = [*range(0xD800), *range(0xE000, 0x20000), *range(0x20000, 0x110000, 997)]
    texts = [chr(point) for point in points if unicodedata.category(chr(point)) != "Cn"]
    texts = [text for text in texts if text not in CHANGED]
    texts = texts[:: 50 if suite.options.quick else 1]
    known = {unicodedata.category(text) for text in texts}
    known |= {category[0] for category in known} | {"Greek", "Han", "Common", "Inherited", "Yi"}
    for name in sorted(known):
        if reference(rf"\p{{{name}}}") is not None:
            for pattern in (rf"\p{{{name}}}", rf"(?i)\p{{{name}}}", rf"[^\p{{{name}}}a]"):
                compare(suite, pattern, texts)


def run(suite):
    for pattern in dict.fromkeys(SYNTAX):
        suite.check(f"pattern {pattern!r}", lambda p=pattern: compare(suite, p, TEXTS))
    for number in range(1 if suite.options.quick else 20):
        suite.check(f"random {number}", lambda n=number: fuzz(suite, n))
    suite.check("names of sets", lambda: names(suite))
