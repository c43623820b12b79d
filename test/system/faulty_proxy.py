# SPDX-License-Identifier: Apache-2.0
"""faulty_proxy.py - an HTTPS proxy in front of an API server that misbehaves as networks and servers do.

    proxy = FaultyProxy(folder, upstream, faults, seed)    upstream() is a Place: address and TLS of the server
    await proxy.start()                                    proxy.kubeconfig is a file for a client
    proxy.faults = Faults()                                from here on it is a good one

What it does wrong is drawn for each connection and each request, in the proportions that `Faults` says (thousandths);
the seed is the caller's. It speaks HTTP/1.1 with one connection to the server per connection of the client, and
logs in as the user of the Place.

What must stay true: it makes nothing up. An answer that claims success is the server's own; a watch may end
anywhere, also within an event, but no event is left out or changed; only lists may be old ones, and only such that
the same proxy has sent before, so that a client that starts with a proxy of its own never starts from the past."""
import asyncio
import base64
import collections
import contextlib
import dataclasses
import json
import random
import ssl
import subprocess


@dataclasses.dataclass
class Faults:
    """In thousandths, unless another unit is named."""
    # of connections
    refuse: int = 0        # closed at once
    swap: int = 0          # another certificate, which no client may trust
    half_open: int = 0     # accepted, and never answered
    # of requests
    drop: int = 0          # the connection ends before the request is sent on ...
    lose: int = 0          # ... or after the server has answered
    stall: int = 0         # the answer stops in the middle, and the connection stays open
    conflict: int = 0      # 409 to a write
    gone: int = 0          # 410 to a watch
    busy: int = 0          # 429 with Retry-After
    broken: int = 0        # 500
    away: int = 0          # 503
    stale: int = 0         # a list that was true some time ago
    delay: int = 0
    delay_seconds: float = 1.0
    stall_seconds: float = 10.0
    cut_bytes: int = 0     # a watch ends after this many bytes or fewer; 0: never


@dataclasses.dataclass
class Place:
    host: str
    port: int
    tls: ssl.SSLContext


STATUS = {409: ("Conflict", "Conflict"), 410: ("Gone", "Expired"), 429: ("Too Many Requests", "TooManyRequests"),
          500: ("Internal Server Error", "InternalError"), 503: ("Service Unavailable", "ServiceUnavailable")}


class Ended(Exception):
    """The connection is over."""


def openssl(*args):
    subprocess.run(["openssl", *args], check=True, capture_output=True)


def make_identity(folder, name):
    """A certificate authority and a certificate for 127.0.0.1: paths of all that is needed."""
    ca, key, crt, csr, ext = (f"{folder}/{name}{end}" for end in ("-ca.crt", ".key", ".crt", ".csr", ".ext"))
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{folder}/{name}-ca.key", "-out", ca,
            "-days", "2", "-subj", f"/CN={name}-ca")
    openssl("req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", csr, "-subj", "/CN=proxy")
    with open(ext, "w", encoding="utf-8") as file:
        file.write("subjectAltName=IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", csr, "-CA", ca, "-CAkey", f"{folder}/{name}-ca.key", "-CAcreateserial",
            "-days", "2", "-extfile", ext, "-out", crt)
    return ca, crt, key


async def read_head(reader):
    """The first line and the fields of a request or an answer; a field's name in small letters."""
    head = await reader.readuntil(b"\r\n\r\n")
    first, *rows = head.decode("latin-1").split("\r\n")
    fields = {}
    for row in rows:
        if ":" in row:
            name, value = row.split(":", 1)
            fields[name.strip().lower()] = value.strip()
    return first, fields


async def read_pieces(reader, fields):
    """The body of an answer, as it arrives."""
    if "chunked" in fields.get("transfer-encoding", ""):
        while True:
            size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
            piece = await reader.readexactly(size + 2)
            if size == 0:
                return
            yield piece[:-2]
    left = int(fields.get("content-length", 0))
    while left:
        piece = await reader.read(min(left, 65536))
        if not piece:
            raise Ended()
        left -= len(piece)
        yield piece


def write_head(writer, first, fields):
    writer.write((first + "\r\n" + "".join(f"{k}: {v}\r\n" for k, v in fields.items()) + "\r\n").encode("latin-1"))


class FaultyProxy:
    identities = None  # one pair for all of a process: making keys is slow

    def __init__(self, folder, upstream, faults, seed):
        self.folder, self.upstream, self.faults = folder, upstream, faults
        self.random = random.Random(seed)
        self.did = collections.Counter()
        self.old_lists = {}
        self.tasks = set()
        self.server = None
        self.kubeconfig = None

    async def start(self):
        if not FaultyProxy.identities:
            FaultyProxy.identities = make_identity(self.folder, "proxy"), make_identity(self.folder, "wrong")
        self.right, self.wrong = (self.context(identity) for identity in FaultyProxy.identities)
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", 0, limit=1 << 20)
        self.port = self.server.sockets[0].getsockname()[1]
        self.kubeconfig = f"{self.folder}/proxy-{self.port}.kubeconfig"
        with open(FaultyProxy.identities[0][0], "rb") as file:
            authority = base64.b64encode(file.read()).decode()
        with open(self.kubeconfig, "w", encoding="utf-8") as file:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "x",
                       "clusters": [{"name": "c", "cluster": {"server": f"https://127.0.0.1:{self.port}",
                                                              "certificate-authority-data": authority}}],
                       "users": [{"name": "u", "user": {"token": "of-the-proxy"}}],
                       "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}]}, file)

    async def stop(self):
        self.server.close()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    @staticmethod
    def context(identity):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(identity[1], identity[2])
        context.set_alpn_protocols(["http/1.1"])
        return context

    def hit(self, name):
        """Does this fault happen now?"""
        if self.random.randrange(1000) >= getattr(self.faults, name):
            return False
        self.did[name] += 1
        return True

    async def accept(self, reader, writer):
        task = asyncio.current_task()
        self.tasks.add(task)
        try:
            if self.hit("refuse"):
                return
            if self.hit("half_open"):
                await asyncio.sleep(self.faults.stall_seconds)
                return
            await writer.start_tls(self.wrong if self.hit("swap") else self.right)
            await self.serve(reader, writer)
        except (OSError, ssl.SSLError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, Ended, ValueError,
                asyncio.CancelledError):
            pass
        finally:
            self.tasks.discard(task)
            with contextlib.suppress(Exception):
                writer.transport.abort()

    async def serve(self, reader, writer):
        server = None
        try:
            while True:
                first, fields = await read_head(reader)
                body = await reader.readexactly(int(fields.get("content-length", 0)))
                if await self.misbehave(first, fields, writer):
                    continue
                if not server:
                    place = self.upstream()
                    server = await asyncio.open_connection(place.host, place.port, ssl=place.tls, limit=1 << 20)
                fields.pop("authorization", None)
                fields["connection"] = "keep-alive"
                write_head(server[1], first, fields)
                server[1].write(body)
                await server[1].drain()
                await self.relay(first, server[0], writer)
        finally:
            if server:
                server[1].transport.abort()

    async def misbehave(self, first, fields, writer):
        """Before the request is sent on. True: it is answered."""
        method, path, _ = first.split(" ", 2)
        watch = "watch=" in path
        if self.hit("delay"):
            await asyncio.sleep(self.random.random() * self.faults.delay_seconds)
        if self.hit("drop"):
            raise Ended()
        if method in ("PUT", "PATCH", "DELETE") and self.hit("conflict"):
            return await self.answer(writer, 409)
        if watch and self.hit("gone"):
            return await self.answer(writer, 410)
        for name, code in (("busy", 429), ("broken", 500), ("away", 503)):
            if self.hit(name):
                return await self.answer(writer, code)
        if method == "GET" and not watch and path in self.old_lists and self.hit("stale"):
            first, fields, text = self.old_lists[path]
            await self.send_whole(writer, first, fields, text)
            return True
        return False

    async def answer(self, writer, code):
        text, reason = STATUS[code]
        body = json.dumps({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": code,
                           "reason": reason, "message": "the proxy says so"}).encode()
        fields = {"content-type": "application/json"}
        if code == 429:
            fields["retry-after"] = "1"
        await self.send_whole(writer, f"HTTP/1.1 {code} {text}", fields, body)
        return True

    @staticmethod
    async def send_whole(writer, first, fields, body):
        fields = {k: v for k, v in fields.items() if k not in ("transfer-encoding", "content-length")}
        write_head(writer, first, {**fields, "content-length": str(len(body))})
        writer.write(body)
        await writer.drain()

    async def relay(self, request, reader, writer):
        method, path, _ = request.split(" ", 2)
        first, fields = await read_head(reader)
        if "watch=" in path and first.split(" ")[1] == "200":
            await self.relay_watch(first, fields, reader, writer)
            return
        body = b"".join([piece async for piece in read_pieces(reader, fields)])
        if self.hit("lose"):
            raise Ended()
        if self.hit("stall"):
            write_head(writer, first, {**fields, "content-length": str(len(body) + 1)})
            writer.write(body[:self.random.randrange(len(body) + 1)])
            await asyncio.sleep(self.faults.stall_seconds)
            raise Ended()
        await self.send_whole(writer, first, fields, body)
        # A page of a longer list cannot be repeated: its token leads to pages of another time.
        if method == "GET" and first.split(" ")[1] == "200" and b'"continue":"' not in body and "continue=" not in path:
            if self.random.randrange(4) == 0 or path not in self.old_lists:
                self.old_lists[path] = first, fields, body

    async def relay_watch(self, first, fields, reader, writer):
        left = self.random.randrange(1, self.faults.cut_bytes) if self.faults.cut_bytes else None
        write_head(writer, first, fields)
        async for piece in read_pieces(reader, fields):
            if not self.faults.cut_bytes:
                left = None
            end = left is not None and left <= len(piece)
            piece = piece[:left] if end else piece
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece) if piece else b"")
            await writer.drain()
            if end:
                self.did["cut"] += 1
                if self.hit("stall"):
                    await asyncio.sleep(self.faults.stall_seconds)
                raise Ended()
            left = None if left is None else left - len(piece)
        writer.write(b"0\r\n\r\n")
        await writer.drain()
