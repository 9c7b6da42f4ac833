"""How long the randomised soak lasts, and how fast time goes in it.

It is made of the tests in which servers, networks and system calls fail at
random while clients judge every reply: test_chaos, test_outages, test_network
and test_failing.
"""

from support.clock import PACE, SCALE

# Of all cases together, in real seconds however slow the machine is. Each case
# says how many of the BRIEF_S it has.
BRIEF_S = 68
FULL_S = 30 * 60

# Times that are given to the daemon and to those who disturb it grow with
# SCALE, for deadlines must hold on a busy machine. Where a lost request is no
# failure there is no need of that, and more happens in a second: such times
# are multiplied by this first.
HASTE = PACE / SCALE


def length(request, brief):
    """Real seconds for a case that has `brief` of the BRIEF_S."""
    if request.config.getoption("--soak"):
        return brief * FULL_S / BRIEF_S
    return brief


def timeouts(connect_ms, request_ms):
    """Of a pool; they pass as fast as the soak's other times."""
    return {"connect": "%dms" % (connect_ms * HASTE),
            "request": "%dms" % (request_ms * HASTE)}
