#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The programs on files altered at random: a series file, a table, a model, a peers file and a file
of labels, each altered many times, all from one seed. Whatever comes of it, limpet ends by itself
with a status of its own, says why if it failed, and stays within 512 MiB. Prints TAP.

damage.py [KIND NUMBER]: only that alteration, and the folder with the files stays."""
import glob
import os
import random
import subprocess
import sys
import tempfile

O = os.environ.get("O", ".output")
LIMPET = O + "/limpet"
T0 = 1795230000
CPU_SECONDS = 10
# A program stuck without using the processor; far more than a busy machine needs.
HANG_SECONDS = 300
MEMORY = 512 << 20
PAGE = 4096
HOSTS = ("s1", "s2", "s3", "s4")
METRICS = (("await", "sda", 5), ("rkB/s", "sda", 4e4), ("wkB/s", "sdb", 3e4), ("rxkB/s", "eth0", 2e4),
           ("cwnd-ln", "", 3), ("%user", "", 20))


def sanitized():
    """ASan's own address space is far beyond any limit."""
    with open(LIMPET, "rb") as f:
        return b"__asan_init" in f.read()


LIMIT_MEMORY = not sanitized()


def limits():
    """The beginning of a shell command that sets them: forking Python itself takes as long as limpet takes to start."""
    memory = f" && ulimit -v {MEMORY >> 10}" if LIMIT_MEMORY else ""
    return f'ulimit -t {CPU_SECONDS} && ulimit -c 0{memory} || exit 125; exec "$0" "$@"'


LIMITS = limits()


def complaint(*args):
    """What is wrong with how limpet ended; None: nothing."""
    env = dict(os.environ, LC_ALL="C", OPENBLAS_NUM_THREADS="1", ASAN_OPTIONS="exitcode=99", UBSAN_OPTIONS="exitcode=99")
    try:
        p = subprocess.run(["/bin/sh", "-c", LIMITS, LIMPET, *args], stdin=subprocess.DEVNULL, capture_output=True,
                           timeout=HANG_SECONDS, env=env, close_fds=False)
    except subprocess.TimeoutExpired:
        return "it hangs"
    said = p.stderr.decode(errors="replace")[-300:]
    if p.returncode < 0:
        return f"signal {-p.returncode}: {said}"
    if p.returncode > 4:
        return f"status {p.returncode}: {said}"
    if p.returncode and not said.strip():
        return f"status {p.returncode} and not a word"
    if "out of memory" in said:
        return f"more than {MEMORY >> 20} MiB: {said}"
    return None


def damage_bytes(r, data):
    b = bytearray(data)
    what = r.randrange(8)
    if what == 0:
        return bytes(b[:r.randrange(len(b))])
    if what == 1:
        return bytes(b[:len(b) // PAGE * PAGE - PAGE * r.randrange(4)])
    if what in (2, 3) and len(b) >= 2 * PAGE:
        i, k = (PAGE * r.randrange(len(b) // PAGE) for _ in range(2))
        page = b[i:i + PAGE]
        if what == 2:
            b[i:i + PAGE] = b[k:k + PAGE]
        b[k:k + PAGE] = page
        return bytes(b)
    if what == 4:
        i = r.randrange(len(b))
        n = r.choice((1, 8, 100, PAGE))
        b[i:i + n] = bytes(r.choice((0, 255)) for _ in range(1)) * len(b[i:i + n])
        return bytes(b)
    for _ in range(r.choice((1, 2, 8, 64))):
        # the beginning, and that of each page, steer the rest
        at = r.choice((r.randrange(len(b)), r.randrange(min(100, len(b))),
                       min(len(b) - 1, PAGE * r.randrange(len(b) // PAGE + 1) + r.randrange(12))))
        b[at] = r.choice((b[at] ^ 1 << r.randrange(8), r.randrange(256), 0, 255))
    return bytes(b)


WORDS = (b"", b"0", b"-1", b"1e999", b"nan", b"9223372036854775807", b"1e18", b'"', b",", b"\n", b"\r\n", b"\0", b"[", b"{}",
         b"null", b"*", b"[a-", b"#", b":", b"\xff", b"1795230000", b"2026-11-21", b"1e-320", b"-", b"@9e9", b"1" * 500,
         b"*?" * 31)


def damage_text(r, data):
    b = bytearray(data)
    for _ in range(r.choice((1, 1, 2, 5, 30))):
        i = r.randrange(len(b) + 1)
        k = min(len(b), i + r.choice((0, 1, 4, 20, 200)))
        what = r.randrange(5)
        if what == 0:
            del b[i:k]
        elif what == 1:
            b[i:i] = b[i:k] * r.choice((1, 2, 50))
        elif what == 2:
            del b[i:]
        elif what == 3 and b:
            b[i % len(b)] ^= 1 << r.randrange(8)
        else:
            b[i:k] = r.choice(WORDS)
    return bytes(b)


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


def read(path):
    with open(path, "rb") as f:
        return f.read()


class Files:
    """A healthy recording as series files and as a table, and a model, peers and labels for it."""

    def __init__(self, folder):
        r = random.Random(1)
        self.t = folder
        self.new = folder + "/new"
        os.mkdir(self.new)
        values = [(t, h, m, i, r.gauss(mean, mean / 10)) for t in range(130) for h in HOSTS for m, i, mean in METRICS]
        lines = "".join(f"{T0 + t},{h},{m},{i},{v}\n" for t, h, m, i, v in values)
        subprocess.run([O + "/tests/make_series", self.new], input=lines, text=True, check=True)
        self.table = write(folder + "/table.csv", b"time,node,instance,metric,value\n" + "".join(
            f"{T0 + t},{h},{i},{m},{v}\n" for t, h, m, i, v in values if t < 60).replace(",,", ",x,").encode())
        self.wide = write(folder + "/wide.csv", b"time,node,await,rkB/s\n" + "".join(
            f"{T0 + t},{h},{5 + (t * 7 + k) % 3},{1000 + t % 5}\n" for t in range(60) for k, h in enumerate(HOSTS)).encode())
        self.peers = write(folder + "/peers", b"# two groups\ndisks: s1, s2, s3\ns4 oss* mds[12]\n")
        self.model = folder + "/model.json"
        self.truth = write(folder + "/truth.csv", b"source,model,cluster,workload,fault,node,from,to\n"
                           b"new,model.json,4/4,ddw,none,,,\n"
                           b"wide.csv,,4/4,ddr,disk-hog,s1 s2,2026-11-21T03:00:10Z,@1795230050\n")
        self.short = ("--smooth", "2", "--window", "32", "--shift", "8", "--cwnd-smooth", "5")
        subprocess.run([LIMPET, "train", *self.short, "-o", self.model, self.new], check=True, stdout=subprocess.DEVNULL)
        self.out = folder + "/out.json"


def series(f, r):
    name = r.choice(sorted(glob.glob(f.new + "/*.limpet")))
    good = read(name)
    write(name, damage_bytes(r, good))
    yield ("show", name)
    yield ("train", *f.short, "-o", f.out, f.new)
    yield ("diagnose", "--model", f.model, f.new)
    yield ("diagnose", "--json", "--method", "kl", "--model", f.model, f.new)
    write(name, good)


def table(f, r):
    bad = write(f.t + "/bad.csv", damage_text(r, read(r.choice((f.table, f.wide)))))
    options = r.choice(((), ("--instance", "instance"), ("--counter", "value"), ("--time", "@row", "--interval", "1")))
    yield ("diagnose", "--model", f.model, *options, bad)
    yield ("train", *options, *f.short, "-o", f.out, bad)


def model(f, r):
    yield ("diagnose", "--model", write(f.t + "/bad.json", damage_text(r, read(f.model))), f.new)


def peers(f, r):
    bad = write(f.t + "/bad.peers", damage_text(r, read(f.peers)))
    yield ("train", *f.short, "--peers", bad, "-o", f.out, f.new)


def truth(f, r):
    yield ("evaluate", write(f.t + "/bad-truth.csv", damage_text(r, read(f.truth))))


# What is altered, how often, and the commands that read it.
KINDS = {
    "series": (400, series),
    "table": (250, table),
    "model": (250, model),
    "peers": (250, peers),
    "truth": (250, truth),
}


def alteration(f, kind, number):
    for args in KINDS[kind][1](f, random.Random(f"{kind} {number}")):
        wrong = complaint(*args)
        if wrong:
            return f"'damage.py {kind} {number}': limpet {' '.join(args)}: {wrong}"
    return None


def run_healthy(f):
    """Of files that are refused before they are altered nothing would be learnt."""
    name = "the files are taken as they are"
    for args in (("show", *glob.glob(f.new + "/*.limpet")), ("diagnose", "--model", f.model, f.new),
                 ("diagnose", "--model", f.model, "--instance", "instance", f.table), ("train", *f.short, "-o", f.out, f.wide),
                 ("train", *f.short, "--peers", f.peers, "-o", f.out, f.new)):
        p = subprocess.run([LIMPET, *args], capture_output=True, text=True)
        if p.returncode:
            print(f"not ok - {name}\n# limpet {' '.join(args)}: status {p.returncode}: {p.stderr.strip()}")
            return False
    print(f"ok - {name}")
    return True


def run_kind(f, kind):
    times = KINDS[kind][0]
    name = f"{times} alterations of {kind}: an error or a result, never a crash, a hang or 512 MiB"
    if kind == "truth" and subprocess.run([LIMPET, "evaluate", "--help"], capture_output=True).returncode:
        print(f"ok - {name} # SKIP limpet has no evaluate")
        return True
    for number in range(times):
        wrong = alteration(f, kind, number)
        if wrong:
            print(f"not ok - {name}\n# " + wrong.replace("\n", "\n# "))
            return False
    print(f"ok - {name}", flush=True)
    return True


def main():
    if len(sys.argv) == 3:
        f = Files(tempfile.mkdtemp(prefix="limpet-damage."))
        print(alteration(f, sys.argv[1], int(sys.argv[2])) or "nothing is wrong", f"(in {f.t})")
        return 0
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="limpet-damage.", dir=where) as folder:
        f = Files(folder)
        bad = [kind for kind in KINDS if not run_kind(f, kind)] if run_healthy(f) else ["healthy"]
    return 1 if bad else 0


sys.exit(main())
