"""The examples for containers: what they promise in their comments."""

import pathlib
import re

import pytest
import yaml

from support.fairlead import run

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIDECAR = ROOT / "conf/kubernetes/sidecar.yaml"
COMPOSE = ROOT / "conf/compose/compose.yaml"
PROBE = re.compile(r"^(live|ready|startup)$")


@pytest.fixture(scope="module")
def documents():
    """{kind: document} of the Kubernetes example."""
    found = list(yaml.safe_load_all(SIDECAR.read_text()))
    assert all(one["apiVersion"] and one["metadata"]["name"]
               for one in found)
    return {one["kind"]: one for one in found}


@pytest.fixture(scope="module")
def pod(documents):
    return documents["Deployment"]["spec"]["template"]["spec"]


@pytest.fixture(scope="module")
def sidecar(pod):
    return next(one for one in pod["initContainers"]
                if one["name"] == "fairlead")


@pytest.fixture
def configuration(documents, tmp_path):
    path = tmp_path / "fairlead.yaml"
    path.write_text(documents["ConfigMap"]["data"]["fairlead.yaml"])
    return path


def probes(sidecar):
    return {name: sidecar[name]["exec"]["command"]
            for name in ("startupProbe", "livenessProbe")}


def test_its_configuration_is_good(configuration):
    done = run("-t", "-c", str(configuration))
    assert done.returncode == 0, done.stderr.decode()


def test_it_is_a_native_sidecar(sidecar):
    assert sidecar["restartPolicy"] == "Always"
    assert "lifecycle" not in sidecar, "the application still needs it"


def test_its_probes_ask_where_it_listens(sidecar, configuration):
    listen = yaml.safe_load(configuration.read_text())["admin"]["listen"]
    for command in probes(sidecar).values():
        assert command[0] == "/usr/sbin/fairlead", "there is no shell"
        assert command[1] == "probe" and PROBE.match(command[2])
        assert command[3:] == ["-a", listen]


def test_its_sockets_and_files_are_mounted(sidecar, pod, configuration):
    mounts = {one["mountPath"]: one for one in sidecar["volumeMounts"]}
    assert not any("subPath" in one for one in mounts.values())
    listen = yaml.safe_load(configuration.read_text())["admin"]["listen"]
    assert str(pathlib.Path(listen[len("unix:"):]).parent) in mounts
    assert str(pathlib.Path(sidecar["args"][1]).parent) in mounts
    names = {one["name"] for one in pod["volumes"]}
    assert {one["name"] for one in mounts.values()} <= names


def test_it_runs_with_as_little_as_it_can(sidecar, pod):
    context = sidecar["securityContext"]
    assert context["readOnlyRootFilesystem"] is True
    assert context["allowPrivilegeEscalation"] is False
    assert context["capabilities"] == {"drop": ["ALL"]}
    assert isinstance(context["runAsUser"], int) and context["runAsUser"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"]["type"] == \
        "RuntimeDefault"


def _bytes(text):
    number, unit = re.fullmatch(r"(\d+)(Mi|MiB|m)B?", text).groups()
    assert unit
    return int(number) << 20


def test_its_limits_fit_into_the_container_s(sidecar, configuration):
    limit = _bytes(sidecar["resources"]["limits"]["memory"])
    ours = yaml.safe_load(configuration.read_text())["limits"]["memory"]
    assert _bytes(ours) <= 0.6 * limit


def test_there_is_time_to_stop(pod, configuration):
    done = run("-T", "-c", str(configuration))
    ours = int(re.search(rb"^shutdown_timeout: (\d+)s$", done.stdout,
                         re.M).group(1))
    assert pod["terminationGracePeriodSeconds"] >= ours + 2


def test_compose_has_three_servers_that_are_named():
    services = yaml.safe_load(COMPOSE.read_text())["services"]
    servers = {name for name in services if name.startswith("memcached")}
    assert len(servers) == 3
    path = COMPOSE.parent / "fairlead/fairlead.yaml"
    ours = yaml.safe_load(path.read_text())
    assert {one["address"].split(":")[0]
            for one in ours["pools"]["main"]["servers"]} == servers
    done = run("-t", "-c", str(path))
    assert done.returncode == 0, done.stderr.decode()
    fairlead = services["fairlead"]
    assert fairlead["read_only"] and fairlead["cap_drop"] == ["ALL"]
    assert _bytes(ours["limits"]["memory"]) <= \
        0.6 * _bytes(fairlead["mem_limit"])
    assert set(fairlead["depends_on"]) == servers


def test_every_place_has_the_version_of_meson_build():
    version = re.search(r"^  version: '([^']+)',$",
                        (ROOT / "meson.build").read_text(), re.M).group(1)
    assert run("--version").stdout.decode().split()[1] == version
    for path, pattern in ((ROOT / "Dockerfile", r'image\.version="(.*)"'),
                          (SIDECAR, r"image: fairlead:(\S+)"),
                          (COMPOSE, r"image: fairlead:(\S+)"),
                          (COMPOSE, r"docker build -t fairlead:(\S+)")):
        assert re.search(pattern, path.read_text()).group(1) == version
