# SPDX-License-Identifier: BSD-2-Clause
"""A kernel that lacks one field: for every name the programs use, a copy of this kernel's BTF in which
it is another's, bound over /sys/kernel/btf/vmlinux in a mount namespace of its own, and the probe
started on it. Only the families that need the name may be missing, and they must say so by that name.

usage: renamed.py FOLDER PROBE OPTION…     prints TAP lines"""
import os, re, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

BTF = "/sys/kernel/btf/vmlinux"
folder, command = sys.argv[1], sys.argv[2:]

# The programs, and functions they call back, of each family; the rest of the families' names.
programs = {
    "block_typed": ["block"], "block_raw": ["block"], "judge_group": ["origin"],
    "requeue_typed": ["requeue"], "requeue_raw": ["requeue"],
    "sched_typed": ["sched"], "sched_raw": ["sched"],
    "tcp_seed": ["tcp"], "tcp_seed_pid": ["tcp-pid"], "look_tcp": ["tcp"],
    "walk_one": ["tcp"], "has_sent": ["tcp"], "look_one": ["tcp"], "examine": ["tcp"], "tcp_state": ["tcp-state"],
    "host_of_socket": ["tcp", "tcp-state"], "remote_of": ["tcp", "tcp-state"],
    "in_cgroup": ["tcp", "tcp-state"], "is_of_mptcp": ["tcp", "tcp-state"],
    "retransmit_typed": ["retransmit"], "retransmit_raw": ["retransmit"],
    "task_pass": ["process"],
    "task_exit_typed": ["process-exit"], "task_exit_raw": ["process-exit"],
    "task_free_typed": ["process-free"], "task_free_raw": ["process-free"],
    "sweep_host": ["host"], "add_processor": ["host"],
    "read_disks": ["disk-stats"], "read_stats": ["disk-stats"], "add_stats": ["disk-stats"],
    "thread_look": ["threads"],
    "find_disk": ["disk-stats"], "learn": ["host", "disk-stats"],
    "number_of_disk": ["disk-stats"], "learn_parked": ["host", "disk-stats"],
}
# What user space looks up by itself (userspace/probe/kernel/features.c).
looked_up = {
    "tick_cpu_sched": ["host"], "kernel_cpustat": ["host"], "vm_event_states": ["host"],
    "cpustat": ["host"], "idle_sleeptime": ["host"], "iowait_sleeptime": ["host"],
    "idle_entrytime": ["host"], "idle_active": ["host"], "flags": ["host"],
    "PGFAULT": ["host"], "PSWPIN": ["host"],
    "runqueues": ["host", "disk-stats"], "cfs_rq": ["host", "disk-stats"], "rq": ["host", "disk-stats"],
    "this_cpu_off": ["disk-stats"], "__parent": ["disk-stats"], "parent": ["disk-stats"],
    "bio": ["origin"], "bi_blkg": ["origin"], "blkcg": ["origin"], "css": ["origin"],
    "cgroup": ["origin"], "level": ["origin"], "kn": ["origin"], "id": ["origin"],
    "ancestors": ["origin"], "ancestor_ids": ["origin"],
    "__RQF_IO_STAT": [], "__RQF_STATS": [],
}
# Without the one there is no other.
needs = {"tcp-pid": ["tcp", "tcp-state"], "tcp": ["tcp-state"], "tcp-state": ["tcp"], "origin": ["block"]}
families = sorted({f for p in programs.values() for f in p} | {"origin"})


def start(btf=None, debug=False):
    shell = 'exec "$@"' if btf is None else f'mount --bind "{btf}" {BTF} && exec "$@"'
    env = dict(os.environ, LIMPET_DEBUG="1") if debug else os.environ
    return subprocess.run(["unshare", "-m", "sh", "-c", shell, "-"] + command, env=env, timeout=300,
                          text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def rows(text):
    """{family: None if it works, else what it says}"""
    found = re.findall(r"^(\S+) +(yes|NO) +(.*)$", text, re.M)
    return {name: None if ok == "yes" else why for name, ok, why in found if name in families}


def case(name, wrong):
    print(f"not ok - {name}\n# {wrong}" if wrong else f"ok - {name}", flush=True)


def users(text):
    """{name: families whose programs use it}, from what libbpf says when it relocates"""
    used = {name: set(f) for name, f in looked_up.items()}
    strange = set()
    for program, spec in re.findall(r"prog '(\w+)': relo #\d+: <\w+> \[\d+\] struct (\S+) \(", text):
        if program not in programs:
            strange.add(program)
        for name in re.sub(r"\[\d+\]", "", spec).split("."):
            used.setdefault(name, set()).update(programs.get(program, []))
    return used, strange


def closed(names):
    """The families that may be missing without these names."""
    may = set().union(*(used[name] for name in names))
    for family, on in needs.items():
        if may & set(on):
            may.add(family)
    return may


def without(names):
    """Starts the probe on a BTF without the names; what is wrong, or ''"""
    path = os.path.join(folder, "btf-" + names[0])
    text = btf
    for name in names:
        new = name[:-1] + ("Z" if name[-1] != "Z" else "Y")
        text = text.replace(b"\0" + name.encode() + b"\0", b"\0" + new.encode() + b"\0")
    with open(path, "wb") as f:
        f.write(text)
    done = start(path)
    os.unlink(path)
    got = rows(done.stdout)
    missing = {f: why for f, why in got.items() if why is not None}
    allowed = closed(names)
    if sorted(got) != sorted(whole) or not re.search(r"^sweep +yes", done.stdout, re.M):
        return f"it did not start: {done.stdout[-300:]} {done.stderr[-300:]}"
    if set(missing) - allowed:
        return f"only {sorted(allowed)} use it, but missing are {missing}"
    # An enumerator that is missing shows as a counter that differs; an iterator has a shorter name.
    silent = [f for f, why in missing.items() if f not in needs and "in kernel memory" not in why and
              "no 'iter/" not in why and not any(name in why and f in closed([name]) for name in names)]
    if silent:
        return f"its name is not said: { {f: missing[f] for f in silent} }"
    ended.update(missing)
    return ""


def groups_of(names):
    """Names whose families have nothing in common: one start of the probe shows the same as one for each."""
    groups = []
    for name in sorted(names, key=lambda n: -len(closed([n]))):
        mine = closed([name])
        for group, taken in groups:
            if not mine & taken and len(group) < 6:
                group.append(name)
                taken |= mine
                break
        else:
            groups.append(([name], set(mine)))
    return [group for group, _ in groups]


def judge(group):
    """{name: what is wrong, or ''}: each alone where there is something."""
    if len(group) > 1 and not without(group):
        return dict.fromkeys(group, "")
    return {name: without([name]) for name in group}


with open(BTF, "rb") as f:
    btf = f.read()
first = start(debug=True)
whole = rows(first.stdout)
used, strange = users(first.stderr)
bad = [f for f in families if whole.get(f, "not told of") is not None]
case("on this kernel as it is, every family works", f"missing: {bad}: {first.stdout}" if bad else "")
case("of every program it is known which family it is of", f"not of {sorted(strange)}" if strange else "")
ended = set()
names = sorted(n for n in used if b"\0" + n.encode() + b"\0" in btf)
if bad or strange or len(names) < 80:
    print(f"# {len(names)} names")
    sys.exit(1)
# One by one, a family that two names of a group break cannot hide behind the other: that is for check-all.
groups = [[name] for name in names] if os.environ.get("LIMPET_TEST_ALL") == "1" else groups_of(names)
wrong = {}
with ThreadPoolExecutor(2) as pool:
    for found in pool.map(judge, groups):
        wrong.update(found)
for name in names:
    case(f"a kernel without '{name}': only {' '.join(sorted(used[name])) or 'nothing'} may be missing", wrong[name])
print(f"# {len(groups)} starts for {len(names)} names")
case("each family was missing on some kernel", "" if set(families) == ended else
     f"never missing: {sorted(set(families) - ended)}")
