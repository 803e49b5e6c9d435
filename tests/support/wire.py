"""A wire between a browser and the house that a test cuts and mends: what is under way then ends."""

import contextlib
import socket
import threading

HERE = "127.0.0.1"


class Wire:
    def __init__(self, port: int):
        self._house, self._ends, self.port = port, set(), 0
        self._changing = threading.Lock()
        self.mend()

    @property
    def base(self) -> str:
        return f"http://{HERE}:{self.port}"

    def mend(self):
        """Let the browser reach the house, at the same port as before."""
        self._listening = socket.create_server((HERE, self.port))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, args=[self._listening], daemon=True).start()

    def cut(self):
        with self._changing:
            _end(self._listening, *self._ends)
            self._ends = set()

    def _accept(self, listening):
        while True:
            try:
                browser, _ = listening.accept()
            except OSError:
                return None
            with self._changing:
                if listening is not self._listening or listening.fileno() < 0:
                    return _end(browser)  # the wire was cut meanwhile
                try:
                    house = socket.create_connection((HERE, self._house))
                except OSError:
                    return _end(browser)
                self._ends |= {browser, house}
            for one, other in ((browser, house), (house, browser)):
                threading.Thread(target=_carry, args=[one, other], daemon=True).start()


def _end(*ends):
    for end in ends:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()


def _carry(one, other):
    with contextlib.suppress(OSError):
        while data := one.recv(1 << 16):
            other.sendall(data)
        other.shutdown(socket.SHUT_WR)
