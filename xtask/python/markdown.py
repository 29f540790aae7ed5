"""Generated parts of Markdown files."""


def counted(n, noun):
    """`1 thread`, `2 threads`."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def replace_between_markers(path, name, content):
    """Put `content` between `<!-- name:begin -->` and `<!-- name:end -->` of a file with both."""
    start, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    text = path.read_text() if path.exists() else ""
    if start not in text or end not in text:
        return
    head, _, rest = text.partition(start)
    _, _, tail = rest.partition(end)
    path.write_text(f"{head}{start}\n{content}\n{end}{tail}")


def bar_table(bars):
    """Markdown lines of [(what, measured, wanted, whether it is met)]."""
    yield "| bar | measured | wanted | |"
    yield "|---|---:|---:|---|"
    for what, value, bound, met in bars:
        yield f"| {what} | {value} | {bound} | {'met' if met else '**missed**'} |"
