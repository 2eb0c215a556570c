# SPDX-License-Identifier: BSD-2-Clause
"""Logs of jobs as their daemons wrote them: which bytes of which file were there at what time."""
import bisect
import calendar
import gzip
import os
import re
import subprocess

STAMP = re.compile(rb"^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)[,.](\d{3})")
SHORT = re.compile(rb"^(\d\d)/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d) ")
# Hadoop's histories (FINISH_TIME="…") and JSON ("finishTime":…, "Finish Time":…, "Timestamp":…): ms since the epoch.
FIELD = re.compile(rb'(?:_TIME="|[Tt]ime(?:stamp)?"\s*:\s*)(\d{12,13})\b')


def seconds_of(line, east):
    """When a line was written: its latest time, in seconds since the epoch; None: it does not say. Local times are `east`
    seconds ahead of UTC."""
    m = STAMP.match(line)
    if m:
        n = [int(x) for x in m.groups()]
        return calendar.timegm((n[0], n[1], n[2], n[3], n[4], n[5])) + n[6] / 1000 - east
    m = SHORT.match(line)
    if m:
        n = [int(x) for x in m.groups()]
        return calendar.timegm((2000 + n[0], n[1], n[2], n[3], n[4], n[5])) - east
    times = FIELD.findall(line)
    return max(int(t) for t in times) / 1000 if times else None


def content(path):
    """The bytes of a file, and its name without what compressed it."""
    if path.endswith(".gz"):
        with gzip.open(path) as f:
            return f.read(), path[:-3]
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-qdc", path], check=True, stdout=subprocess.PIPE).stdout, path[:-4]
    with open(path, "rb") as f:
        return f.read(), path


class Log:
    """One file. A line without a time came with the one before; those before the first time come with it."""

    def __init__(self, path, name, east):
        self.data, whole = content(path)
        self.name = os.path.join(os.path.dirname(name), os.path.basename(whole))
        self.times, self.ends, self.written = [], [], 0
        at, end = None, 0
        for line in self.data.splitlines(keepends=True):
            said = seconds_of(line, east)
            end += len(line)
            if said is not None and (at is None or said > at):
                at = said
                if self.times:
                    self.times.append(at)
                    self.ends.append(end)
                else:
                    self.times, self.ends = [at], [end]
            elif self.ends:
                self.ends[-1] = end

    def due(self, now):
        """The bytes that were written before `now`, and were not given yet."""
        n = bisect.bisect_left(self.times, now)
        end = self.ends[n - 1] if n else 0
        part = self.data[self.written:end]
        self.written = max(self.written, end)
        return part


class Logs:
    def __init__(self, files, east):
        """files: pairs of a path and the name it is to have. What has no time in it is no log that grows: it is there whole
        from the beginning on."""
        every = [Log(path, name, east) for path, name in files]
        self.logs = [x for x in every if x.times]
        self.first = min((x.times[0] for x in self.logs), default=None)
        self.last = max((x.times[-1] for x in self.logs), default=None)
        for x in every:
            if not x.times:
                x.times, x.ends = [float("-inf")], [len(x.data)]
        self.logs = every

    def grow(self, folder, now):
        """Appends what is due, each file with the time of the replay."""
        for x in self.logs:
            part = x.due(now)
            if not part:
                continue
            path = os.path.join(folder, x.name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "ab") as f:
                f.write(part)
            os.utime(path, (now, now))
