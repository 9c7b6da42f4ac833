"""The admin listener: where it is, what it answers, and whom."""

import json
import os
import socket
import stat

import pytest

from support import config
from support.admin import Admin
from support.fairlead import run as run_offline
from support.ports import free_port
from support.wire import Wire


@pytest.fixture(name="run")
def _run(start, servers):
    """Starts a daemon with an admin listener: (daemon, its client)."""
    def go(rows=None, **admin):
        port = free_port()
        one = start(config.basic(
            free_port(), rows or [s.text for s in servers[:3]],
            admin={"listen": "127.0.0.1:%d" % port, **admin}))
        return one, Admin(("127.0.0.1", port))
    return go


def test_without_the_section_nothing_listens(start_basic, servers):
    one = start_basic(servers[:1])
    assert one.log.find("admin") is None


def test_probes_answer(run):
    _, admin = run()
    for path, text in (("/-/healthy", "healthy\n"), ("/-/ready", "ready\n"),
                       ("/-/ready?servers=1", "ready\n")):
        answer = admin.get(path)
        assert (answer.status, answer.text) == (200, text)
        assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_ready_asks_about_servers_only_when_told_to(run, own_servers):
    (server,) = own_servers(1)
    one, admin = run([server.text])
    server.stop()
    wire = one.client()
    for _ in range(3):
        wire.send(b"get a\r\n")
        wire.line()
    one.log.wait(r"server \S+ (is )?down")
    assert admin.get("/-/ready").status == 200
    answer = admin.get("/-/ready?servers=1")
    assert (answer.status, answer.text) == (
        503, "pool main has no server that is up\n")
    assert admin.get("/-/ready?servers=0").status == 200
    assert admin.get("/-/healthy").status == 200


def test_draining_is_not_ready_but_healthy(run):
    one, admin = run()
    wire = one.client()
    wire.in_step()
    one.process.terminate()
    one.log.wait("draining")
    assert admin.get("/-/ready").status == 503
    assert admin.get("/-/healthy").status == 200
    wire.in_step()
    wire.close()
    assert one.wait_exit() == 0


def test_methods_and_paths(run):
    _, admin = run()
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"):
        answer = admin.ask(method, "/-/ready")
        assert answer.status == 405, method
        assert answer.headers["Allow"] == "GET, HEAD"
    answer = admin.ask("HEAD", "/-/ready")
    assert (answer.status, answer.body) == (200, b"")
    answer = admin.get("/-/reload")
    assert (answer.status, answer.headers["Allow"]) == (405, "POST")
    for path in ("/no", "/-/ready/", "//-/ready", "/-/..", "/%2d/ready"):
        assert admin.get(path).status == 404, path


def test_reload_needs_the_switch(run):
    one, admin = run()
    answer = admin.post("/-/reload")
    assert answer.status == 403
    assert "actions: true" in answer.text
    one.config["admin"]["actions"] = True
    one.reload(one.config)
    assert admin.post("/-/reload").status == 200


def test_reload_says_what_came_of_it(run, servers):
    one, admin = run(actions=True)
    answer = admin.post("/-/reload")
    assert answer.status == 200
    assert answer.text.startswith("nothing changed: generation=1 ")
    one.config["pools"]["main"]["servers"].append(servers[3].text)
    one.write(one.config)
    answer = admin.post("/-/reload")
    assert answer.status == 200
    assert answer.text.startswith("reload done: generation=2 pools=1 "
                                  "servers=4 membership=")
    assert "\npool main changed added=1 removed=0 " in answer.text
    one.log.wait(r"reload done: trigger=admin generation=2")


def test_a_refused_reload_has_the_words_of_the_check(run):
    one, admin = run(actions=True)
    one.write(text="listeners: [{listen: here}]\npols: {}\n")
    answer = admin.post("/-/reload")
    assert answer.status == 422
    checked = run_offline("-t", "-c", str(one.path)).stderr.decode()
    for line in answer.text.splitlines():
        assert line in checked
    assert len(answer.text.splitlines()) >= 3
    assert admin.get("/-/ready").status == 200


@pytest.mark.parametrize("headers", [
    {"Origin": "http://evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Host": "rebound.example:9211"},
    {"Host": "rebound.example:9211", "Origin": "http://rebound.example:9211",
     "Sec-Fetch-Site": "same-origin"},
], ids=["origin", "site", "host", "rebound"])
def test_other_pages_cannot_reload(run, headers):
    one, admin = run(actions=True)
    assert admin.post("/-/reload", headers).status == 403
    assert one.log.find("reload done") is None


def test_names_of_others_are_not_served(run):
    _, admin = run()
    assert admin.get("/-/ready", {"Host": "rebound.example"}).status == 403
    assert admin.get("/-/ready", {"Host": "localhost:1"}).status == 200


def test_it_comes_moves_and_goes_by_reload(start_basic, servers, tmp_path):
    one = start_basic(servers[:1])
    port, path = free_port(), str(tmp_path / "admin.sock")
    base = dict(one.config)
    one.reload(dict(base, admin={"listen": "127.0.0.1:%d" % port}))
    assert Admin(("127.0.0.1", port)).get("/-/ready").status == 200
    one.reload(dict(base, admin={"listen": "unix:" + path, "mode": "0600"}))
    assert Admin(path).get("/-/ready").status == 200
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    with pytest.raises(ConnectionRefusedError):
        Admin(("127.0.0.1", port)).get("/-/ready")
    one.reload(dict(base, admin={"listen": "unix:" + path, "mode": "0660"}))
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o660
    one.reload(base)
    assert not os.path.exists(path)
    one.reload(dict(base, admin={"listen": "unix:" + path}))
    one.stop()
    assert not os.path.exists(path)


def test_one_that_cannot_be_bound_refuses_the_reload(run):
    one, admin = run()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        bad = json.loads(json.dumps(one.config))
        bad["admin"]["listen"] = "127.0.0.1:%d" % taken.getsockname()[1]
        bad["listeners"].append(
            {"listen": "127.0.0.1:%d" % free_port(), "pool": "main"})
        one.write(bad)
        mark = one.log.mark()
        assert "reload refused" in one.hang_up()
        assert one.log.find("admin cannot listen on 127.0.0.1.*"
                            "Address already in use", mark)
    assert admin.get("/-/ready").status == 200
    with pytest.raises(ConnectionRefusedError):
        Wire(("127.0.0.1", int(bad["listeners"][1]["listen"][10:])))


def test_an_open_address_is_warned_of(run):
    one, _ = run(listen="0.0.0.0:%d" % free_port())
    one.log.wait(r"warn admin listens on 0\.0\.0\.0")


def test_a_dry_run_says_what_a_reload_would_do(run, servers):
    one, admin = run(actions=True)
    members = [{"address": s.text} for s in servers[:2]]
    top = dict(one.config, pools={"main": {"servers": members}})
    one.write(top)
    mark = one.log.mark()
    answer = admin.post("/-/reload?dry_run=1")
    assert answer.status == 200
    assert answer.text.startswith(
        "in force -> %s: the reload would be accepted\n" % one.path)
    assert "of the hash space (exact)" in answer.text
    one.write(text="nonsense: 1\n")
    answer = admin.post("/-/reload?dry_run=1")
    assert answer.status == 422
    assert answer.text.startswith("%s:1:1: unknown key" % one.path)
    assert one.log.find("reload", mark) is None
    one.write(dict(top, workers=7))
    answer = admin.post("/-/reload?dry_run=1")
    assert answer.status == 422
    assert '"workers" changes from 1 to 7, which needs a restart' in \
        answer.text
    assert admin.post("/-/reload?dry_run=0").status == 422


def test_the_log_s_level_can_be_set(run):
    one, admin = run(actions=True)
    answer = admin.post("/-/log?level=debug")
    assert (answer.status, answer.text) == (
        200, "the log's level is debug\n")
    mark = one.log.mark()
    with one.client() as wire:
        wire.in_step()
    one.log.wait("debug .*client", mark)
    for bad in ("", "?level=", "?level=loud", "?level=debugs"):
        assert admin.post("/-/log" + bad).status == 400
    one.config["admin"]["actions"] = False
    one.reload(one.config)
    assert admin.post("/-/log?level=debug").status == 403
