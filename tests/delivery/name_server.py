"""A name server on loopback that knows some names; all others do not exist."""
import socket, struct, threading


class Stub:
    """addresses: by name, its A record. `asked` grows with each question. Port 53 is what /etc/resolv.conf means: then the
    address on loopback has to be nobody else's."""

    def __init__(self, addresses, host="127.0.0.1", port=0):
        self.addresses, self.asked, self.host = addresses, [], host
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((host, port))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self):
        self.socket.close()

    def _serve(self):
        while True:
            try:
                asked, whom = self.socket.recvfrom(4096)
            except OSError:
                return
            self.socket.sendto(self._answer(asked), whom)

    def _answer(self, asked):
        labels, at = [], 12
        while asked[at]:
            labels.append(asked[at + 1:at + 1 + asked[at]].decode())
            at += 1 + asked[at]
        self.asked.append(".".join(labels).lower())
        question = asked[12:at + 5]
        kind = struct.unpack(">H", question[-4:-2])[0]
        address = self.addresses.get(self.asked[-1])
        answer = b""
        if address and kind == 1:
            answer = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 1, 4) + socket.inet_aton(address)
        # A response, authoritative, recursion available; 3: there is no such name.
        flags = 0x8580 | (0 if address else 3)
        return asked[:2] + struct.pack(">HHHHH", flags, 1, 1 if answer else 0, 0, 0) + question + answer
