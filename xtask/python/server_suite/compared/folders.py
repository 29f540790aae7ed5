"""The folders of models, and what the index says of them."""

import json


def index_of(t, *names, **options):
    """Note the rows of the index for some models."""
    answer = t.exchange("POST", "/v2/repository/index", options or None)
    rows = [one for one in json.loads(answer["body"]) if one["name"] in (names or (t.name,))]
    t.note("index", rows)


def edit(t, old, new, name=None):
    """Change a configuration's text."""
    file = t.folder(name) / "config.pbtxt"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
