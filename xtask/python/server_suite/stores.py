"""Repositories in stores, by emulators: moto for S3, azurite for Azure, and one for Google Cloud.

The emulators are programs on PATH. Where one is missing, its checks are skipped, and say how to
install it. CI has none of them, because they take 50 s and 330 MB to install.
"""

import base64
import contextlib
import email.utils
import hashlib
import hmac
import http.client
import http.server
import json
import os
import shutil
import socket
import subprocess
import threading
import urllib.parse
from functools import partial
from xml.etree import ElementTree

from backend_suite.server import free_ports
from checks import Skip, title

from . import busy, replay
from .busy import http_of
from .server import Server, places_of

LIMIT = 40  # seconds
until = partial(busy.until, limit=LIMIT)
BUCKET = "bucket"
MODEL = replay.FOLDER / "models/simple"
ACCOUNT = "devstoreaccount1"  # azurite's, with its published key
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
# Variables that give a key to a store, or a store to a program.
VARIABLES = ("AWS_", "AZURE_", "GOOGLE_", "STORAGE_EMULATOR_HOST")


def run(suite):
    status, error = refusal(suite, "s3://", {})
    assert status, error
    if "reads no stores" in error:
        raise Skip(
            "run `cargo xtask conformance server --group stores`, which builds what it needs"
        )
    cases = {}
    for emulator in (S3, Google, Azure):
        checks = [partial(check, suite, emulator) for check in CHECKS]
        checks += [partial(check, suite) for check in ONLY_S3 if emulator is S3]
        cases |= {f"{emulator.name}: {title(check.func)}": check for check in checks}
    suite.check_beside(cases, threads=4)


class Emulator:
    """A program that speaks a store's protocol, until the end of the `with` block."""

    def __init__(self, folder):
        program = shutil.which(self.program)
        if program is None:
            raise Skip(f"{self.program} is not on PATH: {self.installed}")
        [self.port] = free_ports(1)
        self.log = folder / f"{self.program}.log"
        folder.mkdir(parents=True, exist_ok=True)
        with self.log.open("w") as log:
            self.process = subprocess.Popen([program, *self.options()], stdout=log, stderr=log)
        until(self._answers, f"{self.program} to start")

    def _answers(self):
        assert self.process.poll() is None, self.log.read_text()[-400:]
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    def __enter__(self):
        self.make_bucket()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.process.kill()
        self.process.wait()

    def send(self, method, path, body=b"", headers=()):
        status, text, _ = ask(self.port, method, path, body, headers)
        assert status < 300, f"{method} {path}: {status} {text[:300]}"

    def upload(self, model, name):
        """Store a model's folder under a name."""
        for file in sorted(model.rglob("*")):
            if file.is_file():
                content = file.read_bytes().replace(b'name: "simple"', f'name: "{name}"'.encode())
                self.put(f"models/{name}/{file.relative_to(model).as_posix()}", content)


def ask(port, method, path, body=b"", headers=()):
    """The status, body and headers of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT)
    connection.request(method, path, body, dict(headers))
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content, answer.headers


class S3(Emulator):
    name, program, installed = "S3", "moto_server", "pip install 'moto[server]'"
    # The emulator wants a signature, and does not check it.
    signed = {"authorization": "AWS4-HMAC-SHA256 Credential=id/20200101/us-east-1/s3/aws4_request"}

    def options(self):
        return ["-H", "127.0.0.1", "-p", str(self.port)]

    def make_bucket(self):
        self.send("PUT", f"/{BUCKET}", headers=self.signed)

    def put(self, key, content):
        self.send("PUT", f"/{BUCKET}/{key}", content, self.signed)

    def delete(self, key):
        self.send("DELETE", f"/{BUCKET}/{key}", headers=self.signed)

    def url(self, path=f"{BUCKET}/models"):
        return f"s3://127.0.0.1:{self.port}/{path}"

    def keys(self):
        return {"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"}


class Google(Emulator):
    """The emulator has no listing in XML, which clients use: a proxy makes it from that in JSON."""

    name, program = "Google Cloud", "gcp-storage-emulator"
    installed = "pip install gcp-storage-emulator"

    def __init__(self, folder):
        super().__init__(folder)
        self.proxy = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), partial(GoogleProxy, self.port)
        )
        threading.Thread(target=self.proxy.serve_forever, daemon=True).start()

    def stop(self):
        super().stop()
        self.proxy.shutdown()
        self.proxy.server_close()

    def options(self):
        return ["start", "--host=127.0.0.1", f"--port={self.port}", "--in-memory"]

    def make_bucket(self):
        body = json.dumps({"name": BUCKET}).encode()
        self.send("POST", "/storage/v1/b?project=p", body, {"content-type": "application/json"})

    def put(self, key, content):
        name = urllib.parse.quote(key, safe="")
        path = f"/upload/storage/v1/b/{BUCKET}/o?uploadType=media&name={name}"
        self.send("POST", path, content, {"content-type": "application/octet-stream"})

    def delete(self, key):
        self.send("DELETE", f"/storage/v1/b/{BUCKET}/o/{urllib.parse.quote(key, safe='')}")

    def url(self, path=f"{BUCKET}/models"):
        return f"gs://{path}"

    def keys(self):
        return {"STORAGE_EMULATOR_HOST": f"127.0.0.1:{self.proxy.server_port}"}


class GoogleProxy(http.server.BaseHTTPRequestHandler):
    def __init__(self, port, *arguments):
        self.emulator = port
        super().__init__(*arguments)

    def do_GET(self):
        address = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(address.query))
        if "list-type" in query:
            status, content = self.listed(address.path.strip("/"), query)
            headers = {}
        else:
            status, content, headers = ask(self.emulator, "GET", self.path)
        self.send_response(status)
        # Clients insist on headers that the emulator does not send with contents.
        self.send_header("etag", headers.get("etag", '"unknown"'))
        now = email.utils.formatdate(usegmt=True)
        self.send_header("last-modified", headers.get("last-modified", now))
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def listed(self, bucket, query):
        """The status and body of a listing."""
        query = {name: query[name] for name in ("prefix", "delimiter") if name in query}
        path = f"/storage/v1/b/{bucket}/o?{urllib.parse.urlencode(query)}"
        status, content, _ = ask(self.emulator, "GET", path)
        if status != 200:
            return status, content
        found = json.loads(content)
        root = ElementTree.Element("ListBucketResult")
        for item in found.get("items", []):
            entry = ElementTree.SubElement(root, "Contents")
            own = {"Key": "name", "Size": "size", "LastModified": "updated", "ETag": "etag"}
            for tag, name in own.items():
                ElementTree.SubElement(entry, tag).text = str(item[name])
        for prefix in found.get("prefixes", []):
            entry = ElementTree.SubElement(root, "CommonPrefixes")
            ElementTree.SubElement(entry, "Prefix").text = prefix
        return 200, ElementTree.tostring(root)

    def log_message(self, *_):
        """Print nothing."""


class Azure(Emulator):
    name, program, installed = "Azure", "azurite-blob", "npm install azurite"

    def options(self):
        place = ["--blobHost", "127.0.0.1", "--blobPort", str(self.port)]
        return [*place, "--inMemoryPersistence", "--skipApiVersionCheck", "--disableTelemetry"]

    def make_bucket(self):
        self.signed("PUT", f"/{BUCKET}", "restype=container")

    def put(self, key, content):
        self.signed("PUT", f"/{BUCKET}/{key}", "", content, {"x-ms-blob-type": "BlockBlob"})

    def delete(self, key):
        self.signed("DELETE", f"/{BUCKET}/{key}")

    def signed(self, method, path, query="", body=b"", headers=()):
        """Send a request with a signature by the account's key."""
        headers = {
            **dict(headers),
            "x-ms-date": email.utils.formatdate(usegmt=True),
            "x-ms-version": "2021-08-06",
        }
        own = "".join(f"{name}:{value}\n" for name, value in sorted(headers.items()))
        resource = f"/{ACCOUNT}/{ACCOUNT}{path}" + "".join(
            f"\n{name}:{value}" for name, value in urllib.parse.parse_qsl(query)
        )
        length = str(len(body)) if body else ""
        text = "\n".join([method, "", "", length, *[""] * 8, own + resource])
        digest = hmac.digest(base64.b64decode(KEY), text.encode(), hashlib.sha256)
        headers["authorization"] = f"SharedKey {ACCOUNT}:{base64.b64encode(digest).decode()}"
        path = f"/{ACCOUNT}{path}" + (f"?{query}" if query else "")
        self.send(method, path, body, headers)

    def url(self, path=f"{BUCKET}/models"):
        return f"as://{ACCOUNT}/{path}"

    def keys(self):
        endpoint = f"http://127.0.0.1:{self.port}/{ACCOUNT}"
        return {"AZURE_STORAGE_KEY": KEY, "AZURE_STORAGE_ENDPOINT": endpoint}


def environment(values):
    """The environment with these variables, and without those of other stores."""
    kept = {name: own for name, own in os.environ.items() if not name.startswith(VARIABLES)}
    return kept | values


def serve(suite, emulator, name, *flags, values=None):
    """A server of the emulator's repository."""
    log = emulator.log.parent / f"{name}.log"
    values = environment(emulator.keys() | (values or {}))
    return Server(suite.trident, emulator.url(), log, flags, environment=values)


def start(suite, kind, name):
    return kind(suite.folder / "stores" / f"{kind.name.replace(' ', '_')}_{name}")


def refusal(suite, url, values):
    """The exit status and the text of a server that does not start."""
    ended = subprocess.run(
        [suite.trident, "serve", url, *places_of("http", "grpc", "metrics")],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
        env=environment(values),
    )
    return ended.returncode, ended.stderr


def infer(running, model="simple"):
    """Check the first sum of a model's answer."""
    numbers = list(range(16))
    inputs = [
        {"name": name, "datatype": "INT32", "shape": [1, 16], "data": numbers}
        for name in ("INPUT0", "INPUT1")
    ]
    outputs = http_of(running).post(f"/v2/models/{model}/infer", {"inputs": inputs})["outputs"]
    assert outputs[0]["data"] == [2 * number for number in numbers], outputs[0]


def index(running):
    """{(model, version): state}, as the server shows it."""
    rows = http_of(running).post("/v2/repository/index", {})
    return {(row["name"], row.get("version")): row.get("state") for row in rows}


POLL = ("--model-control-mode=poll", "--repository-poll-secs=1")


def models_are_served(suite, kind):
    """Models are served, and new, changed and removed ones are found."""
    with start(suite, kind, "poll") as store:
        store.upload(MODEL, "simple")
        with serve(suite, store, "server", *POLL) as running:
            infer(running)
            store.upload(MODEL, "simple_too")
            store.put("models/simple/2/model.onnx", (MODEL / "1/model.onnx").read_bytes())
            until(lambda: index(running).get(("simple_too", "1")) == "READY", "a new model")
            until(lambda: index(running).get(("simple", "2")) == "READY", "a new version")
            infer(running)
            for file in MODEL.rglob("*"):
                if file.is_file():
                    store.delete(f"models/simple_too/{file.relative_to(MODEL).as_posix()}")
            until(
                lambda: index(running).get(("simple_too", "1")) == "UNAVAILABLE", "a removed model"
            )
            infer(running)


def a_store_that_is_away(suite, kind):
    """A server serves on while its store is away."""
    with start(suite, kind, "away") as store:
        store.upload(MODEL, "simple")
        with serve(suite, store, "server", *POLL) as running:
            store.stop()
            until(lambda: "serve on" in running.said(), "the log")
            infer(running)
            assert index(running)[("simple", "1")] == "READY", index(running)
            assert running.said().count("serve on") == 1, running.said()[-600:]


def clients_load_models(suite, kind):
    """In mode explicit, a load downloads the model."""
    with start(suite, kind, "explicit") as store:
        store.upload(MODEL, "simple")
        with serve(suite, store, "server", "--model-control-mode=explicit") as running:
            assert index(running) == {("simple", None): None}, index(running)
            http_of(running).load("simple")
            infer(running)


def a_server_that_is_killed(suite, kind):
    """A server that is killed leaves a copy, which the next one removes before it makes its own."""
    with start(suite, kind, "killed") as store:
        store.upload(MODEL, "simple")
        folder = store.log.parent / "temporary"
        folder.mkdir()
        own = {"TMPDIR": str(folder)}
        log = store.log.parent / "killed.log"
        with log.open("w") as said:
            command = [suite.trident, "serve", store.url(), *places_of("http", "grpc", "metrics")]
            values = environment(store.keys() | own)
            loading = subprocess.Popen(command, stdout=said, stderr=said, env=values)
            until(lambda: list(folder.glob("*/repository/models/simple")), "the copy")
            loading.kill()
            loading.wait()
        for turn in range(2):
            with serve(suite, store, f"server {turn}", *POLL, values=own) as running:
                infer(running)
                [copy] = folder.iterdir()
                assert list(copy.glob("repository/models/simple/1/model.onnx")), copy
                if turn == 0:
                    running.process.kill()
                    running.process.wait()
            assert len(list(folder.iterdir())) == 1 - turn, list(folder.iterdir())


def mistakes_are_told_apart(suite, kind):
    """No such bucket, no such folder and no store are told apart."""
    with start(suite, kind, "mistakes") as store:
        store.upload(MODEL, "simple")
        for path, text in (("nope/models", "no bucket"), (f"{BUCKET}/nope", "no folder")):
            status, error = refusal(suite, store.url(path), store.keys())
            assert status == 1 and text in error, (status, error)
        url, keys = store.url(), store.keys()
        store.stop()
        status, error = refusal(suite, url, keys)
        assert status == 1 and "cannot read" in error, (status, error)


def unchanged_objects(suite):
    """A poll downloads only objects whose ETag has changed."""
    with start(suite, S3, "tags") as store:
        store.upload(MODEL, "simple")

        def gets(end):
            lines = store.log.read_text().splitlines()
            return [line for line in lines if "GET /" in line and end in line]

        with serve(suite, store, "server", *POLL):
            lists = len(gets("list-type"))
            until(lambda: len(gets("list-type")) > lists + 3, "polls")
            assert len(gets("model.onnx")) == 1, gets("model.onnx")
            content = (MODEL / "config.pbtxt").read_bytes() + b"\n"
            store.put("models/simple/config.pbtxt", content)
            until(lambda: len(gets("config.pbtxt")) == 2, "the changed file")
            lists = len(gets("list-type"))
            until(lambda: len(gets("list-type")) > lists + 3, "polls")
            assert (len(gets("model.onnx")), len(gets("config.pbtxt"))) == (1, 2)


def folders_of_consoles(suite):
    """Objects that stand for folders are folders, not files."""
    with start(suite, S3, "folders") as store:
        store.upload(MODEL, "simple")
        for folder in ("", "simple/", "simple/1/", "simple/extra/", "empty/"):
            store.put(f"models/{folder}", b"")
        with serve(suite, store, "server", *POLL, "--exit-on-error=false") as running:
            infer(running)
            assert index(running)[("empty", None)] == "UNAVAILABLE", index(running)
            store.delete("models/simple/extra/")
            store.upload(MODEL, "simple_too")
            until(lambda: index(running).get(("simple_too", "1")) == "READY", "a new model")
            infer(running)


def keys_are_told_apart(suite):
    """No key and a key that is refused are told apart."""
    with start(suite, S3, "keys") as store:
        store.upload(MODEL, "simple")
        status, error = refusal(suite, store.url(), {"AWS_EC2_METADATA_DISABLED": "true"})
        assert status == 1 and "there is no key" in error, (status, error)
        assert "AWS_ACCESS_KEY_ID" in error, error
        store.send("POST", "/moto-api/reset-auth", b"0")
        status, error = refusal(suite, store.url(), store.keys())
        assert status == 1 and "is denied" in error, (status, error)


CHECKS = (
    models_are_served,
    a_store_that_is_away,
    clients_load_models,
    a_server_that_is_killed,
    mistakes_are_told_apart,
)
ONLY_S3 = (unchanged_objects, folders_of_consoles, keys_are_told_apart)
