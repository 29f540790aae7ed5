"""The manifests fit Kubernetes' schemas, KServe's types, and each other."""

import importlib
import sys
import types
import unittest
from importlib.util import find_spec

import kubernetes_validate
from files import ROOT, deployment, document, documents, flag, runtime

#: The oldest release whose fields all are stable (`sleep` of `preStop`), and the newest one.
VERSIONS = "1.34", kubernetes_validate.latest_version()

MANIFESTS = "kubernetes/trident.yaml", "kubernetes/hpa.yaml"


def kserve_type(name):
    """A type of KServe's models, without the packages that `import kserve` needs."""
    if "kserve" not in sys.modules:
        [folder] = find_spec("kserve").submodule_search_locations
        for package, path in (("kserve", folder), ("kserve.models", f"{folder}/models")):
            module = types.ModuleType(package)
            module.__path__ = [path]
            sys.modules[package] = module
    file = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return getattr(importlib.import_module(f"kserve.models.{file[1:]}"), name)


def mismatches(value, kind, place):
    """The places where a value differs from a type of KServe's models."""
    plain = {"str": str, "bool": bool, "int": int, "dict(str, str)": dict}
    if kind.startswith("list["):
        if not isinstance(value, list):
            return [f"{place} is not a list"]
        inner = kind.removeprefix("list[").removesuffix("]")
        return [
            fault
            for index, each in enumerate(value)
            for fault in mismatches(each, inner, f"{place}[{index}]")
        ]
    if kind in plain:
        return [] if type(value) is plain[kind] else [f"{place} is not {kind}"]
    if not kind.startswith("V1alpha1"):
        return []  # a type of Kubernetes, see `test_the_container_fits`
    model = kserve_type(kind)
    names = {key: attribute for attribute, key in model.attribute_map.items()}
    faults = [f"{place}.{key} is unknown" for key in value if key not in names]
    for key in value.keys() & names.keys():
        faults += mismatches(value[key], model.openapi_types[names[key]], f"{place}.{key}")
    try:
        model(**{names[key]: each for key, each in value.items() if key in names})
    except ValueError as error:  # a field that must be there
        faults.append(f"{place}: {error}")
    return faults


class Schemas(unittest.TestCase):
    def test_manifests_fit(self):
        for version in VERSIONS:
            for manifest in (each for name in MANIFESTS for each in documents(name)):
                with self.subTest(kind=manifest["kind"], version=version):
                    kubernetes_validate.validate(manifest, version, strict=True)

    def test_an_unknown_field_does_not_fit(self):
        manifest = document(MANIFESTS[0], "Deployment")
        manifest["spec"]["replica"] = 2
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(manifest, VERSIONS[1], strict=True)


class KServe(unittest.TestCase):
    def setUp(self):
        self.manifest = document("kubernetes/kserve-runtime.yaml", "ClusterServingRuntime")

    def test_the_runtime_fits(self):
        self.assertEqual(self.manifest["apiVersion"], "serving.kserve.io/v1alpha1")
        spec = self.manifest["spec"]
        self.assertEqual(mismatches(spec, "V1alpha1ServingRuntimeSpec", "spec"), [])
        spec["supportedModelFormats"][0] = {"version": 1, "kind": "onnx"}
        del spec["containers"]
        faults = mismatches(spec, "V1alpha1ServingRuntimeSpec", "spec")
        self.assertEqual(len(faults), 3, faults)

    def test_the_container_fits(self):
        spec = {"containers": [runtime()]}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": spec}
        for version in VERSIONS:
            kubernetes_validate.validate(pod, version, strict=True)

    def test_kserve_finds_container_and_ports(self):
        container = runtime()
        self.assertEqual(container["name"], "kserve-container")
        # KServe's own runtime for the Triton Inference Server has these arguments.
        expected = {"model-store": "/mnt/models", "http-port": "8080", "grpc-port": "9000"}
        for name, value in expected.items():
            self.assertEqual(flag(container["args"], name), value)
        ports = [container["ports"][0]["containerPort"]]
        ports += [value["httpGet"]["port"] for key, value in container.items() if "Probe" in key]
        self.assertEqual(ports, [8080] * 4)


class References(unittest.TestCase):
    def setUp(self):
        [self.container] = deployment()["containers"]
        self.ports = {port["name"]: port["containerPort"] for port in self.container["ports"]}

    def test_selectors_select_the_pod(self):
        deployment = document(MANIFESTS[0], "Deployment")["spec"]
        labels = deployment["template"]["metadata"]["labels"]
        selectors = [deployment["selector"]["matchLabels"]]
        for manifest in documents(MANIFESTS[0])[1:]:
            selector = manifest["spec"]["selector"]
            selectors.append(selector.get("matchLabels", selector))
        self.assertEqual(selectors, [labels] * 4)

    def test_ports_have_the_names_that_services_and_probes_use(self):
        self.assertEqual(self.ports, {"http": 8000, "h2c": 8001, "metrics": 8002})
        for manifest in documents(MANIFESTS[0]):
            if manifest["kind"] == "Service":
                for port in manifest["spec"]["ports"]:
                    self.assertEqual(self.ports[port["targetPort"]], port["port"])
        probes = [probe for key, probe in self.container.items() if key.endswith("Probe")]
        self.assertEqual([probe["httpGet"]["port"] for probe in probes], ["http"] * 3)

    def test_probes_ask_for_paths_of_the_protocol(self):
        recorded = (ROOT / "conformance/server/http.jsonl").read_text()
        for container in (self.container, runtime()):
            for kind, path in (("startup", "ready"), ("readiness", "ready"), ("liveness", "live")):
                probe = container[f"{kind}Probe"]["httpGet"]["path"]
                self.assertEqual(probe, f"/v2/health/{path}")
                self.assertIn(f'"{probe}"', recorded)

    def test_a_pod_may_finish_its_requests(self):
        pause = self.container["lifecycle"]["preStop"]["sleep"]["seconds"]
        drain = int(flag(self.container["args"], "exit-timeout-secs"))
        self.assertGreater(deployment()["terminationGracePeriodSeconds"], pause + drain)

    def test_autoscalers_scale_the_deployment_on_a_metric_of_the_server(self):
        name = document(MANIFESTS[0], "Deployment")["metadata"]["name"]
        hpa = document("kubernetes/hpa.yaml", "HorizontalPodAutoscaler")["spec"]
        keda = document("kubernetes/keda.yaml", "ScaledObject")["spec"]
        [adapter] = documents("kubernetes/prometheus-adapter.yaml")
        metric = hpa["metrics"][0]["pods"]["metric"]["name"]
        recorded = (ROOT / "conformance/server/metrics.txt").read_text()
        self.assertIn(f"# TYPE {metric} gauge", recorded)
        self.assertIn(f"sum({metric}{{", keda["triggers"][0]["metadata"]["query"])
        self.assertTrue(adapter["rules"]["custom"][0]["seriesQuery"].startswith(f"{metric}{{"))
        for scaler in (hpa, keda):
            self.assertEqual(scaler["scaleTargetRef"]["name"], name)
