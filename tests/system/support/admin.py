"""The admin listener's client: HTTP over TCP or a unix socket."""

import http.client
import json
import socket

from support.clock import seconds


class _OverUnix(http.client.HTTPConnection):
    """To the socket at a path."""

    def __init__(self, path):
        super().__init__("localhost", timeout=seconds(5))
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Answer:
    """What came back."""

    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def text(self):
        return self.body.decode()

    def json(self):
        return json.loads(self.body)


class Admin:
    """Asks at one address, ("127.0.0.1", port) or a path."""

    def __init__(self, address):
        self.address = address

    def connection(self):
        if isinstance(self.address, str):
            return _OverUnix(self.address)
        return http.client.HTTPConnection(*self.address, timeout=seconds(5))

    def ask(self, method, path, headers=None, body=None):
        connection = self.connection()
        try:
            connection.request(method, path, body, headers or {})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, headers=None):
        return self.ask("GET", path, headers)

    def post(self, path, headers=None):
        return self.ask("POST", path, headers)
