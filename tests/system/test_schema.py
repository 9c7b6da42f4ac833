"""`fairlead schema` and the parser: one verdict on the same files."""

import json
import pathlib
import re

import jsonschema
import pytest
import yaml

from support.fairlead import run

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted(ROOT.glob("conf/*.yaml"))


class Loader(yaml.SafeLoader):
    """YAML as editors read it (1.2): no other word than true is a truth."""


Loader.yaml_implicit_resolvers = {}
for kind, pattern, first in (
        ("null", r"^(~|null|Null|NULL|)$", ["~", "n", "N", ""]),
        ("bool", r"^(true|false)$", list("tf")),
        ("int", r"^[-+]?[0-9]+$", list("-+0123456789")),
        ("float", r"^[-+]?[0-9]+\.[0-9]*$", list("-+0123456789"))):
    Loader.add_implicit_resolver("tag:yaml.org,2002:" + kind,
                                 re.compile(pattern), first)


@pytest.fixture(scope="module")
def schema():
    done = run("schema")
    assert done.returncode == 0, done
    jsonschema.Draft7Validator.check_schema(json.loads(done.stdout))
    return jsonschema.Draft7Validator(json.loads(done.stdout))


def verdicts(schema, text, tmp_path):
    """What the schema and what the parser say: two complaints, or ""."""
    path = tmp_path / "tried.yaml"
    path.write_text(text)
    done = run("-t", "-c", str(path))
    by_parser = done.stderr.decode() if done.returncode else ""
    found = list(schema.iter_errors(yaml.load(text, Loader)))
    return "\n".join(map(str, found)), by_parser


def test_the_file_in_conf_is_what_the_program_prints():
    assert (ROOT / "conf/fairlead.schema.json").read_bytes() == \
        run("schema").stdout, "fairlead schema > conf/fairlead.schema.json"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_name_the_schema_and_keep_it(schema, path, tmp_path,
                                              monkeypatch):
    monkeypatch.setenv("CACHE_A", "10.0.0.1")
    text = path.read_text()
    assert text.splitlines()[0] == \
        "# yaml-language-server: $schema=fairlead.schema.json"
    assert verdicts(schema, text, tmp_path) == ("", "")


HEAD = "listeners: [{listen: '127.0.0.1:1'}]\n"
POOL = HEAD + "pools: {main: {servers: ['a:1', 'b:2'], %s}}\n"
TOP = HEAD + "pools: {main: {servers: ['a:1']}}\n%s\n"
SERVER = HEAD + "pools: {main: {servers: [%s]}}\n"
LISTENER = "listeners: [{%s}]\npools: {main: {servers: ['a:1']}}\n"

GOOD = (
    TOP % "", TOP % "workers: 2", TOP % "workers: '2'",
    TOP % "workers: ${N:-3}", TOP % "config_version: 1",
    TOP % "shutdown_timeout: 0", TOP % "shutdown_timeout: 250ms",
    TOP % "shutdown_timeout: ${X:-1s}",
    TOP % "limits: {clients: 5, memory: 64MiB}",
    TOP % "reload: {watch: 2s}",
    TOP % "admin: {listen: '127.0.0.1:9211', actions: true}",
    TOP % "admin: {listen: 'unix:/run/a', actions: 'true'}",
    POOL % "placement: modula", POOL % "hash_tag: '{}'",
    POOL % "hash_tag: ''", POOL % "flush_all: 'false'",
    POOL % "placement: twemproxy-ketama, hash: md5, unsigned_chars: true",
    POOL % "placement: memcached-ring, hash_seed: 7",
    POOL % "hash: siphash, hash_key: 0123456789abcdef0123456789abcdef",
    POOL % "timeouts: {connect: 1s}, health: {failures: 2}",
    POOL % "on_down: next",
    SERVER % "{address: 'a:1', weight: 2}",
    SERVER % "{address: 'a:1', name: 5}",
    SERVER % "'[::1]:11211', 'unix:/x', 'a.b.:1', '10.0.0.1:2'",
    SERVER % "'${HOST:-a}:1'",
    LISTENER % "listen: 'unix:/x', mode: '0660', socket: main",
    LISTENER % "listen: '[::]:1', pool: main, auth: accept",
    LISTENER % "listen: '1.2.3.4:1', routes: [{prefix: 'a', pool: main}]",
)

BAD = (
    "", "[]", "5", "listeners: []\npools: {}", HEAD, TOP % "nonsense: 1",
    TOP % "workers: 0", TOP % "workers: 65", TOP % "workers: two",
    TOP % "workers: true", TOP % "workers:", TOP % "workers: [1]",
    TOP % "config_version: 2", TOP % "shutdown_timeout: 250",
    TOP % "shutdown_timeout: 1 s", TOP % "shutdown_timeout: 1d",
    TOP % "limits: {memory: 5}", TOP % "limits: {memory: 5MB}",
    TOP % "limits: 5", TOP % "limits: {clients: 0}",
    TOP % "admin: {actions: yes}", TOP % "admin: {listen: 'localhost:1'}",
    POOL % "placement: ketamaa", POOL % "hash_tag: '{'",
    POOL % "hash_tag: '{}}'", POOL % "flush_all: 1",
    POOL % "unsigned_chars: true", POOL % "hash_seed: x",
    POOL % "placement: ring, hash_stop: x",
    POOL % "hash: siphash, hash_key: 0123", POOL % "on_down: maybe",
    POOL % "timeouts: {conect: 1s}", POOL % "timeouts: 1s",
    POOL % "health: {failures: 0}", POOL % "server_connections: 65",
    HEAD + "pools: {main: {servers: []}}", HEAD + "pools: {main: {}}",
    HEAD + "pools: {'a b': {servers: ['a:1']}}",
    HEAD + "pools: {'-a': {servers: ['a:1']}}", HEAD + "pools: {a: b}",
    HEAD + "pools: {a: {servers: 'a:1'}}",
    SERVER % "'a'", SERVER % "'a:b'", SERVER % "':1'", SERVER % "'::1:1'",
    SERVER % "{weight: 1}", SERVER % "{address: 'a:1', weight: 0}",
    SERVER % "{address: 'a:1', wait: 1}", SERVER % "[a]",
    SERVER % "{address: 'a:1', name: ''}", SERVER % "5",
    LISTENER % "pool: main", LISTENER % "listen: 'host:1'",
    LISTENER % "listen: 'unix:'", LISTENER % "listen: '1.2.3.4:1', mod: 1",
    LISTENER % "listen: 'unix:/x', mode: '0999'",
    LISTENER % "listen: '1.2.3.4:1', auth: maybe",
    LISTENER % "listen: '1.2.3.4:1', routes: [{prefix: a}]",
    LISTENER % "listen: '1.2.3.4:1', routes: [{prefix: '', pool: main}]",
)


@pytest.mark.parametrize("text", GOOD)
def test_both_take_what_is_good(schema, text, tmp_path):
    assert verdicts(schema, text, tmp_path) == ("", "")


@pytest.mark.parametrize("text", BAD)
def test_both_refuse_what_is_bad(schema, text, tmp_path):
    by_schema, by_parser = verdicts(schema, text, tmp_path)
    assert by_schema and by_parser, (by_schema, by_parser)


def test_each_key_of_the_reference_is_in_the_schema(schema):
    text = (ROOT / "docs/configuration.md").read_text()
    rows = set(re.findall(r"^\| `(\w+)` \|", text, re.M))
    known = set(re.findall(r'"(\w+)": \{\s+"description"',
                           json.dumps(schema.schema, indent=1)))
    assert rows == known
