"""Reading answers to `stats`."""


def read(wire, *arguments):
    """`stats` as a dictionary of text; every line must be a STAT line."""
    wire.send(b" ".join((b"stats", *arguments)) + b"\r\n")
    found = {}
    while True:
        line = wire.line()
        if line == b"END\r\n":
            return found
        word, name, value = line.decode().rstrip("\r\n").split(" ", 2)
        assert word == "STAT" and name not in found, line
        found[name] = value


def of_servers(wire):
    """`stats servers`: for each "pool/name" its fields."""
    found = {}
    for name, value in read(wire, b"servers").items():
        server, field = name.rsplit(":", 1)
        found.setdefault(server, {})[field] = value
    return found


def turns(wire):
    """How often its worker's loop has gone round."""
    return int(read(wire, b"proxy")["turns"])
