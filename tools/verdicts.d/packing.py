# SPDX-License-Identifier: BSD-2-Clause
"""A freeze in one file: a tar.gz whose first member, SUMS, has the SHA-256 of every other.

    freeze.json   which commit, built into what, when, and how long it took
    said/         what `record` keeps: cases.txt, NAME.out, NAME.err, NAME.run, NAME.files; inputs.txt
    made/         simulated inputs, which no two builds of `simulate` need to make alike

inputs.txt has the SHA-256 of every file that cases read. Recordings of the tree and public data are not packed:
they are there, or the cases that read them are left out."""
import contextlib
import hashlib
import io
import os
import re
import tarfile
import tempfile
import zlib

from cases import die

FIRST = "limpet verdicts 1"
LONGEST_SUMS = 1 << 26  # bytes


def digest(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def files_below(folder):
    """Paths relative to FOLDER, sorted; links to folders are followed."""
    found = []
    for at, folders, files in os.walk(folder, followlinks=True):
        folders.sort()
        found += [os.path.relpath(os.path.join(at, name), folder) for name in files]
    return sorted(found)


def pack(folder, to):
    """FOLDER into the file TO, which is there whole or not at all."""
    names = files_below(folder)
    sums = "".join(f"{digest(os.path.join(folder, n))} {n}\n" for n in names)
    part = f"{to}.part"
    try:
        with tarfile.open(part, "w:gz", compresslevel=4) as tar:
            data = f"{FIRST}\n{sums}".encode()
            head = tarfile.TarInfo("SUMS")
            head.size = len(data)
            tar.addfile(head, io.BytesIO(data))
            for n in names:
                member = tarfile.TarInfo(n)
                member.size = os.path.getsize(os.path.join(folder, n))
                with open(os.path.join(folder, n), "rb") as f:
                    tar.addfile(member, f)
        os.replace(part, to)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


def read_sums(tar):
    member = tar.next()
    if not member or member.name != "SUMS" or not member.isfile() or member.size > LONGEST_SUMS:
        raise ValueError("it does not begin with SUMS")
    first, *lines = tar.extractfile(member).read().decode().splitlines()
    if first != FIRST:
        raise ValueError(f"it is '{first}' and not '{FIRST}'")
    sums = {}
    for line in lines:
        wanted, name = line.split(" ", 1)
        if not re.fullmatch("[0-9a-f]{64}", wanted) or name.startswith("/") or ".." in name.split("/"):
            raise ValueError(f"SUMS has the line '{line}'")
        sums[name] = wanted
    return sums


def unpack(path, to, wanted=lambda name: True):
    """Writes the members below the folder TO whose names are WANTED; all of them are looked through."""
    with tarfile.open(path, "r:gz") as tar:
        sums = read_sums(tar)
        while member := tar.next():
            if not member.isfile() or member.name not in sums:
                raise ValueError(f"'{member.name}' is not in SUMS")
            said, out = hashlib.sha256(), None
            source, target = tar.extractfile(member), os.path.join(to, member.name)
            if wanted(member.name):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                out = open(target, "wb")
            with out or contextlib.nullcontext():
                while block := source.read(1 << 20):
                    said.update(block)
                    if out:
                        out.write(block)
            if said.hexdigest() != sums.pop(member.name):
                raise ValueError(f"'{member.name}' is not what SUMS says")
    if sums:
        raise ValueError(f"'{next(iter(sums))}' is missing")


@contextlib.contextmanager
def unpacked(path, wanted=lambda name: True):
    """A folder, for as long as it is needed, with what PATH has."""
    with tempfile.TemporaryDirectory(prefix="limpet-verdicts.") as to:
        try:
            unpack(path, to, wanted)
        except (ValueError, EOFError, zlib.error, tarfile.TarError, OSError) as e:
            die(f"cannot read the freeze '{path}', which is damaged or none: {e}")
        yield to


@contextlib.contextmanager
def at_hand(path):
    """A folder of recorded cases: PATH itself, or what is in it."""
    if os.path.isdir(path):
        yield path
        return
    with unpacked(path, lambda name: name.startswith("said/")) as folder:
        yield os.path.join(folder, "said")


def write_inputs(folder, roots, to):
    """What is in the folders ROOTS of FOLDER into the file TO."""
    with open(to, "w") as f:
        for root in roots:
            for name in files_below(os.path.join(folder, root)):
                f.write(f"{digest(os.path.join(folder, root, name))} {root}/{name}\n")


def read_inputs(folder):
    """{path: digest}; of a folder that `record` made, none."""
    try:
        with open(os.path.join(folder, "inputs.txt")) as f:
            return dict(reversed(line.rstrip("\n").split(" ", 1)) for line in f)
    except FileNotFoundError:
        return {}


def paths_of(words):
    """Of the arguments of limpet those that may be paths; a truth.csv stands for its folder."""
    for w in words:
        w = re.sub(r"^\{copy:(.*)\}$", r"\1", w)
        yield os.path.dirname(w) if w.endswith("/truth.csv") else w


def changed_inputs(old, new):
    """A function of a case's arguments: which of its inputs are not the same in both."""
    changed = sorted(p for p in set(old) | set(new) if old.get(p) != new.get(p)) if old and new else []

    def of(words):
        paths = list(paths_of(words))
        return [c for c in changed if any(c == p or c.startswith(p + "/") for p in paths)]
    return of
