# SPDX-License-Identifier: BSD-2-Clause
"""ingest_client.py BOX FOLDER: everything that a client may do to the listener for senders; TAP lines, for ingest.sh.
ingest_client.py good PORT HOST=TOKEN…: senders that post twice a second until their input ends; then a line: posts, failures, the
longest that any had to wait."""
import http.client
import json
import os
import random
import resource
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "helpers"))
from scenes import case, eq, run  # noqa: E402

NS = 1000000000
TIMEOUT = 10


def context(certificate=None):
    c = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    c.check_hostname, c.verify_mode = False, ssl.CERT_NONE
    if certificate:
        c.load_cert_chain(f"{certificate}.pem", f"{certificate}.key")
    return c


def frame(host, wall_ns, body=b"anything", kind=1, version=1):
    name = host.encode()
    head = b"lmpw" + struct.pack("<BBBBIIq", version, kind, len(name), 0, len(body), zlib.crc32(body), wall_ns) + name
    return head + struct.pack("<I", zlib.crc32(head)) + body


def varint(n):
    low = b""
    while n > 127:
        low, n = low + bytes([n & 127 | 128]), n >> 7
    return low + bytes([n])


def fields(*pairs):
    return b"".join(varint(number) + varint(len(text)) + text for number, text in pairs)


def copy(host, part):
    return frame(host, time.time_ns(), fields((8, part)), 2)


def identity_of(path):
    """One that no other path has."""
    return f"{zlib.crc32(path):x}"


def lines(host, path, at=0, text=b"", identity=None):
    path = path if isinstance(path, bytes) else path.encode()
    identity = (identity_of(path) if identity is None else identity).encode()
    return frame(host, time.time_ns(), fields((9, path), (10, identity), (11, varint(at)), (12, text)), 3)


class Connection:
    """One that is kept."""

    def __init__(self, port, token=None, certificate=None):
        self.c = http.client.HTTPSConnection("127.0.0.1", port, timeout=30, context=context(certificate))
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def ask(self, path, body=b"", method="POST", **headers):
        self.c.request(method, path, body, {**self.headers, **headers})
        r = self.c.getresponse()
        text = r.read()
        try:
            return r.status, json.loads(text)
        except ValueError:
            return r.status, {"text": text}

    def close(self):
        self.c.close()


def good(port, pairs):
    """Its frames are 2 kB."""
    waited, posts, failed, stop = [], [0], [], threading.Event()

    def send(host, token):
        c = Connection(port, token)
        while not stop.is_set():
            begin, now = time.monotonic(), time.time_ns()
            try:
                status, answer = c.ask("/v1/seconds", frame(host, now, os.urandom(2048)))
                if (status, answer) != (200, {"live": now}):
                    failed.append(f"{host}: {status} {answer}")
            except OSError as e:
                failed.append(f"{host}: {e!r}")
                c.close()
            waited.append(time.monotonic() - begin)
            posts[0] += 1
            time.sleep(0.5)

    threads = [threading.Thread(target=send, args=p.split("=", 1)) for p in pairs]
    for t in threads:
        t.start()
    sys.stdin.read()
    stop.set()
    for t in threads:
        t.join()
    print(posts[0], len(failed), f"{max(waited):.3f}", *failed[:3])


if sys.argv[1] == "good":
    good(int(sys.argv[2]), sys.argv[3:])
    sys.exit()

SLOW = "address" in sys.argv[1] or "thread" in sys.argv[1]  # built with a sanitizer
BOX, T = os.path.abspath(sys.argv[1]), sys.argv[2]
os.chdir(T)


class Box:
    """The server."""

    def __init__(self, name, *more):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.dir, self.more = name, more
        self.start()

    def start(self):
        self.said = open(f"{self.dir}.err", "a")
        self.p = subprocess.Popen([BOX, "serve", self.dir, f"127.0.0.1:{self.port}", *self.more], text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said)
        eq(self.p.stdout.readline(), "ready\n", open(f"{self.dir}.err").read())

    def stop(self):
        self.p.stdin.close()
        eq(self.p.wait(60), 0, open(f"{self.dir}.err").read())

    def tell(self, *words):
        return subprocess.run([BOX, *words], text=True, capture_output=True)

    def line(self, uses=1, seconds=3600):
        pin, token = self.tell("line", self.dir, str(uses), str(seconds)).stdout.split()
        return pin, token

    def enrol(self, host, line=None):
        status, answer = Connection(self.port, line or self.line()[1]).ask("/v1/enroll", json.dumps({"host": host}))
        eq(status, 200, answer)
        return answer["token"]

    def say(self, word):
        self.p.stdin.write(word + "\n")
        self.p.stdin.flush()

    def cpu(self):
        self.say("cpu")
        seconds, kib = self.p.stdout.readline().split()
        return float(seconds), int(kib)

    def metrics(self):
        self.say("metrics")
        values = {}
        for line in iter(self.p.stdout.readline, "# EOF\n"):
            if not line.startswith("#"):
                name, value = line.split()
                values[name] = int(value)
        return values

    def raw(self, text=b"", tls=True):
        s = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        s = context().wrap_socket(s) if tls else s
        s.sendall(text)
        return s


def end_of(s):
    """What is said until the end, and when that is."""
    begin, got = time.monotonic(), b""
    try:
        while some := s.recv(65536):
            got += some
    except (ConnectionError, ssl.SSLError):
        pass
    return got, time.monotonic() - begin


def post(path, token=None, length=None, *more):
    lines = [f"POST {path} HTTP/1.1", "Host: x"]
    lines += [f"Authorization: Bearer {token}"] if token else []
    lines += [f"Content-Length: {length}"] if length is not None else []
    return "\r\n".join([*lines, *more, "", ""]).encode()


def statuses(text):
    return [int(part.split()[0]) for part in text.split(b"HTTP/1.1 ")[1:]]


box = Box("main")
tokens = {f"good-{i}": box.enrol(f"good-{i}") for i in range(5)}
box_good = subprocess.Popen([sys.executable, os.path.abspath(__file__) if os.path.isabs(__file__) else
                             os.path.join(os.environ.get("OLDPWD", ""), __file__),
                             "good", str(box.port), *(f"{h}={t}" for h, t in tokens.items())],
                            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

# ---- who ----------------------------------------------------------------------------------------------------------------


@case("a line of enrolment makes a sender of a host, once; the pin is that of the certificate")
def _():
    pin, line = box.line()
    eq(len(pin), 43)
    eq(len(line), 43)
    with box.raw() as s:
        der = s.getpeercert(True)
    key = subprocess.run("openssl x509 -inform der -noout -pubkey | openssl pkey -pubin -outform der | "
                         "openssl dgst -sha256 -binary | base64 | tr +/ -_ | tr -d =", shell=True, input=der, capture_output=True)
    eq(key.stdout.decode().strip(), pin)
    token = box.enrol("once", line)
    eq(Connection(box.port, token).ask("/v1/seconds")[0], 200)
    eq(Connection(box.port, line).ask("/v1/enroll", b'{"host": "twice"}')[0], 401)
    eq(Connection(box.port, line).ask("/v1/seconds")[0], 401)


@case("a line that is too old, or none, enrols nobody; nor does a name that is none")
def _():
    for line in (box.line(1, 0)[1], "x" * 43, None):
        eq(Connection(box.port, line).ask("/v1/enroll", b'{"host": "old"}')[0], 401)
    line = box.line()[1]
    for body in (b"", b"{", b"[]", b'{"host": 1}', b'{"host": ""}', b'{"host": "../a"}', b'{"host": "a/b"}', b'{"host": "-a"}',
                 b'{"host": "a"} x', b'{"host": "\\u0061"}', b'{"host": "' + b"a" * 64 + b'"}', b"\0" * 100, b"[" * 5000):
        eq(Connection(box.port, line).ask("/v1/enroll", body)[0], 400, body[:20])
    box.enrol("well", line)


@case("a name that is taken is refused with 409 until it is approved, and the older token ends then")
def _():
    old, (_, line) = box.enrol("taken"), box.line(2)
    status, answer = Connection(box.port, line).ask("/v1/enroll", b'{"host": "taken"}')
    eq((status, "limpet serve approve taken" in answer["error"]), (409, True))
    eq(box.tell("approve", "main", "taken").returncode, 0)
    eq(Connection(box.port, old).ask("/v1/seconds")[0], 200)
    new = box.enrol("taken", line)
    eq(Connection(box.port, old).ask("/v1/seconds")[0], 401)
    eq(Connection(box.port, new).ask("/v1/seconds")[0], 200)
    eq(Connection(box.port, line).ask("/v1/enroll", b'{"host": "taken"}')[0], 409)
    eq(box.tell("approve", "main", "nobody").stderr, "ingest_box: no sender has the name 'nobody'\n")


@case("a sender that is forgotten is refused within seconds, on a connection that stands, too")
def _():
    c = Connection(box.port, box.enrol("forgotten"))
    eq(c.ask("/v1/seconds")[0], 200)
    eq(box.tell("forget", "main", "forgotten").returncode, 0)
    time.sleep(2.5)
    eq(c.ask("/v1/seconds")[0], 401)


@case("no token, a wrong one, or a scheme that is none: 401")
def _():
    for headers in ({}, {"Authorization": "Bearer " + "A" * 43}, {"Authorization": "Bearer "}, {"Authorization": "Basic YTph"},
                    {"Authorization": tokens["good-0"]}, {"Authorization": "Bearer " + "A" * 7000}):
        eq(Connection(box.port).ask("/v1/seconds", frame("good-0", time.time_ns()), **headers)[0], 401, headers)


# ---- seconds -------------------------------------------------------------------------------------------------------------


def live(c, body=b""):
    status, answer = c.ask("/v1/seconds", body)
    eq(status, 200, answer)
    return answer["live"]


@case("seconds are taken in order, each once, and not those that are far ahead")
def _():
    c, now = Connection(box.port, box.enrol("orderly")), time.time_ns() // NS * NS
    assert now - 700 * NS < live(c) < now - 500 * NS
    eq(live(c, b"".join(frame("orderly", now + i * NS) for i in (-3, -2, -1))), now - NS)
    before = box.metrics()
    eq(live(c, b"".join(frame("orderly", now + i * NS) for i in (-2, -1, 0, 0, -5))), now)
    eq(live(c, frame("orderly", now + 10 * 365 * 86400 * NS) + frame("orderly", now + NS)), now + NS)
    eq(live(c, frame("orderly", 2**63 - 1)), now + NS)
    after = box.metrics()
    more = {what: after[f'limpet_serve_seconds_total{{what="{what}"}}'] - before[f'limpet_serve_seconds_total{{what="{what}"}}']
            for what in ("old", "ahead")}
    eq(more, {"old": 4, "ahead": 2})
    assert "'orderly' sends seconds that are" in open("main.err").read()


@case("a frame of another host, and nothing of its request is taken")
def _():
    c, now = Connection(box.port, box.enrol("honest")), time.time_ns()
    for body in (frame("good-0", now), frame("honest", now) + frame("good-0", now), frame("good-0", now) + frame("honest", now)):
        eq(c.ask("/v1/seconds", body)[0], 403)
    assert live(c) < now - 500 * NS


@case("what is no frame, damaged, cut or of another version: 400, and nothing of it is taken")
def _():
    token, now = box.enrol("damaged"), time.time_ns()
    one = frame("damaged", now)
    for body in (b"x", b"lmpw", one[:-1], one[:20], one[:-1] + b"\0", one[:10] + b"\1" + one[11:], one + b"x", one + one[:-3],
                 frame("damaged", now, version=2), b"\0" * 5000, os.urandom(5000), frame("damaged", -5), frame("a b", now)):
        eq(Connection(box.port, token).ask("/v1/seconds", body)[0], 400, body[:40])
        assert live(Connection(box.port, token)) < now - 500 * NS
    eq(live(Connection(box.port, token), one), now)


@case("a frame of 4 MB is taken on a connection whose sender is known, and no more than that")
def _():
    token, now = box.enrol("large"), time.time_ns()
    c = Connection(box.port, token)
    live(c)
    eq(live(c, frame("large", now, b"\0" * (4 << 20))), now)
    with box.raw(post("/v1/seconds", token, 5 << 20)) as s:
        eq(statuses(end_of(s)[0]), [413])


# ---- copies --------------------------------------------------------------------------------------------------------------

CURSOR = {"boot": 0, "device": 5, "metric": 0, "stack": 0, "user_stack": 0}


@case("copies are given away, and the answer comes when they are kept; seconds of others do not wait for it")
def _():
    token = box.enrol("copied")
    c = Connection(box.port, token)
    path = "/v1/series/copied-20260101.limpet?origin=5"
    status, answer = c.ask(path)
    before = answer.pop("kept")
    eq((status, answer), (200, CURSOR))
    eq(c.ask(path, copy("copied", b"part")), (200, {"kept": before + 1, **CURSOR}))
    eq(c.ask(path, copy("copied", b"part") + copy("copied", b"and another")), (200, {"kept": before + 3, **CURSOR}))
    eq(c.ask(path.replace("2026", "2099"), copy("copied", b"part")), (400, {"error": "damaged"}))


@case("a file of another host, a name that is none, a frame of another kind or host: refused, and nothing is given away")
def _():
    token = box.enrol("copier")
    c = Connection(box.port, token)
    before = c.ask("/v1/series/copier-20260101.limpet?origin=5")[1]["kept"]
    body = copy("copier", b"part")
    for name in ("", "copier.limpet", "copier-2026.limpet", "copier-20260101", "copier-20260101.limpet/", "-20260101.limpet",
                 "copier-2026010a.limpet", "../copier-20260101.limpet", "x/copier-20260101.limpet", "copier%2d20260101.limpet",
                 "copier-20260101.limpet%00", "a" * 64 + "-20260101.limpet"):
        eq(Connection(box.port, token).ask(f"/v1/series/{name}?origin=5", body)[0], 400, name)
    for query in ("", "?", "?origin", "?origin=", "?origin=-1", "?origin=x", "?origin=5x", "?origin=99999999999999999999", "?xorigin=5",
                  "?origin=9223372036854775808", "?origin=%35"):
        eq(Connection(box.port, token).ask(f"/v1/series/copier-20260101.limpet{query}", body)[0], 400, query)
    for host in ("good-0", "copie", "copierx"):
        eq(Connection(box.port, token).ask(f"/v1/series/{host}-20260101.limpet?origin=5")[0], 403, host)
    path = "/v1/series/copier-20260101.limpet?origin=5"
    for bad, status in ((copy("good-0", b"part"), 403), (body + copy("good-0", b"part"), 403), (frame("copier", 1), 400),
                        (body + frame("copier", 1), 400), (body[:-1], 400), (frame("copier", 1, fields((9, b"x")), 2), 400),
                        (frame("copier", 1, b"\xff" * 20, 2), 400)):
        eq(Connection(box.port, token).ask(path, bad)[0], status, bad[:60])
    eq(Connection(box.port, token).ask(path + "&x=1")[1]["kept"], before)


@case("who goes away while a copy is written is not answered, and nobody else is hurt")
def _():
    token = box.enrol("hasty")
    body = copy("hasty", b"part")
    for end in (socket.SHUT_RDWR, socket.SHUT_WR, None):
        for _ in range(3):
            s = box.raw(post("/v1/series/hasty-20260101.limpet?origin=5", token, len(body)) + body)
            time.sleep(0.05)
            if end is not None:
                s.shutdown(end)
            s.close()
    time.sleep(1)
    live(Connection(box.port, token))


# ---- logs ----------------------------------------------------------------------------------------------------------------


def ask_logs(c, *frames):
    status, answer = c.ask("/v1/logs", b"".join(frames))
    eq(status, 200, answer)
    return [(row["size"], row.get("error")) for row in answer["logs"]]


def kept(host, path):
    with open(f"main/logs/{host}/{path}", "rb") as f:
        return f.read()


@case("logs are appended where they end; a question changes nothing")
def _():
    host, c = "logs", Connection(box.port, box.enrol("logs"))
    eq(ask_logs(c, lines(host, "a/b.log")), [(0, None)])
    assert not os.path.exists("main/logs/logs")
    eq(ask_logs(c, lines(host, "a/b.log", 0, b"one\n"), lines(host, "c", 0, b"\0\xff"), lines(host, "d")), [(4, None), (2, None), (0, None)])
    eq(ask_logs(c, lines(host, "a/b.log", 4, b"two\n")), [(8, None)])
    eq(ask_logs(c, lines(host, "a/b.log", 4, b"again"), lines(host, "a/b.log", 9, b"beyond"), lines(host, "a/b.log", 2**62, b"far")), [(8, None)] * 3)
    eq((kept(host, "a/b.log"), kept(host, "c")), (b"one\ntwo\n", b"\0\xff"))
    eq(c.ask("/v1/logs"), (200, {"logs": []}))
    status, answer = c.ask("/v1/logs", lines(host, "é", 0, b"x"))
    eq((status, answer["logs"][0]), (200, {"path": "é", "identity": identity_of("é".encode()), "size": 1}))


@case("a log of another identity: the older one is PATH.1, with its identity, also after a restart of the sender's names")
def _():
    host, c = "rotated", Connection(box.port, box.enrol("rotated"))
    eq(ask_logs(c, lines(host, "x.log", 0, b"old", "A")), [(3, None)])
    eq(ask_logs(c, lines(host, "x.log", 0, b"", "B")), [(0, None)])
    eq(kept(host, "x.log"), b"old")
    eq(ask_logs(c, lines(host, "x.log", 0, b"new", "B")), [(3, None)])
    eq((kept(host, "x.log"), kept(host, "x.log.1")), (b"new", b"old"))
    eq(ask_logs(c, lines(host, "x.log.1", 0, b"", "A")), [(3, None)])
    eq(ask_logs(c, lines(host, "x.log", 0, b"newest", "C")), [(6, None)])
    eq((kept(host, "x.log"), kept(host, "x.log.1"), kept(host, "x.log.2")), (b"newest", b"old", b"new"))


@case("paths that lead elsewhere, are no text, too deep or too long: refused, and nothing is written")
def _():
    host, token = "paths", box.enrol("paths")
    for path in ("../x", "a/../../x", "/etc/x", "a//b", "a/./b", ".", "..", "a/..", "a/", "", b"a\0b", "a\nb", "a\x1b[1m", "a/\x7f", "x" * 1024):
        eq(Connection(box.port, token).ask("/v1/logs", lines(host, path, 0, b"evil"))[0], 400, path)
    for identity in ("", "a b", "a/b", "x" * 65, "é"):
        eq(Connection(box.port, token).ask("/v1/logs", lines(host, "a", 0, b"evil", identity))[0], 400, identity)
    assert not os.path.exists("main/logs/paths")
    c = Connection(box.port, token)
    for path in ("/".join("a" * 17), "x" * 256, b"\xff\xfe", b"a\xc2\x80", "\u202eevil"):
        (size, error), = ask_logs(c, lines(host, path, 0, b"evil"))
        eq((size, bool(error)), (0, True), path)
    eq(ask_logs(c, lines(host, "/".join("a" * 16), 0, b"deep"), lines(host, "x" * 240, 0, b"long")), [(4, None), (4, None)])
    eq(Connection(box.port, token).ask("/v1/logs", lines("good-0", "a", 0, b"evil"))[0], 403)
    eq(Connection(box.port, token).ask("/v1/logs", lines(host, "first", 0, b"good") + lines("good-0", "a", 0, b"evil"))[0], 403)
    assert not os.path.exists("main/logs/paths/first")
    eq(Connection(box.port, token).ask("/v1/logs", lines(host, "a") * 257)[0], 413)


@case("links in the folder of logs are not followed, and a file is no folder")
def _():
    host, c = "links", Connection(box.port, box.enrol("links"))
    ask_logs(c, lines(host, "plain", 0, b"1"))
    os.mkdir("outside")
    os.symlink(os.path.abspath("outside"), "main/logs/links/folder")
    os.symlink(os.path.abspath("outside/file"), "main/logs/links/file")
    os.symlink("plain", "main/logs/links/near")
    os.mkdir("main/logs/links/taken")
    for path in ("folder/x", "plain/x", "taken"):
        (size, error), = ask_logs(c, lines(host, path, 0, b"evil"))
        eq((size, bool(error)), (0, True), path)
    # What no sender brought is put aside.
    for path in ("file", "near"):
        eq(ask_logs(c, lines(host, path, 0, b"good")), [(4, None)])
    eq(os.listdir("outside"), [])
    eq((kept(host, "file"), kept(host, "near"), kept(host, "plain")), (b"good", b"good", b"1"))


@case("a host has room for so many bytes of logs, and so many files; the others are taken as before")
def _():
    host, c = "greedy", Connection(box.port, box.enrol("greedy"))
    eq(ask_logs(c, lines(host, "big", 0, b"x" * 200000)), [(200000, None)])
    for at in range(200000, 1000000, 200000):
        eq(ask_logs(c, lines(host, "big", at, b"x" * 200000))[0][1], None, at)
    (size, error), (small, none) = ask_logs(c, lines(host, "big", 1000000, b"x" * 200000), lines(host, "small", 0, b"y"))
    eq((size, small, none), (1000000, 1, None))
    assert "'greedy'" in error
    for i in range(18):
        eq(ask_logs(c, lines(host, f"f{i}", 0, b"y")), [(1, None)])
    assert ask_logs(c, lines(host, "f18", 0, b"y"))[0][1]
    # Where somebody made room it is seen.
    os.remove("main/logs/greedy/big")
    eq(ask_logs(c, lines(host, "f18", 0, b"y"))[0][1], None)


# ---- bounds --------------------------------------------------------------------------------------------------------------


@case("a third connection of a sender ends its first")
def _():
    token = box.enrol("many")
    three = [Connection(box.port, token) for _ in range(3)]
    for c in three:
        live(c)
    for c in three[1:]:
        live(c)
    time.sleep(0.2)
    eq(three[0].c.sock.recv(1), b"")


@case("more requests than a sender may make: 429 and how long to wait, and then it goes on")
def _():
    token = box.enrol("eager")
    with box.raw(post("/v1/seconds", token, 0) * 399 + post("/v1/seconds", token, 0, "Connection: close")) as s:
        got = end_of(s)[0]
    eq((len(statuses(got)), set(statuses(got))), (400, {200, 429}))
    assert 100 < statuses(got).count(429) <= 200, statuses(got).count(429)
    assert b'"wait_ms":1000' in got
    time.sleep(1.2)
    live(Connection(box.port, token))


@case("only these paths, and only by POST")
def _():
    token = box.enrol("lost")
    c = Connection(box.port, token)
    for path in ("/", "/v1/seconds/", "/v1/secondsx", "/v1/../v1/seconds", "//v1/seconds", "/v1/seconds%00", "/v1/%73econds", "/v1",
                 "/v1/enroll%2f", "/%2e%2e/%2e%2e/etc/passwd", "/v1/seconds;x", "*"):
        eq(c.ask(path)[0], 404, path)
    eq(c.ask("/v1/seconds?x=%00")[0], 200)
    for method, status in (("GET", 405), ("HEAD", 405), ("PUT", 405), ("DELETE", 405), ("TRACE", 405), ("CONNECT", 501)):
        eq(Connection(box.port, token).ask("/v1/seconds", method=method)[0], status, method)
    for line in (b"\r\n\r\n", b"POST\r\n\r\n", b"POST /v1/seconds\r\n\r\n", b"POST /v1/seconds HTTP/9.9\r\n\r\n", b"\0" * 100 + b"\r\n\r\n",
                 b"POST /v1/sec\0nds HTTP/1.1\r\n\r\n", b"POST /v1/seconds HTTP/1.1\r\nno colon\r\n\r\n",
                 b"POST /v1/seconds HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"POST /v1/seconds HTTP/1.1\r\nContent-Length: x\r\n\r\n",
                 b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"):
        with box.raw(line) as s:
            s.settimeout(15)
            assert not set(statuses(end_of(s)[0])) & {200, 401}, line
    for twice in ("Content-Length: 5", "Transfer-Encoding: chunked"):
        with box.raw(post("/v1/seconds", token, 0, twice) + b"0\r\n\r\n") as s:
            s.settimeout(15)
            eq(statuses(end_of(s)[0])[0], 400, twice)


@case("many requests at once are answered one after the other")
def _():
    token, now = box.enrol("pipe"), time.time_ns()
    bodies = [frame("pipe", now + i) for i in range(30)]
    with box.raw(b"".join(post("/v1/seconds", token, len(b)) + b for b in bodies)
                 + post("/v1/seconds", token, 0, "Connection: close")) as s:
        got = end_of(s)[0]
    eq(statuses(got), [200] * 31)
    assert f'"live":{now + 29}'.encode() in got


@case("a body in chunks is one, too; without an end it ends at the limit")
def _():
    token, now = box.enrol("chunky"), time.time_ns()
    body = frame("chunky", now)
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in (body[:5], body[5:])) + b"0\r\n\r\n"
    with box.raw(post("/v1/seconds", token, None, "Transfer-Encoding: chunked", "Connection: close") + chunks) as s:
        got = end_of(s)[0]
        eq(statuses(got), [200])
        assert f'"live":{now}'.encode() in got
    for size in (65536, 1 << 20):
        sent = 0
        with box.raw(post("/v1/seconds", token, None, "Transfer-Encoding: chunked")) as s:
            try:
                while sent < 64 << 20:
                    s.sendall(b"%x\r\n" % size + b"a" * size + b"\r\n")
                    sent += size
            except (ConnectionError, ssl.SSLError):
                pass
        assert sent < 16 << 20, sent


@case("a gigabyte that is announced: refused before it comes, with and without Expect")
def _():
    for more in ((), ("Expect: 100-continue",)):
        with box.raw(post("/v1/seconds", tokens["good-0"], 1 << 30, *more)) as s:
            got, after = end_of(s)
            eq(statuses(got), [413])
    with box.raw(post("/v1/seconds", "no", 10, "Expect: 100-continue")) as s:
        assert s.recv(100).startswith(b"HTTP/1.1 100 ")
        s.sendall(b"a" * 10)
        eq(statuses(s.recv(1000)), [401])
    with box.raw(post("/v1/seconds", "no", 10, "Expect: the-unexpected")) as s:
        eq(statuses(s.recv(1000)), [417])


@case("a megabyte of headers, in lines and in one: refused")
def _():
    for line in (b"X-A: " + b"b" * 1000 + b"\r\n", b"c" * 1000):
        sent = 0
        with box.raw(b"POST /v1/seconds HTTP/1.1\r\nHost: x\r\n") as s:
            try:
                while sent < 1 << 20:
                    s.sendall(line)
                    sent += len(line)
                got = end_of(s)[0]
            except (ConnectionError, ssl.SSLError):
                got = b""
        eq([x for x in statuses(got) if x != 400], [])


@case("half-closed, before TLS and in a body: ended")
def _():
    with box.raw(tls=False) as s:
        s.shutdown(socket.SHUT_WR)
        assert end_of(s)[1] < 5
    with box.raw(post("/v1/seconds", tokens["good-0"], 2048) + b"abc") as s:
        s.shutdown(socket.SHUT_WR)
        assert end_of(s)[1] < 5


@case("plain HTTP on the port of TLS, and noise: ended, without an answer")
def _():
    for text in (b"GET / HTTP/1.1\r\n\r\n", os.urandom(1000), b"\x16\x03\x01\xff\xff" + b"\0" * 1000, b"\x80" * 50):
        with box.raw(text, tls=False) as s:
            assert b"HTTP" not in end_of(s)[0]


@case("a request has ten seconds: a byte a second in the headers, in the body, in the handshake, or nothing at all, and it ends")
def _():
    token = box.enrol("slow")
    known = box.raw(post("/v1/seconds", token, 0))
    eq(statuses(known.recv(1000)), [200])
    known.sendall(post("/v1/seconds", token, 2048))
    slow = {
        "headers": box.raw(b"POST /v1/seconds HTTP/1.1\r\nX: "),
        "body": box.raw(post("/v1/seconds", token, 2048)),
        "body of a known sender": known,
        "chunks": box.raw(post("/v1/seconds", token, None, "Transfer-Encoding: chunked") + b"fff\r\n"),
        "handshake": box.raw(b"\x16\x03\x01\x02\x00", tls=False),
        "nothing": box.raw(tls=False),
        "nothing after the handshake": box.raw(),
    }
    begin, ended = time.monotonic(), {}
    for s in slow.values():
        s.settimeout(0.01)
    while len(ended) < len(slow) and time.monotonic() - begin < 2 * TIMEOUT:
        for name, s in slow.items():
            try:
                if name not in ended:
                    if not name.startswith("nothing"):
                        s.sendall(b"\0" if name == "handshake" else b"a")
                    if not s.recv(1):
                        raise ConnectionError
            except TimeoutError:
                pass
            except (OSError, ssl.SSLError):
                ended[name] = time.monotonic() - begin
        time.sleep(0.5)
    eq(set(ended), set(slow))
    assert all(TIMEOUT - 1 < t < TIMEOUT + 4 for t in ended.values()), ended


@case("a known sender that asks on and reads no answer: it holds little, and its connection ends")
def _():
    token = box.enrol("deaf")
    raw, late = post("/v1/seconds", token, 0) * 50, 'limpet_serve_connections_ended_total{reason="late"}'
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    plain.connect(("127.0.0.1", box.port))
    kib, before = box.cpu()[1], box.metrics()[late]
    with context().wrap_socket(plain) as s:
        s.settimeout(1)
        begin, sent, stuck = time.monotonic(), 0, None
        while time.monotonic() - begin < 4 * TIMEOUT:
            try:
                s.sendall(raw)
                sent += len(raw)
            except TimeoutError:  # the server reads no more: what it has to say is not taken
                stuck = time.monotonic()
                break
        assert stuck, sent
        after = box.cpu()[1]
        while box.metrics()[late] == before and time.monotonic() - stuck < 2 * TIMEOUT:
            time.sleep(0.5)
        ended = time.monotonic() - stuck
    print(f"# {sent} B were taken, {after - kib} KiB more; ended after {ended:.1f} s")
    assert TIMEOUT - 4 < ended < TIMEOUT + 3, ended
    assert after - kib < 32 << 10 or SLOW, (kib, after)


def unfinished(b, n, hello):
    made = []
    for _ in range(n):
        s = socket.socket()
        s.setblocking(False)
        s.connect_ex(("127.0.0.1", b.port))
        made.append(s)
        if len(made) % 100 == 0:
            time.sleep(0.02)
    for s in made:
        try:
            s.send(hello)
        except OSError:
            pass
    return made


def hello():
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context().wrap_bio(incoming, outgoing).do_handshake()
    except ssl.SSLWantReadError:
        return outgoing.read()


@case("5,000 handshakes that nobody finishes: few stand, and those cost no processor time")
def _():
    n = min(5000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200)
    for text in (b"\x16", hello()):
        cpu = [box.cpu()[0]]
        made = unfinished(box, n, text)
        strangers = 0
        for _ in range(6):
            time.sleep(1)
            cpu.append(box.cpu()[0])
            strangers = max(strangers, box.metrics()["limpet_serve_strangers"])
        for s in made:
            s.close()
        cheapest = min(b - a for a, b in zip(cpu[1:], cpu[2:]))
        print(f"# {n} × {len(text)} B: {cpu[-1] - cpu[0]:.2f} s of a processor to open, {strangers} stand, {cheapest:.2f} s in a second")
        assert 0 < strangers <= 256, strangers
        assert cheapest < 0.2, cpu


@case("5,000 handshakes that stand where so many may: each ends for its own ten seconds, and standing costs no processor time")
def _():
    b = Box("wide", "-", "6000")
    n = min(5000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200)
    made = unfinished(b, n, b"\x16\x03\x01")
    # A busy machine accepts for seconds, and ends the first meanwhile: what a second costs is that of the cheapest in which many stood.
    ended = {}
    stood, cheapest, until = 0, float("inf"), time.monotonic() + 60
    while time.monotonic() < until and sum(ended.values()) < n:
        now = b.metrics()
        before, (cpu, kib) = now["limpet_serve_strangers"], b.cpu()
        time.sleep(1)
        now, used = b.metrics(), b.cpu()[0] - cpu
        ended = {reason: now[f'limpet_serve_connections_ended_total{{reason="{reason}"}}'] for reason in ("late", "excess", "large")}
        stood = max(stood, before)
        if min(before, now["limpet_serve_strangers"]) > 256:
            cheapest = min(cheapest, used)
    for s in made:
        s.close()
    print(f"# {stood} stood at once in {kib} KiB: {cheapest:.2f} s of a processor a second; ended: {ended}; "
          f"{now['limpet_serve_strangers']} at the end")
    b.stop()
    eq((ended["excess"], ended["large"], now["limpet_serve_strangers"]), (0, 0, 0))
    assert ended["late"] > n * 0.9 and stood > 256 and cheapest < 0.2, (ended, stood, cheapest)


@case("the bodies of strangers are bounded together, whatever their number: the largest go")
def _():
    b = Box("bodies", "-", "2000")
    before, made = b.cpu()[1], []
    for _ in range(800):
        s = b.raw()
        try:
            s.sendall(post("/v1/seconds", "no", 250000) + b"a" * 249999)
        except (ConnectionError, ssl.SSLError):
            pass
        made.append(s)
    time.sleep(0.5)
    after, stand = b.cpu()[1], b.metrics()
    for s in made:
        s.close()
    b.stop()
    large = stand['limpet_serve_connections_ended_total{reason="large"}']
    print(f"# 800 × 250,000 B: {before} KiB, then {after} KiB; {large} ended, {stand['limpet_serve_strangers']} stand")
    assert large > 400 and stand["limpet_serve_strangers"] * 250000 <= 64 << 20, (large, stand)
    assert after - before < 150 << 10 or SLOW, (before, after)


@case("meanwhile five good senders were answered within a second, every time")
def _():
    box_good.stdin.close()
    posts, failed, longest, *what = box_good.stdout.readline().split(" ", 3)
    print(f"# {posts} posts, {failed} failed, the longest took {longest.strip()} s")
    eq(failed.strip(), "0", what)
    assert int(posts) > 100 and float(longest) < (3 if SLOW else 1), longest


# ---- a start, certificates -------------------------------------------------------------------------------------------------


@case("after a restart the pin and the tokens are as before")
def _():
    token, pin = box.enrol("stays"), box.line()[0]
    c = Connection(box.port, token)
    now = time.time_ns()
    live(c, frame("stays", now))
    ask_logs(c, lines("stays", "log", 0, b"text", "A"))
    box.stop()
    box.start()
    eq(box.line()[0], pin)
    live(Connection(box.port, token))
    c = Connection(box.port, token)
    eq(ask_logs(c, lines("stays", "log", 0, b"", "A"), lines("stays", "log", 0, b"", "B")), [(4, None), (0, None)])
    eq(os.stat("main/serve.db").st_mode & 0o777, 0o600)
    eq(os.stat("main/tls/service.pem").st_mode & 0o777, 0o600)


@case("a certificate of the site's CA proves the host that its dNSName or its first label is")
def _():
    b = Box("site", "ca.pem")
    one, two = (Connection(b.port, certificate=f"crt-{i}.site.example") for i in (1, 2))
    now = time.time_ns()
    assert live(one) < now - 500 * NS
    eq(live(one, frame("crt-1", now)), now)
    eq(live(one), now)
    eq(one.ask("/v1/seconds", frame("crt-2", now))[0], 403)
    eq(one.ask("/v1/seconds", frame("other", now))[0], 403)
    eq(live(two, frame("crt-2.site.example", now)), now)
    eq(live(two), now)
    # Whose label a token has is not there for certificates.
    token = b.enrol("taken")
    eq(live(Connection(b.port, token), frame("taken", now)), now)
    eq(Connection(b.port).ask("/v1/seconds")[0], 401)
    try:
        Connection(b.port, certificate="self").ask("/v1/seconds")
        raise AssertionError("a certificate of nobody was taken")
    except (ssl.SSLError, ConnectionError, http.client.RemoteDisconnected):
        pass
    b.stop()


@case("the server ends well, and says nothing that it need not")
def _():
    box.stop()
    said = [line for line in open("main.err").read().splitlines() if "seconds that are" not in line]
    eq(said, [])


run()
