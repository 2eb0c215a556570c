# SPDX-License-Identifier: BSD-2-Clause
"""A program in a terminal of its own: keys in, what stands on its screen out.

Knows the escapes that `limpet watch` writes and no others: an escape it does not know is an error, and so is a
character beyond the last column or row. Not in the first picture after a new size: that one may have begun before."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

SEQUENCE = re.compile(r"\[(\??)([0-9;]*)([A-Za-z])")


class Screen:
    def __init__(self, rows, cols):
        self.rows, self.cols = rows, cols
        self.rest = ""
        self.reverse = False
        self.begun = 2  # pictures of this size
        self.left = False  # the program: what comes then is echoed by the terminal
        self.clear()

    def clear(self):
        self.at = [[" "] * self.cols for _ in range(self.rows)]
        self.reversed = [[False] * self.cols for _ in range(self.rows)]
        self.row = self.col = 0

    def put(self, c):
        if self.row < self.rows and self.col < self.cols:
            self.at[self.row][self.col] = c
            self.reversed[self.row][self.col] = self.reverse
        elif self.begun >= 2:
            raise ValueError("'%s' at %d, %d of %d x %d" % (c, self.row, self.col, self.rows, self.cols))
        self.col += 1

    def take(self, text):
        text, self.rest = self.rest + text, ""
        i = 0
        while i < len(text) and not self.left:
            c = text[i]
            if c == "\033":
                m = SEQUENCE.match(text, i + 1)
                if not m:
                    if len(text) - i > 16:
                        raise ValueError("no escape of ours: %r" % text[i : i + 16])
                    self.rest = text[i:]
                    return
                self.escape(*m.groups())
                i = m.end()
                continue
            if c == "\r":
                self.col = 0
            elif c == "\n":
                self.row += 1
            elif " " <= c <= "~":
                self.put(c)
            else:
                raise ValueError("no character of ours: %r" % c)
            i += 1

    def escape(self, private, number, end):
        if end == "H" and not number:
            self.row = self.col = 0
            self.begun += 1
        elif end == "K" and not number:
            if self.row < self.rows and self.col < self.cols:
                self.at[self.row][self.col :] = [" "] * (self.cols - self.col)
                self.reversed[self.row][self.col :] = [False] * (self.cols - self.col)
        elif end == "J" and number == "2":
            self.clear()
        elif end == "m" and not private:
            self.reverse = number == "7"
        elif private and number in ("25", "1049") and end in "hl":
            self.left = number == "1049" and end == "l"
        else:
            raise ValueError("no escape of ours: %s%s%s" % (private, number, end))


class Terminal:
    def __init__(self, command, rows=24, cols=80, term="xterm"):
        start, started = os.pipe()
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.read(start, 1)
            os.environ["TERM"] = term
            os.execv(command[0], command)
        self.screen = Screen(rows, cols)
        self.raw = b""
        self.status = None
        self.size(rows, cols)
        os.write(started, b".")
        os.close(start)
        os.close(started)

    def size(self, rows, cols):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def resize(self, rows, cols):
        if not self.read(0.05):
            return
        self.size(rows, cols)
        os.kill(self.pid, signal.SIGWINCH)
        left, self.screen = self.screen.left, Screen(rows, cols)
        self.screen.begun, self.screen.left = 0, left

    def send(self, keys):
        os.write(self.fd, keys.encode("latin1") if isinstance(keys, str) else keys)

    def read(self, seconds):
        """False: it has ended."""
        until = time.monotonic() + seconds
        while self.status is None:
            left = until - time.monotonic()
            if not select.select([self.fd], [], [], max(left, 0))[0]:
                return True
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                data = b""
            if not data:
                self.status = os.waitpid(self.pid, 0)[1]
                return False
            self.raw += data
            self.screen.take(data.decode("latin1"))
            if left <= 0:
                return True
        return False

    def lines(self):
        return ["".join(row).rstrip() for row in self.screen.at]

    def text(self):
        return "\n".join(self.lines())

    def chosen(self):
        """What is shown in reverse, below the first line."""
        for row, marks in list(zip(self.screen.at, self.screen.reversed))[1:]:
            if any(marks):
                return "".join(c for c, m in zip(row, marks) if m).strip()
        return None

    def wait(self, words, seconds=60):
        """Until they are on a screen that is drawn to its end, or, of a function, until it is true of the terminal."""
        limit = time.monotonic() + seconds
        is_so = words if callable(words) else lambda t: words in t.text()
        while True:
            taken = len(self.raw)
            runs = self.read(0.1)
            if len(self.raw) == taken and is_so(self):
                return
            if time.monotonic() > limit or not runs:
                raise AssertionError("%s is not on the screen:\n%s" % (words, self.text()))

    def end(self, seconds=60):
        """Its status, once it has ended by itself."""
        limit = time.monotonic() + seconds
        while self.status is None and time.monotonic() < limit:
            self.read(0.1)
        return self.status

    def kill(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.status = os.waitpid(self.pid, 0)[1]
