#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The scenes of unit/test_evidence, for another implementation to judge: the same numbers as evidence_scenes.h.

    evidence_scenes.py              names of the scenes
    evidence_scenes.py NAME         push,entity,r,extra,doubt, a line an entity and interval
"""
import math
import pathlib
import re
import sys

HEADER = pathlib.Path(__file__).resolve().parent.parent / 'unit' / 'evidence_scenes.h'


def scenes():
    """The rows of the table in the C header: a dictionary a scene."""
    found = []
    for row in re.findall(r'^\t\{(\.name = [^}]*)\}', HEADER.read_text(), re.M):
        fields = dict(re.findall(r'\.(\w+) = ([^,\s]+)', row))
        found.append({k: v.strip('"') if k == 'name' else float(v) for k, v in fields.items()})
    return found


class Random:
    """Knuth's linear congruential generator of 64 bits, and normal numbers by Box and Muller's method."""

    def __init__(self):
        self.state = 1

    def uniform(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 11) / 2**53

    def normal(self):
        u, v = self.uniform(), self.uniform()
        return math.sqrt(-2 * math.log(1 - u)) * math.cos(2 * math.pi * v)


def pushes(s):
    """Of each interval a list of (r, extra, doubt), one an entity."""
    random, n = Random(), int(s['n'])
    wander = [0.0] * n
    get = lambda name: s.get(name, 0.0)
    for w in range(int(s['pushes'])):
        row = []
        for i in range(n):
            z, step, lost = random.normal(), random.normal(), random.uniform()
            wander[i] = 0.95 * wander[i] + math.sqrt(1 - 0.95**2) * step
            first = i == 0
            extra = get('extra') if first else 0.0
            doubt = get('doubt') if first else 0.0
            r = math.sqrt(s['noise']**2 + extra) * z + s['wander'] * wander[i]
            r += get('offset') * (i % 3 - 1) + doubt
            on = s['from'] <= w < s['to'] and (not get('period') or w % get('period') < get('on'))
            if i < s['slow'] and on:
                r += s['effect']
            gone = get('pause') and w // get('pause') % 4 == 3
            if lost < get('gaps') or gone or (i == n - 1 and w < get('late')):
                r = math.nan
            row.append((r, extra, doubt))
        yield row


def main():
    if len(sys.argv) < 2:
        print(*(s['name'] for s in scenes()), sep='\n')
        return
    scene = next(s for s in scenes() if s['name'] == sys.argv[1])
    print('push,entity,r,extra,doubt')
    for w, row in enumerate(pushes(scene)):
        for i, values in enumerate(row):
            print(w, i, *(f'{x:.17g}' for x in values), sep=',')


if __name__ == '__main__':
    main()
