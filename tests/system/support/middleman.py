"""A cable between the daemon and a server that can be held, slowed and torn.

It passes every byte on as it came and in order, or not at all.
"""

import random
import socket
import threading

from support.ports import free_port
from support.wire import reset


class Middleman:
    """Relays connections to `address`; stands where a server would."""

    def __init__(self, address, seed):
        self.target = address
        self.port = free_port()
        self.text = "127.0.0.1:%d" % self.port
        self.random = random.Random(seed)
        # Set as long as bytes may pass, there and back.
        self.gates = [threading.Event(), threading.Event()]
        for gate in self.gates:
            gate.set()
        self.delay = 0.0
        self.over = threading.Event()
        self._pairs = set()
        self._lock = threading.Lock()
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("127.0.0.1", self.port))
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(self.target, 5)
            except OSError:
                reset(near)
                continue
            for sock in (near, far):
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            pair = (near, far)
            with self._lock:
                self._pairs.add(pair)
            for gate, ends in zip(self.gates, (pair, pair[::-1])):
                threading.Thread(target=self._pump, args=(pair, gate, *ends),
                                 daemon=True).start()

    def _pump(self, pair, gate, source, sink):
        try:
            while True:
                data = source.recv(1 << 16)
                if not data:
                    break
                if self.delay:
                    self.over.wait(self.delay * self.random.random())
                gate.wait()
                sink.sendall(data)
        except OSError:
            pass
        self._tear([pair])

    def _tear(self, pairs):
        for pair in pairs:
            with self._lock:
                self._pairs.discard(pair)
            for sock in pair:
                try:
                    # Wakes who waits in recv(), which close() would not.
                    sock.shutdown(socket.SHUT_RDWR)
                    reset(sock)
                except OSError:
                    pass

    def hold(self, there=True, back=True):
        """Lets nothing pass in these directions until release()."""
        for gate, is_held in zip(self.gates, (there, back)):
            if is_held:
                gate.clear()

    def release(self):
        for gate in self.gates:
            gate.set()
        self.delay = 0.0

    def tear(self):
        """Resets all connections; what was held in them is lost."""
        with self._lock:
            pairs = list(self._pairs)
        self._tear(pairs)
        self.release()

    def stop(self):
        self.over.set()
        self.tear()
        self._listener.close()
