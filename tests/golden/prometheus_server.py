#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A server that answers as a Prometheus does, or lies; for prometheus.sh. The first part of the path says how.

   prometheus_server.py PORT-FILE QUERIES-FILE     writes its port, and every query that it gets"""
import gzip
import http.server
import json
import sys
import urllib.parse

TOKEN = "Bearer right-token"


def matrix(end):
    """Two counters' worth of nothing special."""
    one = {"metric": {"instance": "io1:9100", "device": "sda"}, "values": [[end - 30, "1"], [end - 15, "2"]]}
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": [one]}}).encode()


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def send(self, status, body, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        asked = urllib.parse.parse_qs(url.query)
        how = url.path.split("/")[1]
        with open(sys.argv[2], "a", encoding="utf-8") as to:
            to.write(asked["query"][0] + "\n")
        good = matrix(float(asked["time"][0]))
        if how == "token" and self.headers.get("Authorization") != TOKEN:
            self.send(401, b"no")
        elif how == "elsewhere":
            self.send(302, b"", [("Location", "file:///etc/passwd")])
        elif how == "bomb":
            self.send(200, gzip.compress(b" " * (200 << 20), 1), [("Content-Encoding", "gzip")])
        elif how == "cut":
            self.send_response(200)
            self.send_header("Content-Length", str(len(good) + 100))
            self.end_headers()
            self.wfile.write(good)
            self.close_connection = True
        elif how == "hangs-up":
            self.close_connection = True
        else:
            self.send(200, good)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
with open(sys.argv[1], "w", encoding="ascii") as to:
    to.write(str(server.server_address[1]) + "\n")
server.serve_forever()
