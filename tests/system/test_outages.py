"""Real servers that stop, die, and start again empty, at random.

Clients judge every reply meanwhile; when all run again, all is well.
--soak makes it long.
"""

import random
import signal

from support import soak
from support.judge import judge

# Real seconds, of the soak's.
BRIEF_S = 8


def test_servers_that_stop_die_and_start_empty(request, over, own_servers,
                                               seed):
    servers = own_servers(3)
    daemon = over(servers, {"timeouts": soak.timeouts(200, 300)}, workers=2)
    running = list(servers)
    draw = random.Random("%s/which" % seed)

    def taken():
        return running.pop(draw.randrange(len(running)))

    def stop():
        one = taken()
        one.process.send_signal(signal.SIGSTOP)

        def end():
            if draw.random() < 0.3:
                one.kill()
                one.start()
            else:
                one.process.send_signal(signal.SIGCONT)
            running.append(one)
        return end

    def die():
        one = taken()
        one.kill()

        def end():
            one.start()
            running.append(one)
        return end

    judge(daemon, soak.length(request, BRIEF_S), seed, [stop, stop, die])
