"""What the system tests share: processes, sockets, played servers, load."""
