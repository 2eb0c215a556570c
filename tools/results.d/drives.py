# SPDX-License-Identifier: BSD-2-Clause
"""Real drives of public studies, healthy and slow, and healthy ones made slow: sections healthy and drives.

The peers are drives of one host; each drive's rows are a file of their own, so that any of them are peers, for
any evenings, without copying."""
import csv
import gzip
import math
import os
import shutil

from base import RULES, limpet, say
from said import DEFAULT, Alarms, Found, LOADED, budgets, diagnose, draw, method_options
from stats import deviation, median

SIZES = (5, 6, 8, 12)
PAUSE_S = 3600  # a longer gap ends an evening
EVENINGS = 4    # of each host, in which a drive is made slow
FEW = 3         # as many must have data for a row to be observed


class Host:
    """The drives of one host: files by drive, for all of the time (None) and for each evening."""

    def __init__(self, run, data, host):
        self.name, self.data, self.folder = host, data, f"{run.work}/{data}/{host}"
        self.rows, times = {}, set()
        with gzip.open(f"{run.data}/{data}/{host}.csv.gz", "rt") as f:
            self.heading = next(f)
            assert self.heading == "time,node,throughput,latency\n", host
            for line in f:
                t, node, _ = line.split(",", 2)
                t = int(t)
                self.rows.setdefault(node, []).append((t, line))
                times.add(t)
        self.times = sorted(times)
        steps = [b - a for a, b in zip(self.times, self.times[1:])]
        self.step = min(steps)
        self.drives = sorted(self.rows)
        begins = [self.times[0]] + [b for b, s in zip(self.times[1:], steps) if s > PAUSE_S]
        self.evenings = list(zip(begins, [*begins[1:], self.times[-1] + 1]))
        index = {t: i for i, t in enumerate(self.times)}
        self.seen = {}
        for d, rows in self.rows.items():
            bits = bytearray(len(self.times))
            for t, line in rows:
                bits[index[t]] = busy(line)
            self.seen[d] = int(bits.translate(bytes([48, 49]) + bytes(254)), 2)
        os.makedirs(self.folder, exist_ok=True)

    def hours(self, drives):
        """In which at least FEW of the drives did anything."""
        at_least = [0] * (FEW + 1)
        for d in drives:
            for k in range(FEW, 0, -1):
                at_least[k] |= self.seen[d] & (at_least[k - 1] if k > 1 else self.seen[d])
        return bin(at_least[FEW]).count("1") * self.step / 3600

    def file(self, drive, evening=None, factor=1):
        """The drive's rows, made slower by a factor."""
        path = f"{self.folder}/{drive}.{'all' if evening is None else evening}.{factor}.csv"
        if not os.path.exists(path):
            lo, hi = self.evenings[evening] if evening is not None else (self.times[0], self.times[-1] + 1)
            lines = [line for t, line in self.rows[drive] if lo <= t < hi]
            with open(path, "w", encoding="utf-8") as f:
                f.write(self.heading)
                f.writelines(lines if factor == 1 else [slower(line, factor) for line in lines])
        return path

    def files(self, drives, evenings=(None,), slow=None, factor=1):
        """Those of one slow drive in the last of these evenings are slower."""
        return [self.file(d, e, factor if d == slow and e == evenings[-1] else 1) for d in drives for e in evenings]

    def present(self, drive, evening):
        """Share of the evening's rows in which the drive did anything."""
        lo, hi = self.evenings[evening]
        rows = [line for t, line in self.rows[drive] if lo <= t < hi]
        return sum(map(busy, rows)) / max(1, sum(lo <= t < hi for t in self.times))

    def differ(self, minutes):
        """Deviation of the drives' mean ln latency over the first minutes of an evening, at equal load, over all
        evenings: what healthy peers differ by at that length. The effect of load is the median of the drives'
        least-squares slopes against the medians of all."""
        whole, slopes = {}, {d: [0.0] * 5 for d in self.drives}
        index = {begin: e for e, (begin, _) in enumerate(self.evenings)}
        at = {}
        for d, rows in self.rows.items():
            for t, line in rows:
                begin = max((b for b in index if b <= t), default=None)
                if t < begin + 60 * minutes:
                    x, y = line.rstrip("\n").split(",")[2:]
                    if x and y and float(x) > 0 and float(y) > 0:
                        at.setdefault((index[begin], t), []).append((d, math.log(float(x)), math.log(float(y))))
        for (e, _), values in at.items():
            if 2 * len(values) < len(self.drives):
                continue
            mx, my = median([v[1] for v in values]), median([v[2] for v in values])
            for d, x, y in values:
                s, w = slopes[d], whole.setdefault((e, d), [0, 0.0, 0.0])
                for a, add in enumerate((1, x - mx, y - my, (x - mx) ** 2, (x - mx) * (y - my))):
                    s[a] += add
                for a, add in enumerate((1, x - mx, y - my)):
                    w[a] += add
        beta = median([(xy - x * y / n) / (xx - x * x / n) for n, x, y, xx, xy in slopes.values() if n > 1])
        beta, squares, count = min(2.0, max(0.0, beta)), 0.0, 0
        for e in range(len(self.evenings)):
            means = [(w[2] - beta * w[1]) / w[0] for (f, _), w in whole.items() if f == e and w[0] >= 60 * minutes
                     / self.step / 2]
            if len(means) > 2:
                squares, count = squares + deviation(means) ** 2 * (len(means) - 1), count + len(means) - 1
        return math.sqrt(squares / count)

    def close(self):
        shutil.rmtree(self.folder)


def busy(line):
    """Whether the drive did anything then: the latency of nothing is written as zero."""
    return not line.endswith((",\n", ",0\n", ",0.0\n"))


def slower(line, factor):
    head, _, value = line.rstrip("\n").rpartition(",")
    return f"{head},{float(value) * factor:.8g}\n" if value else line


def hosts(run, data):
    names = sorted(f.split(".")[0] for f in os.listdir(f"{run.data}/{data}") if f.endswith(".csv.gz"))
    for name in names[:1 if run.quick else None]:
        host = Host(run, data, name)
        yield host
        host.close()


def subsets(run, host, n, count):
    """Drives of the host, drawn without repeating a set; all of them once where n is all."""
    g, sets = draw(run, host.data, host.name, n), []
    while len(sets) < (1 if n == len(host.drives) else count):
        some = sorted(g.sample(host.drives, n))
        if some not in sets:
            sets.append(some)
    return sets


def learnt(run, files, *options):
    """A model of kl, which is trained on other evenings than it judges; None where that is not possible."""
    model = f"{run.work}/kl.json"
    limpet("train", "--method", "kl", "-m", "latency", *options, "-o", model, *files, status=(0, 1))
    return model if limpet.status == 0 else None


def other_methods(run, host, drives, train_on, judge, span=()):
    """(method, what it says) of the rules of thumb and of kl: judge: files; train_on: evenings."""
    if run.tuning:
        return
    for m in RULES:
        yield m, diagnose(*method_options(m), *span, *judge)
    model = learnt(run, host.files(drives, train_on))
    if model:
        yield "kl", diagnose("--method", "kl", "--model", model, *span, *judge)


def no_data(run):
    if not run.data:
        say("no public data (LIMPET_TEST_DATA): passed over")
    return not run.data


def measure_healthy(run):
    """Nobody is slow: false indictments by cluster, number of peers and budget."""
    if no_data(run):
        return
    # So many sets a host that each size has about 14 group-weeks of a cluster.
    draws = {"healthy-drives": 1 if run.quick else 6, "quiet-drives": 1 if run.quick else 5}
    run.how = f"limpet diagnose {' '.join(LOADED)}; sets of drives drawn with seed {run.seed}"
    alarms, options = Alarms(), budgets(run)
    for data, count in draws.items():
        for host in hosts(run, data):
            for n in SIZES:
                for i, drives in enumerate(subsets(run, host, n, count)):
                    files, hours = host.files(drives), host.hours(drives)
                    for budget, words in options.items():
                        said = diagnose(*LOADED, *words, *files)
                        alarms.add((data, "", "robust", n, budget), said, hours)
                        if budget == DEFAULT and said.named:
                            run.add("misses", data, "robust", f"{host.name} {' '.join(drives)}", "none", "", "alarm",
                                    said.line(said.named))
                    if i < 2 and n in (5, 12):  # kl judges what it was not trained on
                        after = ("--from", f"@{host.evenings[1][0]}")
                        for m, said in other_methods(run, host, drives, (0,), files, after):
                            alarms.add((data, "", m, n, ""), said, hours * (1 - 1 / len(host.evenings)))
    alarms.store(run)


def measure_drives(run):
    """Drives that are slow, or are made slow: found, and by when."""
    if no_data(run):
        return
    run.how = f"limpet diagnose {' '.join(LOADED)}; drives and evenings drawn with seed {run.seed}"
    found = Found(run)
    doubled(run, found)
    labelled_drives(run, found)
    for host in hosts(run, "quiet-drives"):
        one_evening(run, found, host)
    for data in ("quiet-drives", "healthy-drives"):
        for host in hosts(run, data):
            hundred_minutes(run, found, host)
    found.store()


def doubled(run, found):
    """One drive of five for all of the data."""
    options = budgets(run)
    for host in hosts(run, "healthy-drives"):
        for i, drives in enumerate(subsets(run, host, 5, 1 if run.quick else 6)):
            slow = draw(run, "doubled", host.name, *drives).choice(drives)
            files, name = host.files(drives, slow=slow, factor=2), f"{host.name} {' '.join(drives)}"
            for budget, words in options.items():
                found.add((host.data, 2, "all", "robust", 5, budget), diagnose(*LOADED, *words, *files), {slow}, name)
            if i < 2:
                for m, said in other_methods(run, host, drives, (0,), files, ("--from", f"@{host.evenings[1][0]}")):
                    found.add((host.data, 2, "all", m, 5, ""), said, {slow}, name)


def labelled_drives(run, found):
    slow, options = {}, budgets(run)
    with open(f"{run.data}/failslow-drives/labels.csv", encoding="utf-8") as f:
        for r in csv.DictReader(f):
            slow.setdefault(r["host"], set()).add(r["node"])
    for host in hosts(run, "failslow-drives"):
        here, n = slow.get(host.name, set()), "all"
        spans = {"first 3 h": (0,), "first two days": (0, 1), "all": range(len(host.evenings))}
        spans |= {f"day {e + 1} alone": (e,) for e in range(1, len(host.evenings))}
        for span, evenings in spans.items():
            files = host.files(host.drives, evenings)
            for budget, words in options.items():
                found.add((host.data, "", span, "robust", n, budget), diagnose(*LOADED, *words, *files), here,
                          host.name)
            if len(evenings) == 1:  # trained on another evening, with the slow ones in it
                other = (len(host.evenings) - 1 - evenings[0] or evenings[0] - 1,)
                for m, said in other_methods(run, host, host.drives, other, files):
                    found.add((host.data, "", span, m, n, ""), said, here, host.name)


def evenings_of(run, host, count):
    """(evening, its drives, the slow one), drawn, for all drives and for five; the slow one is the same."""
    g, drawn = draw(run, "evening", host.data, host.name), []
    for e in g.sample(range(len(host.evenings)), count):
        there = [d for d in host.drives if host.present(d, e) >= 0.8]
        if len(there) >= 5:
            slow = g.choice(there)
            drawn.append((e, host.drives, slow))
            drawn.append((e, sorted(g.sample([d for d in there if d != slow], 4) + [slow]), slow))
    return drawn


def one_evening(run, found, host):
    """A drive that is slow for three hours, which are all that there is; and after the evenings before."""
    options = budgets(run)
    for e, drives, slow in evenings_of(run, host, 1 if run.quick else EVENINGS):
        n, name = len(drives), f"{host.name} evening {e + 1}"
        for factor in (1.5, 3) if run.quick else (1.2, 1.3, 1.5, 2, 3):
            files = host.files(drives, (e,), slow, factor)
            for budget, words in options.items():
                found.add((host.data, factor, "3 h", "robust", n, budget), diagnose(*LOADED, *words, *files), {slow},
                          name, factor >= 1.3)
            for minutes in (25, 50, 100):
                to = ("--to", f"@{host.evenings[e][0] + 60 * minutes}")
                found.add((host.data, factor, f"{minutes} min", "robust", n, DEFAULT),
                          diagnose(*LOADED, *to, *files), {slow}, name, False)
            if e > 0:
                files_since = host.files(drives, range(e + 1), slow, factor)
                found.add((host.data, factor, "3 h, after other evenings", "robust", n, DEFAULT),
                          diagnose(*LOADED, *files_since), {slow}, name, factor >= 1.3)
            for m, said in other_methods(run, host, drives, (e - 1 if e else 1,), files):
                found.add((host.data, factor, "3 h", m, n, ""), said, {slow}, name)


SEEN = "100 min, 5 sd"
UNSEEN = "100 min, less than 5 sd"


def hundred_minutes(run, found, host):
    """1.3 x within 100 minutes, apart by whether that is five deviations of healthy peers at that length."""
    span = SEEN if math.log(1.3) >= 5 * host.differ(100) else UNSEEN
    for e, drives, slow in evenings_of(run, host, 1 if run.quick else EVENINGS):
        to = ("--to", f"@{host.evenings[e][0] + 6000}")
        found.add((host.data, 1.3, span, "robust", len(drives), DEFAULT),
                  diagnose(*LOADED, *to, *host.files(drives, (e,), slow, 1.3)), {slow}, f"{host.name} evening {e + 1}",
                  span == SEEN)
