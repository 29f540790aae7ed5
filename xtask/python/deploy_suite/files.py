"""The files of `deploy`, parsed."""

import re
import shlex
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy"


def documents(name):
    """The documents of a YAML file."""
    return list(yaml.safe_load_all((DEPLOY / name).read_text()))


def document(name, kind):
    """The document of a kind that a YAML file has."""
    [found] = [each for each in documents(name) if each["kind"] == kind]
    return found


def unit():
    """The settings of the systemd unit; the last one of a name wins."""
    lines = (DEPLOY / "trident.service").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if re.match(r"\w+=", line))


def deployment():
    """The pod of the Deployment."""
    return document("kubernetes/trident.yaml", "Deployment")["spec"]["template"]["spec"]


def runtime():
    """The container of KServe's runtime."""
    spec = document("kubernetes/kserve-runtime.yaml", "ClusterServingRuntime")["spec"]
    [container] = spec["containers"]
    return container


def flags():
    """The flags that each file passes to the server, as `--name=value`, by the file's name."""
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    [arguments] = re.findall(r"^CMD (\[.*\])$", dockerfile, re.M)
    [container] = deployment()["containers"]
    readme = (DEPLOY / "README.md").read_text()
    found = {
        "trident.service": shlex.split(unit()["ExecStart"]),
        "Dockerfile": yaml.safe_load(arguments),
        "kubernetes/trident.yaml": container["args"],
        "kubernetes/kserve-runtime.yaml": runtime()["args"],
        "README.md": re.findall(r"--[a-z-]+-address=[^\s`]+", readme),
    }
    return {
        name: [each for each in arguments if each.startswith("--")]
        for name, arguments in found.items()
    }


def flag(arguments, name):
    """The value of a flag."""
    [value] = [each.split("=", 1)[1] for each in arguments if each.startswith(f"--{name}=")]
    return value
