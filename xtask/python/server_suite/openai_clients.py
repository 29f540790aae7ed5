"""The client of the package `openai`: `python -m server_suite.openai_clients HTTP GRPC`."""

import asyncio
from functools import partial

import numpy as np
import openai

from .client_run import main

CHAT = [
    {"role": "system", "content": "1"},
    {"role": "user", "content": [{"type": "text", "text": "2"}]},
]


def client(place, kind=openai.OpenAI, version="v1"):
    url = f"http://{place}/{version}"
    return kind(base_url=url, api_key="none", max_retries=0, timeout=20)


def refused(kind, words, call):
    """Call something that must raise this error; its text has these words."""
    try:
        call()
    except kind as error:
        assert words in error.message, error.message
        return error
    raise AssertionError(f"no {kind.__name__}")


def models(http, _):
    """Lists models, and describes one."""
    for version in ("v1", "v3"):
        listed = client(http, version=version).models.list().data
        assert [model.id for model in listed] == ["numbers", "words"], listed
        assert client(http, version=version).models.retrieve("words") == listed[1]


def embeddings(http, _):
    """Embeds texts, which the client asks for in base64, and as numbers."""
    for options in ({}, {"encoding_format": "float"}, {"dimensions": 2}):
        answer = client(http).embeddings.create(model="words", input=["rain", "", "sun"], **options)
        vectors = np.array([row.embedding for row in answer.data])
        assert vectors.tolist() == [[0, 1], [0, 0], [1, 0]], vectors
        assert [row.index for row in answer.data] == [0, 1, 2]
    [row] = client(http).embeddings.create(model="words", input="rain").data
    assert np.array(row.embedding).tolist() == [0, 1]


def completions(http, _):
    """Continues a text."""
    answer = client(http).completions.create(model="numbers", prompt="7 8 12")
    [choice] = answer.choices
    assert (choice.text, choice.finish_reason) == ("7812", "stop"), answer
    assert answer.object == "text_completion"


def streamed_completions(http, _):
    """Continues a text in events."""
    events = list(client(http).completions.create(model="numbers", prompt="7 8", stream=True))
    parts = [(event.choices[0].text, event.choices[0].finish_reason) for event in events]
    assert parts == [("7", None), ("8", None), ("", "stop")], parts
    assert len({event.id for event in events}) == 1


def chat(http, _):
    """Continues a conversation."""
    answer = client(http).chat.completions.create(model="numbers", messages=CHAT)
    [choice] = answer.choices
    message = choice.message
    assert (message.role, message.content, choice.finish_reason) == ("assistant", "129", "stop")


def streamed_chat(http, _):
    """Continues a conversation in events, which the asynchronous client reads."""

    async def run():
        async with client(http, openai.AsyncOpenAI) as own:
            make = own.chat.completions.create
            events = await make(model="numbers", messages=CHAT, stream=True)
            return [event.choices[0] async for event in events]

    choices = asyncio.run(run())
    assert [choice.delta.content for choice in choices] == ["1", "2", "9", None], choices
    assert [choice.delta.role for choice in choices] == ["assistant", None, None, None]
    assert choices[-1].finish_reason == "stop"


def mistakes(http, _):
    """Raises the errors of the package."""
    own = client(http)
    text = {"prompt": "7"}
    missing = refused(
        openai.NotFoundError, "'none'", lambda: own.completions.create(model="none", **text)
    )
    assert missing.code == "model_not_found"
    refused(
        openai.BadRequestError,
        "'temperature' has no effect",
        lambda: own.completions.create(model="numbers", temperature=0.5, **text),
    )
    refused(
        openai.BadRequestError,
        "have 2",
        lambda: own.embeddings.create(model="words", input="sun", dimensions=3),
    )
    unable = refused(
        openai.InternalServerError,
        "model 'words' does not generate text",
        lambda: own.completions.create(model="words", **text),
    )
    assert unable.status_code == 501
    refused(
        openai.BadRequestError,
        "does not embed texts",
        lambda: own.embeddings.create(model="numbers", input="7"),
    )


def failing_streams(http, _):
    """Raises an error before the first event of a run that fails."""
    create = client(http).completions.create
    failed = partial(create, model="numbers", prompt="x y", stream=True)
    refused(openai.InternalServerError, "numbers_split", failed)


if __name__ == "__main__":
    main(
        models,
        embeddings,
        completions,
        streamed_completions,
        chat,
        streamed_chat,
        mistakes,
        failing_streams,
    )
