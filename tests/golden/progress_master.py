# SPDX-License-Identifier: BSD-2-Clause
"""progress_master.py PORTFILE SCENE: a ResourceManager as it answers, and as none should; one look after the other."""
import http.server
import json
import os
import sys
import threading
import time

SCENE = sys.argv[2]
LOOKS = [0]
T = 1795000000000
APP, JOB = "application_1_0001", "job_1_0001"


def attempt(task, number, server, state, progress, start=T, end=0):
    return {"id": f"attempt_1_0001_m_{task:06}_{number}", "state": state, "progress": progress, "startTime": start, "finishTime": end,
            "nodeHttpAddress": f"{server}:8042", "assignedContainerId": f"container_1_0001_01_{task + 2:06}"}


# Of each look: the state and progress of each task, and its attempts.
GOOD = [
    [("RUNNING", 10, [attempt(0, 0, "s1", "RUNNING", 10.25)]), ("RUNNING", 20, [attempt(1, 0, "s2", "RUNNING", 20)])],
    [("RUNNING", 50, [attempt(0, 0, "s1", "RUNNING", 50)]), ("RUNNING", 20, [attempt(1, 0, "s2", "RUNNING", 20)])],
    [("RUNNING", 50, [attempt(0, 0, "s1", "RUNNING", 50)]), ("RUNNING", 20, [attempt(1, 0, "s2", "RUNNING", 20)])],
    [("SUCCEEDED", 100, [attempt(0, 0, "s1", "SUCCEEDED", 100, T, T + 9000)]), ("RUNNING", 30, [attempt(1, 0, "s2", "RUNNING", 30)])],
]
BAD = {
    "error": (500, b"{}"), "text": (200, b"<html>"), "cut": (200, b'{"apps": {"app": [{"id"'), "list": (200, b"[1, 2]"), "empty": (200, b""),
    "deep": (200, b"[" * 100000), "types": (200, json.dumps({"apps": {"app": [{"id": 7}, {"id": "../../x"}, "a", None, {"id": "a/b"}]}}).encode()),
}


class Master(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer is one packet

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def driver(self, path):
        """Of Spark: a stage of two tasks, then the next, and it is gone."""
        base = "/api/v1/applications/app-1"
        if path == "/api/v1/applications":
            LOOKS[0] += 1
            if LOOKS[0] > 2:
                os._exit(0)
            return self.answer(200, b'[{"id": "app-1", "attempts": [{"completed": false}]}]')
        over = LOOKS[0] > 1

        def task(number, status, ms):
            return {"taskId": number, "launchTime": "2026-11-28T20:00:00.500GMT", "duration": ms, "host": f"s{number}", "status": status,
                    "taskLocality": "NODE_LOCAL"}
        return self.answer(200, json.dumps({
            f"{base}/jobs": [{"jobId": 4, "stageIds": [7, 8]}],
            f"{base}/stages": [{"stageId": 8 if over else 7, "attemptId": 0}],
            f"{base}/stages/7/0/taskList": [task(1, "SUCCESS" if over else "RUNNING", 1234), task(2, "FAILED" if over else "RUNNING", 99)],
            f"{base}/stages/8/0/taskList": [task(3, "RUNNING", 5)],
        }.get(path)).encode())

    def do_GET(self):
        path = self.path.split("?")[0]
        if SCENE == "driver":
            return self.driver(path)
        if SCENE in BAD:
            return self.answer(*BAD[SCENE])
        if SCENE == "silent":
            time.sleep(60)
        if SCENE == "many" and path.endswith("/tasks"):
            return self.answer(200, json.dumps({"tasks": {"task": [
                {"id": f"task_1_0001_m_{i:06}", "type": "MAP", "state": "RUNNING", "progress": 5} for i in range(10500)]}}).encode())
        if SCENE == "many" and path.endswith("/attempts"):
            return self.answer(200, json.dumps({"taskAttempts": {"taskAttempt": [
                attempt(int(path.split("_")[-1][:6]), 0, "s1", "RUNNING", 5)]}}).encode())
        look = GOOD[min(LOOKS[0], len(GOOD)) - 1]
        if path == "/ws/v1/cluster/apps":
            LOOKS[0] += 1
            apps = [{"id": APP}] if LOOKS[0] <= len(GOOD) or SCENE == "many" else []
            # a key that is there twice, as Hadoop writes it
            return self.answer(200, b'{"x": 1, "x": 2, "apps": ' + json.dumps({"app": apps} if apps else None).encode() + b"}")
        if path == f"/ws/v1/cluster/apps/{APP}":
            return self.answer(200, json.dumps({"app": {"finalStatus": "SUCCEEDED", "finishedTime": T + 20000}}).encode())
        if path == f"/proxy/{APP}/ws/v1/mapreduce/jobs/{JOB}/tasks":
            return self.answer(200, json.dumps({"tasks": {"task": [
                {"id": f"task_1_0001_m_{i:06}", "type": "MAP", "state": s, "progress": p} for i, (s, p, _) in enumerate(look)]}}).encode())
        for i, (_, _, attempts) in enumerate(look):
            if path.endswith(f"/tasks/task_1_0001_m_{i:06}/attempts"):
                return self.answer(200, json.dumps({"taskAttempts": {"taskAttempt": attempts}}).encode())
        return self.answer(404, b"{}")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Master)
with open(sys.argv[1] + ".new", "w", encoding="ascii") as f:
    f.write(str(server.server_address[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()
