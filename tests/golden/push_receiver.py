#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""push_receiver.py FOLDER PORT: a receiver as userspace/wire/exchange.h has it, over TLS, for golden/push.

FOLDER has key.pem and cert.pem; mode, a word of what it does with requests (below), looked at anew for each; and gets
state.json after each request, which a receiver that is begun again goes on from. Written from exchange.h, wire.h and series.h alone.

Modes: ok; hang: no answer; drop: the connection ends; busy: 503; slow: wait_ms 3000; garbage: no JSON; huge: an answer without end; json: JSON of
other types; stuck: the cursors never move; late: nothing of the last hour is wanted; forbid: 403; lie: far too high cursors.
"""
import hashlib, json, os, ssl, struct, sys, threading, time, zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

folder, port = sys.argv[1], int(sys.argv[2])
lock = threading.Lock()
path = os.path.join(folder, "state.json")
state = {"seconds": {}, "series": {}, "logs": {}, "posts": {}, "tokens": {}, "wrong": [], "seconds_twice": 0}
if os.path.exists(path):
    with open(path) as f:
        state.update(json.load(f))


def wrong(what):
    state["wrong"].append(what)


def varint(b, at):
    v = shift = 0
    while True:
        byte = b[at]
        at += 1
        v |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return v, at


def frames(b):
    at = 0
    while at < len(b):
        if b[at:at + 4] != b"lmpw" or b[at + 4] != 1:
            raise ValueError("no frame")
        kind, h = b[at + 5], b[at + 6]
        length, total, wall = struct.unpack_from("<IIq", b, at + 8)
        head = at + 24 + h
        host = b[at + 24:head].decode()
        if zlib.crc32(b[at:head]) != struct.unpack_from("<I", b, head)[0]:
            raise ValueError("a damaged header")
        body = b[head + 4:head + 4 + length]
        if len(body) != length or zlib.crc32(body) != total:
            raise ValueError("a damaged body")
        at = head + 4 + length
        fields, i = {}, 0
        while i < length:
            number, i = varint(body, i)
            n, i = varint(body, i)
            fields.setdefault(number, []).append(body[i:i + n])
            i += n
        yield kind, host, wall, fields


class Part:
    """Rows of a copied file: only what the cursor needs, and the blobs of chunks."""

    def __init__(self, b):
        self.b, self.at, self.rows = b, 0, []
        while self.at < len(b):
            self.row()

    def number(self):
        v, self.at = varint(self.b, self.at)
        return v

    def signed(self):
        v = self.number()
        return ~(v >> 1) if v & 1 else v >> 1

    def blob(self):
        n = self.number()
        self.at += n
        return self.b[self.at - n:self.at]

    def byte(self):
        self.at += 1
        return self.b[self.at - 1]

    def row(self):
        kind = self.byte()
        if kind == 1:
            self.blob()
            self.blob() if self.byte() else self.signed()
        elif kind == 2:
            self.rows.append(("boot", self.number()))
            self.blob(), self.signed()
        elif kind == 3:
            self.rows.append(("metric", self.number()))
            self.blob(), self.blob(), self.blob()
            self.at += 8
            self.number()
        elif kind == 4:
            self.rows.append(("device", self.number()))
            for _ in range(6):
                self.blob()
            self.signed(), self.signed(), self.signed()
        elif kind == 5:
            chunk, first, last, seconds = self.number(), self.signed(), self.signed(), self.number()
            self.signed()
            blobs = [(self.byte(), hashlib.sha256(self.blob()).hexdigest()) for _ in range(self.number())]
            self.rows.append(("chunk", chunk, seconds, [first, last, blobs]))
        elif kind == 6:
            which = "stack" if self.byte() == 255 else "user_stack"
            self.rows.append((which, self.number()))
            self.signed(), self.signed(), self.blob()
        elif kind == 7:
            self.follows = [self.number() for _ in range(6)]
        else:
            raise ValueError(f"a row of kind {kind}")


def take_seconds(host, body, mode):
    have = state["seconds"].setdefault(host, [])
    live = have[-1] if have else time.time_ns() - 600 * 10**9
    if mode == "late":
        live = time.time_ns() + 10**9
    last = 0
    for kind, of, wall, fields in frames(body):
        if kind != 1 or of != host or 1 not in fields or 2 not in fields:
            wrong("a frame that is no second of this host")
        if wall <= last:
            wrong("seconds out of order")
        last = wall
        if wall in have[-1000:]:
            state["seconds_twice"] += 1
        elif mode != "stuck":
            have.append(wall)
    return {"live": have[-1] if have and mode != "late" else live}


def take_series(host, name, origin, body, mode):
    if not name.startswith(host + "-"):
        wrong(f"the file '{name}' of '{host}'")
    f = state["series"].setdefault(name, {"origin": origin, "chunks": {}, "cursor": dict(
        kept=1, boot=0, device=0, metric=0, stack=0, user_stack=0)})
    if f["origin"] != origin:
        wrong(f"another origin of '{name}'")
    cursor = f["cursor"]
    for kind, of, _, fields in frames(body):
        if kind != 2 or of != host or len(fields.get(8, [])) != 1:
            wrong("a frame that is no copy of this host")
            continue
        for row in Part(fields[8][0]).rows if mode != "stuck" else []:
            if row[0] != "chunk":
                cursor[row[0]] = max(cursor[row[0]], row[1])
            elif row[1] == cursor["kept"]:
                f["chunks"][row[1]] = row[2:]
                cursor["kept"] = row[1] + row[2]
            elif row[1] > cursor["kept"]:
                wrong(f"chunk {row[1]} before {cursor['kept']}")
    return cursor


def take_logs(host, body, mode):
    said = []
    for kind, of, _, fields in frames(body):
        if kind != 3 or of != host:
            wrong("a frame that is no log of this host")
            continue
        name, identity = fields[9][0].decode(), fields[10][0].decode()
        if name.startswith("/") or ".." in name.split("/"):
            wrong(f"the path '{name}'")
        log = state["logs"].setdefault(name, {"identity": identity, "text": "", "others": 0})
        if log["identity"] != identity:
            log.update(identity=identity, text="", others=log["others"] + 1)
        data = fields.get(12, [b""])[0]
        if data:
            offset = varint(fields[11][0], 0)[0] if 11 in fields else 0
            if offset == len(log["text"]) and mode != "stuck":
                log["text"] += data.decode("latin-1")
        said.append({"path": name, "identity": identity, "size": len(log["text"])})
    return {"logs": said}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def say(self, status, text):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open(os.path.join(folder, "mode")) as f:
            mode = f.read().strip()
        if len(body) > (4 << 20) + (1 << 16):
            wrong("a body that is too long")
        if self.headers["Expect"]:
            wrong("Expect")
        if mode == "hang":
            time.sleep(3600)
        if mode == "drop":
            self.close_connection = True
            return
        if mode == "huge":
            self.send_response(200)
            self.end_headers()
            self.close_connection = True
            try:
                while True:
                    self.wfile.write(b" " * 65536)
            except OSError:
                return
        plain = {"garbage": b"\xff\xfe{}}", "json": b'{"live": "now", "kept": [1], "logs": 7, "wait_ms": {}}',
                 "lie": b'{"live": 7000000000000000000, "kept": 9223372036854775806, "boot": 9, "device": 9, "metric": 9,'
                        b' "stack": 9, "user_stack": 9, "logs": []}'}
        if mode in plain:
            return self.say(200, plain[mode])
        if mode == "busy":
            return self.say(503, b'{"error": "not yet", "wait_ms": 200}')
        if mode == "forbid":
            return self.say(403, b'{"error": "not of \\u001b[31mthis\\u202e host"}')
        with lock:
            status, answer = self.take(urlparse(self.path), body, mode)
            with open(path + ".new", "w") as f:
                json.dump(state, f)
            os.rename(path + ".new", path)
        if mode == "slow":
            answer["wait_ms"] = 3000
        self.say(status, json.dumps(answer).encode())

    def take(self, url, body, mode):
        kind = url.path.split("/")[2] if url.path.startswith("/v1/") else url.path
        state["posts"][kind] = state["posts"].get(kind, 0) + 1
        token = (self.headers["Authorization"] or "").removeprefix("Bearer ")
        if kind == "enroll":
            host = json.loads(body)["host"]
            if token != "E" * 43:
                return 401, {"error": "expired"}
            if host in state["tokens"].values():
                return 409, {"error": "taken"}
            new = hashlib.sha256(host.encode()).hexdigest()[:43]
            state["tokens"][new] = host
            return 200, {"token": new}
        host = state["tokens"].get(token)
        if not host:
            return 401, {"error": "who?"}
        try:
            if kind == "seconds":
                return 200, take_seconds(host, body, mode)
            if kind == "series":
                return 200, take_series(host, url.path.split("/")[3], int(parse_qs(url.query)["origin"][0]), body, mode)
            if kind == "logs":
                return 200, take_logs(host, body, mode)
        except (ValueError, IndexError, KeyError, struct.error) as e:
            wrong(f"{kind}: {e!r}")
            return 400, {"error": "damaged"}
        return 404, {"error": "no such path"}


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem"))


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 16

    def finish_request(self, request, address):
        request.settimeout(60)
        super().finish_request(context.wrap_socket(request, server_side=True), address)

    def handle_error(self, *_):
        pass


Server(("127.0.0.1", port), Handler).serve_forever()
