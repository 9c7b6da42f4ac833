"""/metrics: two formats, true numbers, and the reference in the docs."""

import json
import pathlib
import re
import sys

import pytest
from prometheus_client.openmetrics import parser as openmetrics
from prometheus_client import parser as prometheus

from support import config
from support.admin import Admin
from support.clock import wait_until
from support.ports import free_port

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import metrics_reference  # noqa: E402  pylint: disable=wrong-import-position

ALL = "/metrics?scope=process,clients,pools,servers,server_times"
OPEN = {"Accept": "application/openmetrics-text;version=1.0.0,"
                  "text/plain;version=0.0.4;q=0.5"}


@pytest.fixture(name="run")
def _run(start, servers):
    """Starts a daemon with an admin listener: (daemon, its client)."""
    def go(rows=None):
        port = free_port()
        one = start(config.basic(
            free_port(), rows or [{"name": "s%d" % i, "address": s.text}
                                  for i, s in enumerate(servers[:3])],
            admin={"listen": "127.0.0.1:%d" % port}))
        return one, Admin(("127.0.0.1", port))
    return go


def samples(admin, path="/metrics"):
    """{(name, sorted labels): value}"""
    answer = admin.get(path)
    assert answer.status == 200, answer.text
    return {(s.name, tuple(sorted(s.labels.items()))): s.value
            for family in prometheus.text_string_to_metric_families(
                answer.text) for s in family.samples}


def test_both_formats_are_well_formed(run):
    one, admin = run()
    one.client().call(b"get a\r\n", b"END\r\n")
    plain = admin.get(ALL)
    assert plain.headers["Content-Type"] == \
        "text/plain; version=0.0.4; charset=utf-8"
    assert len(list(prometheus.text_string_to_metric_families(
        plain.text))) > 50
    opened = admin.get(ALL, OPEN)
    assert opened.headers["Content-Type"] == \
        "application/openmetrics-text; version=1.0.0; charset=utf-8"
    assert opened.text.endswith("\n# EOF\n")
    # It checks names, types, buckets and their order by itself.
    families = list(openmetrics.text_string_to_metric_families(opened.text))
    assert len(families) > 50
    assert "\r" not in opened.text


@pytest.mark.parametrize("accept, is_open", [
    (None, False), ("*/*", False), ("text/plain", False),
    ("application/openmetrics-text", True),
    ("application/openmetrics-text;q=0.9, text/plain;q=0.1", True),
    ("application/openmetrics-text;q=0, text/plain", False),
])
def test_accept_decides(run, accept, is_open):
    _, admin = run()
    answer = admin.get("/metrics", {"Accept": accept} if accept else {})
    assert answer.text.endswith("# EOF\n") == is_open


def test_commands_are_counted(run, key):
    one, admin = run()
    wire = one.client()
    before = samples(admin)
    wire.call(b"set %s 0 0 3\r\nabc\r\n" % key(), b"STORED\r\n")
    for _ in range(4):
        assert wire.ask(b"mg %s v\r\n" % key()) == b"VA 3"
        wire.line()
    wire.call(b"get %s\r\n" % key(b"none"), b"END\r\n")
    after = samples(admin)

    def grown(name, **labels):
        at = (name, tuple(sorted(labels.items())))
        return after[at] - before[at]

    assert grown("fairlead_cmd_set_total") == 1
    assert grown("fairlead_get_hits_total") == 4
    assert grown("fairlead_get_misses_total") == 1
    assert grown("fairlead_request_duration_seconds_count",
                 command="set") == 1
    assert grown("fairlead_request_duration_seconds_count",
                 command="meta_read") == 4
    assert sum(grown("fairlead_server_requests_total", pool="main",
                     server="s%d" % i) for i in range(3)) == 6
    assert grown("fairlead_all_servers_requests_total") == 6
    wire.call(b"stats reset\r\n", b"RESET\r\n")
    again = samples(admin)
    assert again[("fairlead_cmd_set_total", ())] == \
        after[("fairlead_cmd_set_total", ())]


def test_scopes(run):
    _, admin = run()
    names = {}
    for scope in ("process", "clients", "pools", "servers", "server_times"):
        names[scope] = {name for name, _ in samples(
            admin, "/metrics?scope=" + scope)}
        assert names[scope]
    for one, other in (("process", "clients"), ("pools", "servers"),
                       ("servers", "server_times")):
        assert not names[one] & names[other]
    every = {name for name, _ in samples(admin)}
    assert every == names["process"] | names["clients"] | names["pools"] | \
        names["servers"]
    for bad in ("", "server", "servers,", "process,,pools", "%00"):
        assert admin.get("/metrics?scope=" + bad).status == 400


def test_the_docs_say_how_many_series_there_are(run):
    one, admin = run()
    one.client().call(b"get a\r\n", b"END\r\n")
    docs = (ROOT / "docs/metrics.md").read_text()
    rows = re.findall(r"^\| (\w+) \| [^|]* \| ([^|]*\d[^|]*) \|$", docs, re.M)
    assert len(rows) == 5
    for scope, words in rows:
        wanted = sum(int(number) * {"": 1, "a pool": 1, "a server": 3}[unit]
                     for number, unit in re.findall(
                         r"(\d+) ?(a \w+|)", words))
        assert len(samples(admin, "/metrics?scope=" + scope)) == wanted, scope


def test_a_server_that_is_gone_has_no_series(run):
    one, admin = run()
    assert ("fairlead_server_up", (("pool", "main"), ("server", "s2"))) in \
        samples(admin)
    del one.config["pools"]["main"]["servers"][2]
    one.reload(one.config)
    after = samples(admin)
    assert not [labels for _, labels in after if ("server", "s2") in labels]
    assert after[("fairlead_pool_servers", (("pool", "main"),))] == 2
    assert after[("fairlead_config_generation", ())] == 2


def test_names_are_escaped(run, servers):
    one, admin = run([{"name": 'q"b\\c', "address": servers[0].text}])
    assert ("fairlead_server_up", (("pool", "main"), ("server", 'q"b\\c'))) \
        in samples(admin)
    assert one.is_running()


def test_a_dead_server_shows(run, own_servers):
    (server,) = own_servers(1)
    one, admin = run([{"name": "s0", "address": server.text}])
    labels = (("pool", "main"), ("server", "s0"))
    assert samples(admin)[("fairlead_server_up", labels)] == 1
    server.stop()
    wire = one.client()
    for _ in range(3):
        wire.send(b"get a\r\n")
        wire.line()
    one.log.wait(r"server \S+ (is )?down")
    after = samples(admin)
    assert after[("fairlead_server_up", labels)] == 0
    assert after[("fairlead_pool_servers_up", (("pool", "main"),))] == 0
    assert sum(value for (name, _), value in after.items()
               if name == "fairlead_server_failures_total") >= 3


def test_failures_and_replies_are_all_that_was_asked(run, own_servers):
    """So their sum is what a share of failures is of: what a server that is
    down is not sent is in it, too."""
    servers = own_servers(2)
    one, admin = run([{"name": "s%d" % i, "address": server.text}
                      for i, server in enumerate(servers)])
    servers[0].stop()
    with one.client() as wire:
        for i in range(100):
            wire.call(b"get k%d\r\n" % i, b"END\r\n")
    found = samples(admin)

    def total(name, server):
        return sum(value for (metric, labels), value in found.items()
                   if metric == name and ("server", server) in labels)

    failures = total("fairlead_server_failures_total", "s0")
    assert failures > total("fairlead_server_requests_total", "s0")
    assert failures + total("fairlead_server_replies_total", "s1") == 100


def test_a_pool_whose_servers_are_all_dead_shows(run, own_servers):
    """The last of them is used on, health.max_down says so, but to no end."""
    servers = own_servers(3)
    one, admin = run([{"name": "s%d" % i, "address": server.text}
                      for i, server in enumerate(servers)])
    for server in servers:
        server.kill()
    with one.client() as wire:
        for i in range(60):
            wire.call(b"get k%d\r\n" % i, b"END\r\n")
    # Whatever other lines there are of it.
    one.log.wait("stays in use")

    def useful():
        found = samples(admin)
        return found[("fairlead_pool_servers_up", (("pool", "main"),))] - \
            found[("fairlead_pool_servers_suspect", (("pool", "main"),))]

    assert useful() == 0
    assert admin.get("/-/ready?servers=1").status == 503
    for server in servers:
        server.start()
    wait_until(lambda: useful() > 0, "a server to answer its probe", 10)
    assert admin.get("/-/ready?servers=1").status == 200


def test_the_docs_have_the_table(run):
    """tools/metrics_reference.py writes what belongs between the marks."""
    one, admin = run()
    one.client().call(b"get a\r\n", b"END\r\n")
    wanted = metrics_reference.table(admin.get(ALL).text)
    docs = (ROOT / "docs/metrics.md").read_text()
    begin, end = metrics_reference.BEGIN, metrics_reference.END
    assert docs[docs.index(begin) + len(begin):docs.index(end)] == wanted


def _expressions():
    """Each expression of the rules and of the dashboard, with its place."""
    rules = (ROOT / "conf/monitoring/alerts.yaml").read_text()
    for found in re.finditer(r"expr: (>-\n(?: {10}.*\n)+|.*)", rules):
        yield "alerts.yaml", found.group(1)
    dashboard = json.loads((ROOT / "conf/monitoring/grafana-dashboard.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]


# What may stand where a series' name would: Prometheus makes these.
_MADE = {"up"}
_WORDS = re.compile(r'"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\b(?:by|without) *\([^)]*\)')


def series_in(expression):
    """The names of series that an expression asks for."""
    text = _WORDS.sub(" ", expression)
    return {name for name in re.findall(r"\b[a-z_]+\b(?!\s*\()", text)
            if name not in ("or", "and", "unless", "for")}


def test_alerts_and_dashboard_ask_for_what_there_is(run, key):
    one, admin = run()
    one.client().call(b"get %s\r\n" % key(), b"END\r\n")
    there = {name for name, _ in samples(admin, ALL)}
    asked = list(_expressions())
    assert len(asked) > 40
    for place, expression in asked:
        names = series_in(expression) - _MADE
        assert names or "up{" in expression, expression
        assert names <= there, "%s: %s" % (place, sorted(names - there))


def test_labels_that_are_grouped_by_are_there(run, key):
    """A sum by a label that no series has would be one line, silently."""
    one, admin = run()
    one.client().call(b"get %s\r\n" % key(), b"END\r\n")
    labels = {label for _, row in samples(admin, ALL) for label, _ in row}
    for place, expression in _expressions():
        for group in re.findall(r"\bby *\(([^)]*)\)", expression):
            wanted = {name.strip() for name in group.split(",")}
            assert wanted <= labels | {"instance", "job", "membership"}, place
