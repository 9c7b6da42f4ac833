"""Servers that the test plays itself, so that they can misbehave.

A played server is a small memcached of its own (a dictionary, sequential
replies) until a rule fits a request; the rule then does what it wants on the
connection instead of, before, or after the proper reply:

    server.on(b"slow", rules.hold(event))    # keys with "slow" wait

Replies of one connection stay in order, as with a real server: while a rule
blocks, the requests behind it wait.
"""

import re
import socket
import threading

from support.clock import seconds, wait_until
from support.ports import free_port
from support.wire import reset

_STORAGE = (b"set", b"add", b"replace", b"append", b"prepend", b"cas")


class Hangup(Exception):
    """Raised by a rule: close this connection now."""


class Request:
    """One command as it came in."""

    def __init__(self, line, body):
        self.line = line
        self.body = body
        self.words = line.split()
        self.verb = self.words[0] if self.words else b""

    @property
    def keys(self):
        if self.verb in (b"get", b"gets"):
            return self.words[1:]
        if self.verb in (b"gat", b"gats"):
            return self.words[2:]
        return self.words[1:2]


class Peer:
    """One accepted connection, with what a rule may do to it."""

    def __init__(self, server, sock):
        self.server = server
        self.sock = sock
        self.buffer = bytearray()

    def send(self, data):
        self.sock.sendall(data)

    def close(self):
        raise Hangup

    def reset(self):
        reset(self.sock)
        raise Hangup

    def _fill(self):
        data = self.sock.recv(1 << 16)
        if not data:
            raise Hangup
        self.buffer += data

    def read_request(self):
        while b"\n" not in self.buffer:
            self._fill()
        end = self.buffer.index(b"\n") + 1
        line = bytes(self.buffer[:end]).rstrip(b"\r\n")
        del self.buffer[:end]
        words = line.split()
        body = None
        length = None
        if words and words[0] in _STORAGE and len(words) >= 5:
            length = int(words[4])
        elif words and words[0] == b"ms" and len(words) >= 3:
            length = int(words[2])
        if length is not None:
            while len(self.buffer) < length + 2:
                self._fill()
            body = bytes(self.buffer[:length])
            del self.buffer[:length + 2]
        return Request(line, body)


class Played:
    """A server on a loopback port, listening from construction to stop()."""

    def __init__(self, port=None, backlog=64):
        self.port = port or free_port()
        self.text = "127.0.0.1:%d" % self.port
        self.address = ("127.0.0.1", self.port)
        self.store = {}
        self.cas = 0
        self.accepted = 0
        self.requests = []
        self._rules = []
        self._peers = set()
        self._lock = threading.Lock()
        self._listener = None
        self._backlog = backlog
        self.start()

    # -- life ------------------------------------------------------------

    def start(self):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(self.address)
        listener.listen(self._backlog)
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,),
                         daemon=True).start()

    def stop(self):
        """Stops listening and closes every connection."""
        listener, self._listener = self._listener, None
        if listener is not None:
            # shutdown() wakes the thread that waits in accept().
            try:
                listener.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            listener.close()
        self.hang_up()

    def hang_up(self):
        """Closes every connection, and goes on listening."""
        with self._lock:
            peers = list(self._peers)
        for peer in peers:
            try:
                peer.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def open_connections(self):
        with self._lock:
            return len(self._peers)

    def peers(self):
        """The connections that are open now."""
        with self._lock:
            return set(self._peers)

    def say(self, data):
        """Sends `data` on every open connection, asked or not."""
        with self._lock:
            peers = list(self._peers)
        for peer in peers:
            try:
                peer.sock.sendall(data)
            except OSError:
                pass

    # -- rules ------------------------------------------------------------

    def on(self, word, rule, times=None):
        """`rule(peer, request, reply)` replaces the sending of `reply` to
        requests with a key that contains `word`, the first `times` times.
        """
        with self._lock:
            self._rules.append([word, rule, times])

    def clear(self):
        with self._lock:
            self._rules.clear()

    def seen(self, pattern):
        """The request lines so far that match the bytes regex."""
        with self._lock:
            return [r.line for r in self.requests
                    if re.search(pattern, r.line)]

    def wait_seen(self, pattern, count=1):
        wait_until(lambda: len(self.seen(pattern)) >= count,
                   "%d requests like %r at the played server"
                   % (count, pattern))

    def _rule_for(self, request):
        with self._lock:
            for row in self._rules:
                word, rule, times = row
                if times == 0 or not any(
                        word in key for key in request.keys):
                    continue
                if times is not None:
                    row[2] -= 1
                return rule
        return None

    # -- service ---------------------------------------------------------

    def _accept(self, listener):
        while True:
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            peer = Peer(self, sock)
            with self._lock:
                self.accepted += 1
                self._peers.add(peer)
            threading.Thread(target=self._serve, args=(peer,),
                             daemon=True).start()

    def _serve(self, peer):
        try:
            while True:
                request = peer.read_request()
                with self._lock:
                    self.requests.append(request)
                reply = self.answer(request)
                rule = self._rule_for(request)
                if rule is not None:
                    rule(peer, request, reply)
                elif reply:
                    peer.send(reply)
        except (Hangup, OSError):
            pass
        finally:
            with self._lock:
                self._peers.discard(peer)
            peer.sock.close()

    def answer(self, request):
        """What a well-behaved server says."""
        with self._lock:
            reply = self._answer(request)
        if request.words and request.words[-1] == b"noreply":
            return b""
        return reply

    def _answer(self, request):
        verb, words = request.verb, request.words
        if verb in (b"get", b"gets", b"gat", b"gats"):
            out = bytearray()
            for key in request.keys:
                if key in self.store:
                    flags, body, cas = self.store[key]
                    out += b"VALUE %s %s %d" % (key, flags, len(body))
                    out += b" %d" % cas if verb.endswith(b"s") else b""
                    out += b"\r\n" + body + b"\r\n"
            return bytes(out) + b"END\r\n"
        if verb == b"mg":
            return self._meta_get(words[1], words[2:])
        if verb in _STORAGE:
            self.cas += 1
            self.store[words[1]] = (words[2], request.body, self.cas)
            return b"STORED\r\n"
        if verb == b"ms":
            self.cas += 1
            self.store[words[1]] = (b"0", request.body, self.cas)
            return b"HD\r\n"
        if verb == b"delete":
            found = self.store.pop(words[1], None)
            return b"DELETED\r\n" if found else b"NOT_FOUND\r\n"
        if verb == b"md":
            found = self.store.pop(words[1], None)
            return b"HD\r\n" if found else b"NF\r\n"
        return {b"version": b"VERSION 1.6.18\r\n", b"mn": b"MN\r\n",
                b"touch": b"TOUCHED\r\n", b"incr": b"1\r\n",
                b"decr": b"0\r\n"}.get(verb, b"ERROR\r\n")

    def _meta_get(self, key, flags):
        back = [b"k" + key if flag == b"k" else flag for flag in flags
                if flag == b"k" or flag.startswith(b"O")]
        if key not in self.store:
            return b" ".join([b"EN"] + back) + b"\r\n"
        body = self.store[key][1]
        if b"v" not in flags:
            return b" ".join([b"HD"] + back) + b"\r\n"
        return b" ".join([b"VA", b"%d" % len(body)] + back) + b"\r\n" + \
            body + b"\r\n"


class BlackHole:
    """An address whose connects neither succeed nor fail.

    Its queue of connections nobody accepts is full, so the kernel drops
    every further SYN.
    """

    def __init__(self):
        self.port = free_port()
        self.text = "127.0.0.1:%d" % self.port
        self._listener = socket.socket()
        self._listener.bind(("127.0.0.1", self.port))
        self._listener.listen(0)
        self._fillers = []
        for _ in range(8):
            sock = socket.socket()
            sock.setblocking(False)
            try:
                sock.connect(("127.0.0.1", self.port))
            except BlockingIOError:
                pass
            self._fillers.append(sock)

    def stop(self):
        for sock in self._fillers:
            sock.close()
        self._listener.close()
