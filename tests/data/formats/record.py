#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""record.py FOLDER SECONDS: five servers' disks as sysstat's own programs and a Prometheus see them. As root.

The counters of the disks are made up: /proc/diskstats is a file of this script's, one a server, in a mount
and host name of its own. Everything that reads them and writes the recordings is the real program: iostat, sar,
and Prometheus, which scrapes the same numbers under node_exporter's names. The disk vda of oss3 takes 3.5 times as long from a
third of the time on. The locales de_DE.UTF-8 and en_US.UTF-8 must be there."""
import http.server
import os
import random
import signal
import subprocess
import sys
import threading
import time

HOSTS = ["oss1", "oss2", "oss3", "oss4", "oss5"]
DISKS = {"vda": (254, 0), "loop0": (7, 0)}
NAMES = (("reads_completed_total", 0, 1), ("read_bytes_total", 2, 512), ("read_time_seconds_total", 3, 1e-3),
         ("writes_completed_total", 4, 1), ("written_bytes_total", 6, 512), ("write_time_seconds_total", 7, 1e-3),
         ("io_time_seconds_total", 9, 1e-3))


class Disk:
    def __init__(self):
        self.c = [0] * 17

    def second(self, rnd, slow):
        reads, writes = rnd.randint(80, 120), rnd.randint(60, 90)
        r = sum(rnd.lognormvariate(1.6, .5) for _ in range(reads)) * slow
        w = sum(rnd.lognormvariate(1.9, .5) for _ in range(writes)) * slow
        for i, v in ((0, reads), (2, reads * 128), (3, r), (4, writes), (6, writes * 64), (7, w),
                     (9, min(1000, .6 * (r + w))), (10, r + w)):
            self.c[i] += v

    def text(self):
        return " ".join(str(int(v)) for v in self.c) + "\n"


def put(path, text):
    """In place: the file is mounted, and never shorter than it was."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    os.pwrite(fd, text.encode(), 0)
    os.close(fd)


class Server:
    def __init__(self, name, folder):
        self.rnd, self.name = random.Random(name), name
        self.path = f"{folder}/{name}.diskstats"
        self.disks = {d: Disk() for d in DISKS}
        self.text = ""
        for d in self.disks.values():
            d.second(self.rnd, 1)
        self.write()

    def second(self, late):
        for name, d in self.disks.items():
            d.second(self.rnd, 3.5 if late and self.name == "oss3" and name == "vda" else 1)
        self.write()

    def write(self):
        put(self.path, "".join("%4d %7d %s %s" % (*DISKS[n], n, d.text()) for n, d in self.disks.items()))
        for n, d in self.disks.items():
            put(f"{self.path}.{n}", d.text())
        self.text = "".join(f'node_disk_{m}{{device="{d}"}} {x.c[i] * by:.6f}\n'
                            for m, i, by in NAMES for d, x in self.disks.items())


def exporter(server, port):
    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(server.text.encode())

        def log_message(self, *_):
            pass
    threading.Thread(target=http.server.ThreadingHTTPServer(("127.0.0.1", port), Answer).serve_forever,
                     daemon=True).start()


def main():
    folder, seconds = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    os.makedirs(folder, exist_ok=True)
    servers = [Server(h, folder) for h in HOSTS]
    targets = ""
    for i, s in enumerate(servers):
        exporter(s, 29101 + i)
        targets += f"      - targets: ['127.0.0.1:{29101 + i}']\n        labels: {{instance: '{s.name}:9100'}}\n"
    with open(folder + "/prometheus.yml", "w") as f:
        f.write("global: {scrape_interval: 1s}\nscrape_configs:\n  - job_name: node\n    static_configs:\n" + targets)
    prometheus = subprocess.Popen(
        ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/tsdb",
         "--web.listen-address=127.0.0.1:29090"], stderr=open(folder + "/prometheus.log", "w"))
    run = []
    for s in servers:
        run.append(subprocess.Popen(["unshare", "-m", "-u", "sh", "-c", f"""
            hostname {s.name}; mount --bind {s.path} /proc/diskstats; cd {folder}
            for d in {" ".join(DISKS)}; do mount --bind {s.path}.$d /sys/block/$d/stat; done
            iostat -o JSON -x -t 1 {seconds} >{s.name}.iostat.json &
            LC_ALL=de_DE.UTF-8 iostat -d -x -t 1 {seconds} >{s.name}.iostat.txt &
            /usr/lib/sysstat/sadc -S DISK 1 {seconds} {s.name}.sa; wait
            sadf -j {s.name}.sa -- -u -d >{s.name}.sadf.json
            sadf -d -U {s.name}.sa -- -u -d >{s.name}.sadf.txt
            LC_ALL=en_US.UTF-8 sar -p -u -d -f {s.name}.sa >{s.name}.sar.txt"""],
            env={**os.environ, "LC_ALL": "C", "TZ": "UTC"}))
    start = time.time()
    for t in range(seconds + 2):
        time.sleep(max(0, start + t + .5 - time.time()))
        for s in servers:
            s.second(t > seconds / 3)
    for p in run:
        p.wait()
    for name, query in (("read_time", 'node_disk_read_time_seconds_total{device="vda"}'),
                        ("await", "1000 * rate(node_disk_read_time_seconds_total[5s])"
                                  " / rate(node_disk_reads_completed_total[5s])")):
        subprocess.run(["curl", "-sG", "http://127.0.0.1:29090/api/v1/query_range", "--data-urlencode", "query=" + query,
                        "-d", f"start={start:.0f}", "-d", f"end={start + seconds:.0f}", "-d", "step=1",
                        "-o", f"{folder}/{name}.json"], check=True)
    prometheus.send_signal(signal.SIGTERM)
    prometheus.wait()


main()
