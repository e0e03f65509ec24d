"""`deploy/`: what compose and the chart name is there, fits together, and holds no secret."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from jackfield.core.checks.metric_values import KERNEL_METRICS
from jackfield.http.probes import PROBES

sys.path.insert(0, str(Path(__file__).parent))

from chart_templates import Chart

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
CHART = DEPLOY / "helm/jackfield"
CONFIGURATION = (ROOT / "docs/configuration.md").read_text()
PORT = 8765
DAEMONS = ("one", "two")
WANTED = re.compile(r"\$\{(\w+)(?::([?-])([^}]*))?\}")
SECRET = re.compile(r"PASSWORD|KEY|DSN|TOKEN")
Values = dict[str, Any]


@pytest.fixture(scope="module")
def compose() -> Values:
    found: Values = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def chart(**values: Values) -> list[Values]:
    made = Chart(CHART)
    for table, changed in values.items():
        made.values[table] |= changed
    return made.documents()


def of_kind(documents: list[Values], kind: str) -> Values:
    (found,) = [each for each in documents if each["kind"] == kind]
    return found


def unknown(names: set[str]) -> set[str]:
    """Of environment variables of ours: those that the configuration does not name."""
    return {name for name in names if name.startswith("JACKFIELD_") and f"`{name}`" not in CONFIGURATION}


def accepted(environment: dict[str, str], config_dir: Path) -> Values:
    """The settings that a daemon makes of it. A value that it refuses fails."""
    command = [Path(sys.executable).with_name("jackfield"), "config", "--format", "json", "--config-dir", config_dir]
    env = {"PATH": os.environ["PATH"], **environment}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: Values = json.loads(done.stdout)
    return found


def seconds(duration: str) -> float:
    return float(duration.removesuffix("s"))


def given(text: str) -> str:
    """A value of compose once `.env` gives all that it wants."""
    return WANTED.sub(lambda wish: wish[3] if wish[2] == "-" else "given-to-it", text)


# ---------------------------------------------------------------------------------------------------------- compose


def test_compose_names_settings_that_there_are(compose: Values, tmp_path: Path) -> None:
    environments = [compose["services"][name]["environment"] for name in DAEMONS]
    assert not unknown({name for each in environments for name in each})
    roles = set()
    for environment in environments:
        found = accepted({name: given(value) for name, value in environment.items()}, tmp_path)
        assert (found["store.name"], found["bus.name"]) == ("postgres", "nats")
        roles |= set(found["daemon.roles"])
    assert roles == {"ingress", "flows", "agents", "ui"}


def test_composes_daemons_have_names_and_addresses_of_their_own(compose: Values) -> None:
    for name in DAEMONS:
        service = compose["services"][name]
        assert service["hostname"] == service["environment"]["JACKFIELD_HOSTS_NAME"] == name
        assert service["environment"]["JACKFIELD_HOSTS_ADDRESS"] == f"http://{name}:{PORT}"


def test_composes_addresses_lead_to_its_services(compose: Values) -> None:
    environment = compose["services"]["one"]["environment"]
    assert "@postgres:5432/" in environment["JACKFIELD_STORE_POSTGRES_DSN"]
    assert environment["JACKFIELD_BUS_NATS_SERVERS"] == "nats://nats:4222"
    assert "4222" in compose["services"]["nats"]["command"]
    caddyfile = (DEPLOY / "Caddyfile").read_text()
    assert f"reverse_proxy {' '.join(f'{name}:{PORT}' for name in DAEMONS)} {{" in caddyfile
    (path,) = re.findall(r"health_uri (\S+)", caddyfile)
    assert path in PROBES
    assert f"Host 127.0.0.1:{PORT}" in caddyfile
    networks = compose["networks"]["inner"]["ipam"]["config"]
    assert environment["JACKFIELD_SERVER_TRUSTED_PROXIES"] == networks[0]["subnet"]
    check = compose["services"]["one"]["healthcheck"]["test"][-1]
    assert any(f"127.0.0.1:{PORT}{probe}'" in check for probe in PROBES)
    assert f"| `port` | `{PORT}` |" in CONFIGURATION


def test_compose_gives_a_daemon_time_to_hand_over(compose: Values) -> None:
    for name in DAEMONS:
        service = compose["services"][name]
        drain = float(service["environment"]["JACKFIELD_DAEMON_SHUTDOWN_TIMEOUT"])
        assert seconds(service["stop_grace_period"]) >= drain + 10


def test_compose_holds_no_secret(compose: Values) -> None:
    for service in compose["services"].values():
        for name, value in service.get("environment", {}).items():
            if SECRET.search(name) and not name.endswith("_FILE"):
                assert WANTED.search(value), name
                assert all(wish[1] == "?" for wish in WANTED.findall(value)), f"{name} has a default"


def test_the_example_of_env_has_all_that_compose_wants_and_no_secret() -> None:
    wanted = {name for name, _, _ in WANTED.findall((DEPLOY / "compose.yaml").read_text())}
    lines = [line for line in (DEPLOY / ".env.example").read_text().splitlines() if line and line[0] != "#"]
    example = dict(line.split("=", 1) for line in lines)
    assert set(example) == wanted
    assert not [name for name, value in example.items() if value and SECRET.search(name)]


def test_the_image_is_not_roots_and_has_the_drivers() -> None:
    last = (DEPLOY / "Dockerfile").read_text().rpartition("\nFROM ")[2]
    assert "\nUSER 10001:10001\n" in last
    assert f"\nEXPOSE {PORT}\n" in last
    (extras,) = re.findall(r"whl\)\[([\w,]+)\]", (DEPLOY / "Dockerfile").read_text())
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {"postgres", "nats", "s3"} <= set(extras.split(",")) <= set(known)
    assert not unknown(set(re.findall(r"JACKFIELD_(?!UI_BUILD)\w+", (DEPLOY / "Dockerfile").read_text())))
    (check,) = re.findall(r"^    CMD (\[.+\])$", last[last.index("\nHEALTHCHECK ") :], re.MULTILINE)
    code = json.loads(check)[-1]
    assert any(f"'JACKFIELD_SERVER_PORT', '{PORT}') + '{probe}'" in code for probe in PROBES)


def test_what_the_builder_gets_holds_no_secret_of_compose() -> None:
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    assert {"**/.env", ".git"} <= set(ignored)


def test_a_daemon_writes_to_its_volume_alone(compose: Values) -> None:
    for name in DAEMONS:
        service = compose["services"][name]
        assert service["read_only"] is True
        assert [mount.partition(":")[0] for mount in service["tmpfs"]] == ["/tmp"]
        assert [mount.partition(":")[2] for mount in service["volumes"]] == ["/var/lib/jackfield"]
    for document in chart():
        if document["kind"] not in ("Deployment", "StatefulSet"):
            continue
        pod = document["spec"]["template"]["spec"]
        claims = [claim["metadata"]["name"] for claim in document["spec"].get("volumeClaimTemplates", [])]
        (container,) = pod["containers"]
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
        assert set(mounts) == {*claims, *(volume["name"] for volume in pod["volumes"])}
        assert set(mounts.values()) == {"/data", "/tmp"}


# ------------------------------------------------------------------------------------------------------------ chart


def pods(documents: list[Values]) -> list[Values]:
    return [each["spec"]["template"]["spec"] for each in documents if each["kind"] in ("Deployment", "StatefulSet")]


def test_the_chart_has_a_deployment_for_flows_and_a_stateful_set_for_agents() -> None:
    documents = chart()
    kinds = sorted(each["kind"] for each in documents)
    assert kinds == [
        "Deployment",
        "HorizontalPodAutoscaler",
        "PodDisruptionBudget",
        "Service",
        "Service",
        "StatefulSet",
    ]
    (claim,) = of_kind(documents, "StatefulSet")["spec"]["volumeClaimTemplates"]
    assert claim["spec"]["resources"]["requests"]["storage"] == "20Gi"
    assert "storageClassName" not in claim["spec"]
    assert "replicas" not in of_kind(documents, "Deployment")["spec"]  # the autoscaler's


def test_the_chart_without_agents_and_without_an_autoscaler() -> None:
    documents = chart(agents={"enabled": False}, flows={"autoscaling": {"enabled": False}, "replicas": 3})
    assert sorted(each["kind"] for each in documents) == ["Deployment", "PodDisruptionBudget", "Service"]
    assert of_kind(documents, "Deployment")["spec"]["replicas"] == 3


def test_the_chart_names_settings_that_there_are(tmp_path: Path) -> None:
    for pod in pods(chart(extraEnvironment={"JACKFIELD_LOGS_LEVEL": "debug"})):
        environment = {entry["name"]: entry for entry in pod["containers"][0]["env"]}
        assert len(environment) == len(pod["containers"][0]["env"]), "a variable is there twice"
        assert not unknown(set(environment))
        values = {
            name: re.sub(r"\$\(\w+\)", "10-0-0-7", str(entry.get("value", "given-to-it")))
            for name, entry in environment.items()
            if name != "JACKFIELD_CONFIG_DIR"
        }
        found = accepted(values, tmp_path)
        assert (found["store.name"], found["logs.level"]) == ("postgres", "debug")


def test_secrets_reach_the_charts_pods_by_reference_alone() -> None:
    for pod in pods(chart()):
        for entry in pod["containers"][0]["env"]:
            if SECRET.search(entry["name"]):
                assert "secretKeyRef" in entry["valueFrom"], entry["name"]
    assert not [each for each in chart() if each["kind"] == "Secret"]


def test_every_value_of_the_chart_is_used() -> None:
    made = Chart(CHART)
    made.values["flows"]["autoscaling"]["enabled"] = False
    made.values["agents"]["storageClass"] = "fast"
    made.documents()
    made.values["flows"]["autoscaling"]["enabled"] = True
    made.documents()
    values = yaml.safe_load((CHART / "values.yaml").read_text())

    def leaves(table: Values, above: str = "") -> set[str]:
        found = {above + name for name, value in table.items() if not isinstance(value, dict) or not value}
        for name, value in table.items():
            if isinstance(value, dict) and value and above + name not in made.asked:
                found |= leaves(value, f"{above}{name}.")
        return {each for each in found if each not in made.asked}

    assert not leaves(values)


def test_a_pod_of_the_chart_drains_within_its_grace_and_is_asked_at_its_own_address() -> None:
    for pod in pods(chart()):
        (container,) = pod["containers"]
        environment = {entry["name"]: entry.get("value") for entry in container["env"]}
        pause = float(container["lifecycle"]["preStop"]["exec"]["command"][1])
        drain = float(environment["JACKFIELD_DAEMON_SHUTDOWN_TIMEOUT"])
        assert pod["terminationGracePeriodSeconds"] >= pause + drain + 10
        assert pod["securityContext"]["runAsUser"] == 10001
        assert pod["enableServiceLinks"] is False  # JACKFIELD_PORT of a Service is no setting
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        for name in ("readinessProbe", "livenessProbe", "startupProbe"):
            probe = container[name]["httpGet"]
            assert probe["path"] in PROBES
            assert probe["httpHeaders"] == [{"name": "Host", "value": f"127.0.0.1:{ports[probe['port']]}"}]


def test_the_charts_selectors_find_its_pods() -> None:
    documents = chart()
    labels = {
        each["metadata"]["name"]: each["spec"]["template"]["metadata"]["labels"]
        for each in documents
        if each["kind"] in ("Deployment", "StatefulSet")
    }
    for document in documents:
        selector = document["spec"].get("selector", {})
        wanted = selector.get("matchLabels", selector)
        if document["kind"] == "HorizontalPodAutoscaler":
            assert document["spec"]["scaleTargetRef"]["name"] in labels
        else:
            assert [found for found in labels.values() if wanted.items() <= found.items()] != [], document["kind"]


def test_the_autoscaler_looks_at_metrics_that_daemons_have() -> None:
    for metric in of_kind(chart(), "HorizontalPodAutoscaler")["spec"]["metrics"]:
        assert metric["pods"]["metric"]["name"].removeprefix("jackfield_") in KERNEL_METRICS


def test_the_versions_are_the_products() -> None:
    from jackfield.api.version import __version__

    about = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert about["appVersion"] == __version__


needs_helm = pytest.mark.skipif(shutil.which("helm") is None, reason="helm is not installed")
VARIANTS: dict[str, dict[str, Values]] = {
    "as it stands": {},
    "without agents": {"agents": {"enabled": False}},
    "without autoscaling": {"flows": {"autoscaling": {"enabled": False}}},
    "with a storage class and a bucket": {
        "agents": {"storageClass": "fast"},
        "extraEnvironment": {"JACKFIELD_BINARY_NAME": "s3"},
    },
}


def of_helm(values: dict[str, Values], place: Path) -> list[Values]:
    """What `helm template` makes of the chart. A helm of `go install` takes itself for one of Kubernetes 1.20."""
    file = place / "values.json"
    file.write_text(json.dumps(values))
    command = ["helm", "template", "jackfield", CHART, "--kube-version", "1.30.0", "--values", file]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [found for found in yaml.safe_load_all(done.stdout) if found]


@needs_helm
def test_helm_takes_the_chart() -> None:
    done = subprocess.run(["helm", "lint", "--strict", CHART], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_helm
@pytest.mark.parametrize("name", VARIANTS)
def test_helm_makes_the_same_of_it_as_the_reader_of_these_tests(name: str, tmp_path: Path) -> None:
    def order(document: Values) -> tuple[str, str]:
        return document["kind"], document["metadata"]["name"]

    values = VARIANTS[name]
    assert sorted(of_helm(values, tmp_path), key=order) == sorted(chart(**values), key=order)


@pytest.mark.parametrize("version", ["1.27", "1.30", "1.34", "1.37"])
@pytest.mark.parametrize("name", VARIANTS)
def test_kubernetes_schemas_take_what_the_chart_makes(name: str, version: str) -> None:
    """Strictly: a field that Kubernetes does not know is an error."""
    validator = pytest.importorskip("kubernetes_validate", reason="tox -e deployment")
    made = chart(**VARIANTS[name])
    assert made
    for document in made:
        validator.validate(document, version, strict=True)


def test_kubernetes_schemas_know_a_wrong_field() -> None:
    validator = pytest.importorskip("kubernetes_validate", reason="tox -e deployment")
    [deployment] = [found for found in chart() if found["kind"] == "Deployment"]
    deployment["spec"]["replica"] = 2
    with pytest.raises(validator.ValidationError, match="replica"):
        validator.validate(deployment, "1.30", strict=True)
