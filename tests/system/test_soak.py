"""The long run: random requests over 50 connections and three servers while
reloads go on, good and broken ones in turn; not one error, not one wrong byte.

By default a short run; --soak makes it 1,000,000 requests and 100 reloads.
"""

from support import config
from support.config import server, to_yaml


def test_a_million_requests_across_reloads(request, start_basic, own_servers,
                                           start_load):
    full = request.config.getoption("--soak")
    requests, reloads = (1000000, 100) if full else (150000, 30)
    servers = own_servers(4, megabytes=256)
    rows = [server(one, "n%d" % i) for i, one in enumerate(servers)]
    daemon = start_basic(rows[:3])
    load = start_load(daemon.address[1], requests=requests, conns=50,
                      depth=16)
    memberships = [rows[:3], rows, rows[1:], rows[:3]]
    broken = ["{", "nonsense: 1\n", "", to_yaml(daemon.config) + "\n- x\n"]
    for i in range(reloads // 2):
        top = config.merged(daemon.config, {})
        top["pools"]["main"]["servers"] = memberships[(i + 1) % 4]
        daemon.reload(top)
        daemon.reload_refused(broken[i % 4])
        assert load.is_running(), load.finish()
    counts = load.finish(base=300)
    print(counts)
    assert counts["requests"] >= requests
    assert counts["hits"] > counts["requests"] / 4, counts
    daemon.check_log()
