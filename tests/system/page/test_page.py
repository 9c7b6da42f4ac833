"""The status page in a browser: what a person sees who has not seen it before.

./test page runs these: Chromium is a large package.
"""

import pathlib
import subprocess

import pytest

from support import config, rules
from support.admin import Admin
from support.browser import Browser
from support.clock import wait_until
from support.ports import free_port


@pytest.fixture(name="browser", scope="module")
def _browser():
    one = Browser()
    yield one
    one.close()


@pytest.fixture(name="show")
def _show(start, browser):
    """Starts a daemon and opens its page: the daemon."""
    def go(rows, **top):
        port = free_port()
        one = start(config.basic(
            free_port(), rows, {"health": {"retry": "100ms"}},
            **{"admin": {"listen": "127.0.0.1:%d" % port}, **top}))
        one.page = "http://127.0.0.1:%d/" % port
        browser.look()
        browser.complaints.clear()
        browser.open(one.page)
        browser.wait("#headline", " not used yet")
        return one
    return go


def rows_of(servers):
    return [{"name": "cache-%s" % "abc"[i], "address": server.text}
            for i, server in enumerate(servers)]


def fail_at(one, count=40):
    """Gets for keys all over the ring."""
    wire = one.client()
    for i in range(count):
        wire.send(b"get key%d\r\n" % i)
        wire.line()


def test_a_pool_that_is_dead_as_a_whole_is_said(show, browser, own_servers):
    """One of its servers is used on, but to no end."""
    servers = own_servers(3)
    one = show(rows_of(servers))
    for server in servers:
        server.kill()
    fail_at(one)
    browser.wait("#headline", "2 of 3 servers down, 1 suspect")
    browser.wait("#problems", " is suspect")


def test_a_dead_server_and_a_bad_reload_are_found(show, browser,
                                                  own_servers):
    servers = own_servers(3)
    one = show(rows_of(servers))
    fail_at(one)
    browser.wait("#headline", "All 3 servers up")
    assert browser.run("document.title") == "All 3 servers up – Fairlead"
    servers[1].kill()
    fail_at(one)
    browser.wait("#headline", "1 of 3 servers down")
    assert browser.run("document.title").startswith("✖ 1 of 3 servers down")
    browser.wait("#problems", "Server cache-b of pool main is down, since ")
    row = browser.text("#servers tr.bad")
    assert "cache-b" in row and "✖ down" in row and "cannot connect" in row
    assert browser.run("[4, 5].map((i) => document.querySelector("
                       "'#servers tr.bad').cells[i].innerText).join()") == \
        "–,–"
    browser.wait("#ring", "1 of 3 servers down")
    text = one.path.read_text()
    one.reload_refused(text.replace("retry:", "rety:"))
    browser.wait("#headline", "last reload refused")
    for place in ("#problems pre", "#reloads li:first-child pre"):
        browser.wait(place, 'unknown key "rety"')
        assert "%s:" % one.path in browser.text(place)
        assert '(did you mean "retry"?)' in browser.text(place)
    line = text[:text.index("retry:")].count("\n") + 1
    browser.wait("#problems", "the file was wrong in line %d of %s. "
                 "Generation 1 stays in force" % (line, one.path.name))
    browser.wait("#reloads li:first-child", "generation 1 stayed · took ")
    browser.wait("#reloads li:last-child", "✔ start")
    browser.wait("#serving", "generation 1 is in force")
    servers[1].start()
    one.reload(text=text.replace("100ms", "90ms"))
    wait_until(lambda: fail_at(one) or browser.text("#headline") ==
               "All 3 servers up", "all to be well again", 15, step=0.2)
    assert "refused: invalid" in browser.text("#reloads")
    assert browser.complaints == []


@pytest.mark.parametrize("on_down, fate", [
    ("miss", "reads of its keys miss, writes fail"),
    ("error", "requests for its keys fail"),
    ("next", "its keys go to the next server"),
    ("gutter", "its keys go to the gutter")])
def test_what_becomes_of_a_dead_server_s_keys_is_said(
        show, browser, own_servers, servers, on_down, fate):
    mortal = own_servers(1)[0]
    one = show(rows_of([mortal, *servers[:2]]))
    main = one.config["pools"]["main"]
    main["on_down"] = on_down
    if on_down == "gutter":
        main["gutter"] = "spare"
        one.config["pools"]["spare"] = {"servers": rows_of(servers[2:3])}
    one.reload(one.config)
    browser.wait("#pool-facts", "If a server is down, " + fate)
    mortal.kill()
    fail_at(one)
    browser.wait("#problems", "cannot connect; %s." % fate)


def test_with_no_server_left_keys_miss(show, browser, own_servers):
    server = own_servers(1)[0]
    one = show(rows_of([server]))
    one.config["pools"]["main"]["on_down"] = "next"
    one.reload(one.config)
    server.kill()
    fail_at(one)
    browser.wait("#problems", "reads of its keys miss, writes fail.")


def test_only_servers_that_answered_are_up(show, browser, servers):
    one = show(rows_of(servers[:3]))
    assert browser.text("#headline") == "3 servers not used yet"
    assert browser.run("document.querySelector('#verdict').className") == ""
    assert browser.run("document.querySelectorAll('.mark.good').length"
                       " === document.querySelectorAll('#reloads li').length")
    browser.wait("#ring", "3 servers not used yet")
    owner = one.locate([b"k"])[b"k"][1]
    one.client().call(b"get k\r\n", b"END\r\n")
    browser.wait("#headline", "1 server up, 2 not used yet")
    row = browser.run("[...document.querySelectorAll('#servers tr')].find("
                      "(r) => r.innerText.includes('● up')).innerText")
    assert owner in row


def test_a_server_that_never_answers_is_not_up(show, browser, played):
    server = played()
    server.on(b"k", rules.say_nothing)
    one = show([{"name": "cache-a", "address": server.text}])
    wire = one.client()
    wire.send(b"get k\r\n")
    browser.wait("#servers", "not heard from yet")
    wire.line()
    browser.wait("#headline", "Server cache-a of pool main is not heard from yet")
    browser.wait("#problems", "not heard from yet, request timed out")


def test_a_key_is_found_on_the_ring(show, browser, servers):
    one = show(rows_of(servers[:3]))
    browser.run("document.querySelector('#key').value = 'user:42'")
    browser.run("document.querySelector('#locate').requestSubmit()")
    owner = one.locate([b"user:42"])[b"user:42"][1]
    browser.wait("#found", owner)
    wait_until(lambda: browser.run("document.querySelectorAll('#ring .key')"
                                   ".length") == 1, "the key's mark")
    assert browser.run("document.querySelector('.is-picked')"
                       ".dataset.server") == owner
    browser.run("document.querySelector('#key').value = 'a b'")
    browser.run("document.querySelector('#locate').requestSubmit()")
    browser.wait("#found", "key must have 1 to 250 bytes")


def test_a_key_is_followed_to_its_pool(show, browser, servers):
    one = show(rows_of(servers[:3]))
    one.config["pools"]["second"] = {
        "servers": [{"name": "other", "address": servers[3].text}]}
    one.config["listeners"][0]["routes"] = [
        {"prefix": "x:", "pool": "second"}]
    one.reload(one.config)
    browser.wait("#pool-choice", "second")
    browser.run("document.querySelector('#key').value = 'x:1'")
    browser.run("document.querySelector('#locate').requestSubmit()")
    browser.wait("#found", "of pool second")
    browser.wait("#ring", "second")
    assert browser.run("document.querySelector('#pool-select').value") == \
        "second"


def test_what_is_wrong_stands_first(show, browser, own_servers):
    servers = own_servers(3)
    one = show(rows_of(servers))
    servers[2].kill()
    fail_at(one)
    browser.wait("#servers tbody tr:first-child", "cache-c")


def test_the_hottest_key_is_named(show, browser, servers):
    one = show(rows_of(servers[:3]))
    wire = one.client()
    for i in range(300):
        wire.send(b"get %s\r\n" % (b"<b>hot" if i % 2 else b"k%d" % i))
        wire.line()
    browser.wait("#hot-keys tbody tr:first-child", "<b>hot")
    browser.wait("#hot-keys tbody tr:first-child", " %")
    browser.wait("#hottest", "<b>hot")
    browser.wait("#hottest", "% of requests")
    assert browser.run(
        "(() => { const row = document.querySelector('#hot-keys tbody tr'),"
        " part = row.querySelector('i').offsetWidth /"
        " row.querySelector('.bar').offsetWidth;"
        " return Math.abs(100 * part - parseFloat(row.cells[2].innerText))"
        " })()") < 2


def test_the_hottest_key_is_told_as_a_hash_if_keys_are_private(
        show, browser, servers):
    one = show(rows_of(servers[:3]), privacy="hash")
    wire = one.client()
    for _ in range(100):
        wire.send(b"get secret\r\n")
        wire.line()
    browser.wait("#hottest", "Hottest key (hash)")
    assert "secret" not in browser.text()


def test_clients_are_counted_by_listener(show, browser, servers):
    one = show(rows_of(servers[:3]))
    clients = [one.client() for _ in range(3)]
    clients.pop().close()
    clients[0].send(b"GET / HTTP/1.1\r\n\r\n")
    browser.wait("#clients-words", "1 closed for another protocol")
    browser.wait("#clients-words", "1 of 16384 connected")
    row = browser.text("#listeners tbody tr").split()
    assert row == [one.config["listeners"][0]["listen"], "main", "0", "1",
                   "3"]


def test_rates_and_times_show(show, browser, servers):
    one = show(rows_of(servers[:3]))
    wait_until(lambda: fail_at(one, 200) or "µs" in browser.text(
        "#servers") or " ms" in browser.text("#servers"),
        "a server's times", 15, step=0.1)
    assert "–" not in browser.run(
        "[...document.querySelectorAll('.tile:not(#hottest)')].map((tile) =>"
        " tile.innerText).join()")


def test_looks_in_quick_succession_make_no_rate(show, browser, servers):
    show(rows_of(servers[:3]))
    assert browser.run(
        "(() => { const s = new Series();"
        " for (const [ms, n] of [[1000, 0], [2000, 10], [2010, 18],"
        " [3000, 30], [500, 30], [1500, 35]]) s.look(ms, {n}, []);"
        " return s.list('n').join() })()") == "10,20,0,5"


def test_the_ring_has_each_server_s_arcs(show, browser, servers):
    show([{"name": "s%d" % i, "address": server.text, "weight": 1 + i}
          for i, server in enumerate(servers[:3])])
    browser.wait("#ring", "768 points")
    lengths = browser.run("[...document.querySelectorAll('#ring .arc')].map("
                          "(arc) => arc.getAttribute('d').split('Z').length)")
    assert len(lengths) == 3 and all(length > 50 for length in lengths)
    browser.wait("#servers", "ideal 16.7 %")
    browser.wait("#servers", "ideal 50.0 %, weight 3")
    assert "weight 1" not in browser.text("#servers")


def test_a_placement_without_a_circle_has_slices(show, browser, servers):
    one = show(rows_of(servers[:3]))
    one.config["pools"]["main"]["placement"] = "rendezvous"
    one.reload(one.config)
    browser.wait("#ring-words", "slices are shares")
    assert browser.run("document.querySelectorAll('#ring .arc').length") == 3


def test_names_are_never_markup(show, browser, servers):
    name = "<img src=x onerror=alert(1)>"
    show([{"name": name, "address": servers[0].text}])
    browser.wait("#servers", name)
    browser.run("document.querySelector('#key').value = '<b>x</b>'")
    browser.run("document.querySelector('#locate').requestSubmit()")
    browser.wait("#found", name)
    assert browser.run("document.images.length") == 0
    assert browser.complaints == []


def test_nothing_comes_from_elsewhere(show, browser, servers):
    one = show(rows_of(servers[:3]))
    policy = Admin(("127.0.0.1", int(one.page[17:-1]))).get("/").headers[
        "Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    loaded = browser.run("performance.getEntriesByType('resource')"
                         ".map((entry) => entry.name)")
    assert loaded and all(name.startswith(one.page) for name in loaded)
    assert browser.run("(() => { try { document.body.innerHTML = '<b>'; "
                       "return 'done' } catch (e) { return 'refused' } })()"
                       ) == "refused"


@pytest.mark.parametrize("width", [390, 700, 1280])
def test_it_fits_its_window(show, browser, own_servers, width):
    servers = own_servers(3)
    one = show(rows_of(servers))
    servers[0].kill()
    fail_at(one)
    browser.look(width)
    browser.wait("#headline", "1 of 3 servers down")
    assert browser.run("document.documentElement.scrollWidth") <= width


def test_it_can_be_read_and_worked_without_a_mouse(show, browser, servers):
    show(rows_of(servers[:3]))
    # Each control has a name, each table a caption, headings are in order.
    assert browser.run("[...document.querySelectorAll('input, select')]"
                       ".every((one) => one.labels.length > 0)")
    assert browser.run("[...document.querySelectorAll('table')]"
                       ".every((one) => one.caption.textContent !== '')")
    assert browser.run("[...document.querySelectorAll('h1, h2, h3')]"
                       ".map((h) => h.tagName)[0]") == "H1"
    assert browser.run("document.documentElement.lang") == "en"
    browser.run("document.querySelector('#key').focus()")
    browser.ask("Input.insertText", text="abc")
    for kind in ("keyDown", "keyUp"):
        browser.ask("Input.dispatchKeyEvent", type=kind, key="Enter",
                    code="Enter", windowsVirtualKeyCode=13, text="\r")
    browser.wait("#found", "of pool main")


# Least contrast of text on what is behind it, by WCAG 2's AA.
_CONTRAST = """
(() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => (v /= 255) <= .03928 ?
      v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const c = rgb(getComputedStyle(node).backgroundColor);
      if (c.length < 4 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const node of document.querySelectorAll('body *')) {
    const own = [...node.childNodes].some((n) => n.nodeType === 3 &&
      n.textContent.trim());
    if (!own || node.closest('svg, script, style, noscript, .hidden') ||
        !node.offsetParent) continue;
    const a = light(rgb(getComputedStyle(node).color));
    const b = light(behind(node));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) poor.push([node.textContent.slice(0, 30), ratio]);
  }
  return poor;
})()
"""


def test_columns_stay_when_a_server_dies(show, browser, own_servers):
    servers = own_servers(3)
    one = show(rows_of(servers))
    script = "[...document.querySelectorAll('#servers thead th')].map(" \
        "(th) => th.offsetWidth).join()"
    was = browser.run(script)
    servers[0].kill()
    fail_at(one)
    browser.wait("#headline", "1 of 3 servers down")
    assert browser.run(script) == was


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_stands_out(show, browser, own_servers, dark):
    servers = own_servers(3)
    one = show(rows_of(servers))
    servers[0].kill()
    fail_at(one)
    one.reload_refused("pols: {}\n")
    browser.look(dark=dark)
    browser.wait("#headline", "last reload refused")
    assert browser.run(_CONTRAST) == []


def test_no_answer_is_said(show, browser, servers):
    one = show(rows_of(servers[:3]))
    one.stop()
    browser.wait("#headline", "No answer from Fairlead")
    assert browser.run("document.title").startswith("✖ No answer")


def test_promtool_accepts_the_metrics(start, servers):
    port = free_port()
    one = start(config.basic(free_port(), rows_of(servers[:3]),
                             admin={"listen": "127.0.0.1:%d" % port}))
    fail_at(one)
    text = Admin(("127.0.0.1", port)).get(
        "/metrics?scope=process,clients,pools,servers,server_times").body
    done = subprocess.run(["promtool", "check", "metrics"], input=text,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    assert (done.returncode, done.stdout) == (0, b"")


def test_promtool_accepts_the_alerts():
    path = pathlib.Path(__file__).resolve().parents[3] / "conf/monitoring/alerts.yaml"
    done = subprocess.run(["promtool", "check", "rules", str(path)],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    assert done.returncode == 0, done.stdout.decode()
