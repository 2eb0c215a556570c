#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Flows of small jobs against naive ones: paths enumerated one by one by depth-first search, and the critical path
chosen among all chains of causes, back from the job's end, as the one whose causes ended last. Prints TAP."""
import os
import random
import subprocess
import sys

sys.dont_write_bytecode = True  # the tree stays as it is
O = os.environ.get("O", ".output")
JOBS = 400


class State:
    def __init__(self, kind, ident, node, start, end, outcome="ok", peer="-", took="-", made="-"):
        self.kind, self.id, self.node, self.start, self.end = kind, ident, node, start, end
        self.ok, self.peer, self.took, self.made = outcome == "ok", peer, took, made

    def line(self):
        return (f"{self.kind} {self.id} {self.node} {self.start} {self.end} {'ok' if self.ok else 'failed'} "
                f"{self.peer} {self.took} {self.made}")

    def overlaps(self, other):
        return self.start <= other.end and self.end >= other.start


def make_job(rng, shuffles):
    """Times are all different: there are no ties, and what is last is one."""
    times = iter(rng.sample(range(1, 100000), 400))
    span = lambda: sorted((next(times), next(times)))
    nodes = ["a", "b", "c"]
    states = []
    for i in range(rng.randint(1, 7)):
        tries = 2 if rng.random() < 0.2 else 1
        s = span() if tries == 1 else None
        four = sorted(next(times) for _ in range(4))
        for k in range(tries):
            s = s if tries == 1 else four[2 * k:2 * k + 2]
            states.append(State("map", f"attempt_1_1_m_{i:06d}_{k}", rng.choice(nodes), *s,
                                "ok" if k == tries - 1 else "failed"))
    maps = [s for s in states if s.ok]
    last = max(m.end for m in maps)
    for i in range(rng.randint(0, 3)):
        start = next(times)
        # some reduces start when the maps are over
        shuffled, sorted_, end = sorted(max(last, start) + next(times) for _ in range(3))
        ident, node = f"attempt_1_1_r_{i:06d}_0", rng.choice(nodes)
        states.append(State("reduce", ident, node, start, end))
        for kind, a, b in (("shuffle-wait", start, shuffled), ("sort", shuffled, sorted_),
                           ("reducer", sorted_, end)):
            states.append(State(kind, ident, node, a, b))
    reduces = [s for s in states if s.kind == "reduce"]
    for i in range(rng.randint(0, 8)):
        whose = rng.choice(maps).id if rng.random() < 0.7 else "-"
        states.append(State("read", f"blk_{i}", rng.choice(nodes), *span(), peer=rng.choice(nodes), made=whose))
    for m in maps if shuffles and reduces else []:
        for r in reduces:
            until = next(s for s in states if s.id == r.id and s.kind == "shuffle-wait").end
            a, b = sorted(rng.sample(range(min(m.end, until - 9), until), 2))
            states.append(State("shuffle", f"{m.id}>{r.id}", m.node, a, b, peer=r.node, took=m.id, made=r.id))
    for i in range(rng.randint(0, 6)):
        by = rng.choice(reduces or maps)
        states.append(State("write", f"out_{i}", rng.choice(nodes), *span(), took=by.id))
    end = max(s.end for s in states if s.kind in ("map", "reduce")) + 5
    return states, end


def graph(states):
    """Edges from each vertex, and all vertices."""
    maps = {s.id: s for s in states if s.kind == "map" and s.ok}
    reduces = {s.id: s for s in states if s.kind == "reduce"}
    shuffles = [s for s in states if s.kind == "shuffle"]
    edges, data = [], []
    for s in states:
        if s.kind == "read" and s.made != "-":
            edges.append((s, ("map", s.made)))
        elif s.kind == "read":
            edges += [(s, ("map", m.id)) for m in maps.values() if m.node == s.peer and m.overlaps(s)]
        elif s.kind == "write":
            edges.append((("reducer" if s.took in reduces else "map", s.took), s))
    vertices = {("map", m) for m in maps}
    for a, b in edges:
        vertices |= {a, b}
    if reduces:
        vertices |= {("output", m) for m in maps} | {(k, r) for r in reduces for k in ("wait", "input", "reducer")}
        edges += [(("map", m), ("output", m)) for m in maps]
        edges += [e for r in reduces for e in ((("wait", r), ("input", r)), (("input", r), ("reducer", r)))]
        for s in shuffles:
            edges += [(("output", s.took), s), (s, ("wait", s.made))]
            vertices.add(s)
        if not shuffles:
            vertices.add("all")
            edges += [(("output", m), "all") for m in maps] + [("all", ("wait", r)) for r in reduces]
    return vertices, edges


def count_paths(vertices, edges):
    after = {v: [] for v in vertices}
    into = {v: 0 for v in vertices}
    for a, b in edges:
        after[a].append(b)
        into[b] += 1

    def walk(v):
        return sum(map(walk, after[v])) if after[v] else 1

    return sum(walk(v) for v in vertices if not into[v] and after[v])


def got_while_running(states, attempt):
    """What a reduce got while it ran: (time, why, the map, the shuffle or None)."""
    maps = {s.id: s for s in states if s.kind == "map" and s.ok}
    if attempt.kind != "reduce":
        return []
    until = next(s for s in states if s.id == attempt.id and s.kind == "shuffle-wait").end
    got = [(m.end, "got", m, None) for m in maps.values()]
    got += [(s.end, "got", maps[s.took], s) for s in states if s.kind == "shuffle" and s.made == attempt.id]
    return [g for g in got if attempt.start < g[0] <= until]


def before_start(states, attempt):
    """What had to end before it started."""
    found = []
    for other in states:
        if other.kind not in ("map", "reduce") or other is attempt or other.end > attempt.start:
            continue
        # an attempt of the same task that failed on the same server is waited for as both: it is called a retry
        if other.id[:-1] == attempt.id[:-1] and not other.ok:
            found.append((other.end, "retry", other, None))
        elif other.kind == attempt.kind and other.node == attempt.node:
            found.append((other.end, "slot", other, None))
        if attempt.kind == "reduce" and other.kind == "map" and other.ok:
            found.append((other.end, "stage", other, None))
    return found


def chains(states, attempt):
    """All of them: lists of (time, why, attempt, shuffle), the last cause first."""
    got = got_while_running(states, attempt)
    for g in got:
        if g[2].end > attempt.start:
            yield from ([g] + rest for rest in chains(states, g[2]))
        else:  # it had been there before the reduce started
            yield from ([g] + rest for rest in chains_before(states, attempt))
    if not got:
        yield from chains_before(states, attempt)


def chains_before(states, attempt):
    found = before_start(states, attempt)
    for c in found:
        yield from ([c] + rest for rest in chains(states, c[2]))
    if not found:
        yield []


def segments(states, end):
    last = max((s for s in states if s.kind in ("map", "reduce") and s.ok), key=lambda s: s.end)
    chain = max(chains(states, last), key=lambda c: [x[0] for x in c])
    out, at, attempt = [], end, last

    def put(start, why, ident):
        nonlocal at
        start = max(start, 0)
        if start < at:
            out.append((start, at, why, ident))
            at = start

    def put_attempt(until):
        parts = [s for s in states if s.id == attempt.id and s.kind in ("reducer", "sort", "shuffle-wait")]
        for s in sorted(parts, key=lambda s: -s.start) or [attempt]:
            put(max(s.start, until), "work", attempt.id)

    put(attempt.end, "finish", "-")
    for time, why, other, shuffle in chain:
        if why != "got":
            put_attempt(attempt.start)
            put(time, why, "-")
            attempt = other
            continue
        put_attempt(time)
        if shuffle:
            put(shuffle.start, "work", shuffle.id)
        put(max(other.end, attempt.start), "fetch", "-")
        if other.end > attempt.start:
            attempt = other
    put_attempt(attempt.start)
    put(0, "start", "-")
    return out[::-1]


def run(states, end):
    text = "".join(s.line() + "\n" for s in states) + f"job {end}\n"
    done = subprocess.run([f"{O}/tests/numeric_flow"], input=text, text=True, capture_output=True, check=False)
    if done.returncode:
        sys.exit(f"numeric_flow: {done.stderr}")
    lines = [x.split() for x in done.stdout.splitlines()]
    return tuple(map(int, lines[0])), [(int(a), int(b), why, i) for a, b, why, i in lines[1:]]


def main():
    rng = random.Random(17)
    wrong = {"counts": [], "paths": [], "critical": [], "sum": []}
    most = 0
    for n in range(JOBS):
        states, end = make_job(rng, n % 2)
        (n_vertices, n_edges, n_paths), path = run(states, end)
        vertices, edges = graph(states)
        paths = count_paths(vertices, edges)
        most = max(most, paths)
        if (n_vertices, n_edges) != (len(vertices), len(edges)):
            wrong["counts"].append((n, n_vertices, n_edges, len(vertices), len(edges)))
        if n_paths != paths:
            wrong["paths"].append((n, n_paths, paths))
        if path != segments(states, end):
            wrong["critical"].append((n, path, segments(states, end)))
        if sum(b - a for a, b, *_ in path) != end:
            wrong["sum"].append(n)
    names = {"counts": "vertices and edges", "paths": f"paths, one by one (up to {most})",
             "critical": "the critical path, of all chains", "sum": "its segments add up to the job's time"}
    for key, name in names.items():
        print(f"{'not ' if wrong[key] else ''}ok - {name}, {JOBS} jobs")
        for w in wrong[key][:3]:
            print(f"# {w}")
    return any(wrong.values())


sys.exit(main())
