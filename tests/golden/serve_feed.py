#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""serve_feed.py HOSTS BACK AGO FACTOR [ENDS]: lines for make_series, of servers s1, s2 …: the last BACK seconds at once, then one a second until
its input ends. Reads of s3 take FACTOR times as long from AGO seconds before the start on, to ENDS seconds after it."""
import random
import select
import sys
import time

hosts, back, ago = (int(x) for x in sys.argv[1:4])
factor = float(sys.argv[4])
ends = int(sys.argv[5]) if len(sys.argv) > 5 else 10**9
r = random.Random(5)
start = int(time.time())


def second(t):
    for h in range(1, hosts + 1):
        slow = factor if h == 3 and start - ago <= t < start + ends else 1
        ms = [k * slow * r.lognormvariate(0, 0.05) for k in (4, 3)]
        sys.stdout.write(f"{t},s{h},draw:read,sda,{int(r.gauss(200, 10))} {ms[0]:.3f} {ms[1]:.3f}\n")
        sys.stdout.write(f"{t},s{h},%user,,{r.gauss(20, 1):.2f}\n")
    sys.stdout.flush()


for t in range(start - back, start):
    second(t)
t = start
while True:
    if time.time() >= t:
        second(t)
        t += 1
    if select.select([sys.stdin], [], [], 0.02)[0] and not sys.stdin.read(1):
        break
