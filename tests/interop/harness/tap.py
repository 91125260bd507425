"""A tap on the wire between a client and the server.

It hands every byte on as it comes, in both directions, and only reads along: client and server meet each other's own
keep-alive, chunking, compression and closing. What it understood is a list of exchanges.
"""
import gzip, socket, threading, time, urllib.parse

from . import verdict


class Exchange:
    """One request and, once `status` is set, its answer."""

    def __init__(self, start, headers):
        self.at, self.headers, self.body = time.time(), headers, b""
        self.method, self.target = start.split(" ")[:2]
        self.status, self.answer_headers, self.answer, self.took = None, {}, b"", None

    @property
    def kind(self):
        """What it means to Eureka."""
        path = urllib.parse.urlsplit(self.target).path
        below = path.partition("/apps")[2].strip("/").split("/")
        depth = 0 if below == [""] else len(below)
        if self.method == "GET":
            return "full" if "/apps" in path and depth == 0 else "delta" if below == ["delta"] else "look-up"
        if depth == 3:
            return {"PUT": "set ", "DELETE": "remove "}.get(self.method, "") + below[2]
        return {"POST": "register", "PUT": "heartbeat", "DELETE": "cancel"}.get(self.method, "")

    def text(self):
        """The answer, unpacked."""
        return gzip.decompress(self.answer) if self.answer_headers.get("content-encoding") == "gzip" else self.answer

    def __str__(self):
        return "%s %s %s -> %s %s, %d bytes%s" % (
            time.strftime("%H:%M:%S", time.localtime(self.at)), self.method, self.target, self.status or "no answer",
            self.answer_headers.get("content-type", "no type"), len(self.answer),
            "" if self.took is None else " after %.0f ms" % (self.took * 1000))


class Tap:
    """Listens on a port of its own (`base`) and connects each caller with the server."""

    def __init__(self, base):
        self.upstream, self.exchanges, self.not_understood = urllib.parse.urlsplit(base), [], []
        login = "".join(self.upstream.netloc.rpartition("@")[:2])
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        self.base = "http://%s127.0.0.1:%d" % (login, self.port)
        threading.Thread(target=self._accept, daemon=True).start()
        verdict.show_when_failing(self._last)

    def seen(self, kind, since=0, status=None):
        """The exchanges of a kind so far that were answered (with that status)."""
        return [e for e in list(self.exchanges) if e.kind == kind and e.at >= since and e.status
                and (status is None or e.status == status)]

    def ensure_no_surprise(self, *expected):
        """Every answer was one that a healthy client gets; expected: pairs of kind and status that are fine too."""
        verdict.ensure(not self.not_understood, "not HTTP: %s" % self.not_understood)
        bad = [str(e) for e in list(self.exchanges) if e.status and e.status >= 300 and (e.kind, e.status) not in expected]
        verdict.ensure(not bad, "answers that the client should not get: %s" % bad[:4])

    def _last(self):
        lines = ["  the last requests on %d:" % self.port, *("    %s" % e for e in self.exchanges[-15:])]
        return "\n".join(lines + ["    not HTTP: " + error for error in self.not_understood])

    def _accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            server = socket.create_connection((self.upstream.hostname, self.upstream.port), 10)
        except OSError:
            return client.close()       # the server is down: so is this connection
        server.settimeout(None)
        for side in (client, server):
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        waiting = []                    # for their answers, which may come before the request's body has gone

        def requests():
            while True:
                start, headers = yield from _head(asked)
                e = Exchange(start, headers)
                waiting.append(e)
                self.exchanges.append(e)
                e.body = yield from _body(asked, headers)

        def answers():
            while True:
                start, headers = yield from _head(answered)
                status = int(start.split(" ")[1])
                if status < 200:
                    continue            # 100 Continue comes before the answer
                e = waiting.pop(0)
                if status not in (204, 304) and e.method != "HEAD":
                    e.answer = yield from _body(answered, headers, to_the_end=True)
                e.answer_headers, e.took, e.status = headers, time.time() - e.at, status

        asked, answered = bytearray(), bytearray()
        there = threading.Thread(target=self._pump, args=(client, server, asked, requests()), daemon=True)
        there.start()
        self._pump(server, client, answered, answers())
        there.join()
        client.close()
        server.close()

    def _pump(self, source, sink, buffer, reader):
        """Hands on what source sends; reader, a coroutine, is called whenever there is more in buffer, or an end."""
        next(reader)
        data = b"-"
        while data:
            try:
                data = source.recv(65536)
            except OSError:
                data = b""
            buffer += data
            try:
                reader.send(not data)
            except (StopIteration, EOFError):
                pass                    # the end; or not understood, and said so already
            except Exception as error:
                self.not_understood.append(repr(error))
            try:
                sink.sendall(data) if data else sink.shutdown(socket.SHUT_WR)
            except OSError:
                try:
                    source.shutdown(socket.SHUT_RD)
                except OSError:
                    pass
                return


# Pieces of such coroutines: each yields until buffer has what it wants, and is sent whether the end has come.

def _exactly(buffer, count):
    while len(buffer) < count:
        if (yield):
            raise EOFError
    out = bytes(buffer[:count])
    del buffer[:count]
    return out


def _up_to(buffer, mark):
    while (at := buffer.find(mark)) < 0:
        if (yield):
            raise EOFError
    return (yield from _exactly(buffer, at + len(mark)))[:-len(mark)]


def _head(buffer):
    start, *lines = (yield from _up_to(buffer, b"\r\n\r\n")).decode("latin-1").split("\r\n")
    return start, {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _body(buffer, headers, to_the_end=False):
    """to_the_end: an answer without a length ends with the connection; a request has no body then."""
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = b""
        while size := int((yield from _up_to(buffer, b"\r\n")).split(b";")[0], 16):
            body += yield from _exactly(buffer, size)
            yield from _exactly(buffer, 2)
        while (yield from _up_to(buffer, b"\r\n")):
            pass                        # trailers
        return body
    if "content-length" in headers:
        return (yield from _exactly(buffer, int(headers["content-length"])))
    if to_the_end:
        while not (yield):
            pass
        return (yield from _exactly(buffer, len(buffer)))
    return b""
