"""Generated parts of Markdown files."""


def replace_between_markers(path, name, content):
    """Put `content` between `<!-- name:begin -->` and `<!-- name:end -->` of a file with both."""
    start, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    text = path.read_text() if path.exists() else ""
    if start not in text or end not in text:
        return
    head, _, rest = text.partition(start)
    _, _, tail = rest.partition(end)
    path.write_text(f"{head}{start}\n{content}\n{end}{tail}")
