"""Client libraries whose languages are large packages, or that Debian has not:
./test clients runs these.
"""

import pytest

from support import sessions

# Few threads of its own: it shares the machine with the daemon and servers.
JAVA = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
        "-cp", "/usr/share/java/spymemcached.jar"]

LANGUAGES = {
    # npm's memcached, to be found by NODE_PATH.
    "javascript": (["node", str(sessions.SESSIONS / "session.js")], 55),
    # Debian's libspymemcached-java.
    "java": (JAVA + [str(sessions.SESSIONS / "Session.java")], 53),
}


@pytest.mark.parametrize("language", list(LANGUAGES))
def test_session(language, start_basic, own_servers):
    command, wanted = LANGUAGES[language]
    sessions.hold(command, wanted, start_basic, own_servers(3))
