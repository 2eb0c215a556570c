#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
What tools/bench-probe measured, as text on stdout and, with a second argument, as JSON.

  report.py RAW [JSON]

RAW has lines of five fields with tabs between them: section, arm, round, key, value. Every figure is
a median; the two in brackets are where 95 in 100 medians of resampled runs lie (bootstrap). What is
compared was measured in the same round: the difference or ratio is taken first, then the median.
"""
import json
import random
import sys
from collections import defaultdict

RESAMPLES = 2000
# Programs of the probe, by the hook whose empty program is the price of measuring.
HOOKS = {'block': 'empty_block', 'sched': 'empty_sched', 'tcp_close': 'empty_tcp_close',
         'retransmit': 'empty_retransmit', 'task_exit': 'empty_task_exit',
         'task_free': 'empty_task_free'}
WHAT = {'block': 'block I/O', 'block-all': 'block I/O, from every processor at once',
        'switch': 'context switch', 'connection': 'TCP connection',
        'process': 'process'}
rng = random.Random(1)
raw = defaultdict(lambda: defaultdict(dict))  # [section][arm][round, key] = [values]
out = {'events': {}, 'cpu': {}, 'memory': {}, 'workload': {}, 'tcp': {}, 'disk': {}, 'targets': []}


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def read(path):
    with open(path, encoding='utf-8', errors='replace') as f:
        for line in f:
            section, arm, rnd, key, value = line.rstrip('\n').split('\t', 4)
            raw[section][arm].setdefault((int(rnd), key), []).append(number(value))


def median(v):
    v = sorted(v)
    n = len(v)
    return v[n // 2] if n % 2 else (v[n // 2 - 1] + v[n // 2]) / 2


class Figure:
    """A median and how sure it is."""

    def __init__(self, values):
        self.n = len(values)
        self.mid = median(values)
        mids = sorted(median(rng.choices(values, k=self.n)) for _ in range(RESAMPLES))
        self.low, self.high = mids[RESAMPLES // 40], mids[-RESAMPLES // 40 - 1]

    def json(self):
        return {'median': self.mid, 'low': self.low, 'high': self.high, 'n': self.n}

    def text(self, digits, width):
        """The median in `width`, and the brackets in as much again and once more, and 4."""
        spread = f'[{self.low:.{digits}f}, {self.high:.{digits}f}]' if self.n > 1 else ''
        return f'{self.mid:{width}.{digits}f} {spread:<{2 * width + 3}}'


def figure(values):
    values = [v for v in values if v is not None]
    return Figure(values) if values else None


def title(text):
    print(f'\n{text}\n{"-" * len(text)}')


# ---- events ----

def hook_of(program):
    base = program
    for tail in ('_typed', '_raw'):
        base = base.removesuffix(tail)
    return HOOKS.get(base)  # None: on no hook, run by the probe itself


def rounds_of(arm):
    return sorted({rnd for rnd, _ in arm})


def per_run(arm, rnd, program):
    """Nanoseconds a run and runs a second of a program in one round; None: it did not run."""
    runs, ns = arm.get((rnd, f'runs:{program}')), arm.get((rnd, f'ns:{program}'))
    if not runs:
        return None
    return sum(ns) / sum(runs), sum(runs) / (arm[rnd, 'usec'][0] / 1e6)


def programs_of(arm):
    return sorted({key[5:] for _, key in arm if key.startswith('runs:')})


def program_figures(group, program, arm_name):
    arm, empty = raw[f'events:{group}'][arm_name], raw[f'events:{group}'].get('empty', {})
    gross, net, bare, rate = [], [], [], []
    for rnd in rounds_of(arm):
        mine = per_run(arm, rnd, program)
        nothing = per_run(empty, rnd, hook_of(program))
        if not mine:
            continue
        gross.append(mine[0])
        rate.append(mine[1])
        if nothing:
            bare.append(nothing[0])
            net.append(mine[0] - nothing[0])
    return {'gross_ns': figure(gross), 'empty_ns': figure(bare), 'net_ns': figure(net),
            'per_second': figure(rate)}


def whole_tool(group, arm_name):
    """All programs of another tool, for each event (the runs of the one that runs most)."""
    arm, empty = raw[f'events:{group}'][arm_name], raw[f'events:{group}'].get('empty', {})
    hook = HOOKS['block' if group.startswith('block') else 'sched']
    gross, net, rate = [], [], []
    for rnd in rounds_of(arm):
        runs = {p: arm.get((rnd, f'runs:{p}'), [0]) for p in programs_of(arm)}
        ns = sum(sum(arm.get((rnd, f'ns:{p}'), [0])) for p in runs)
        most = max((max(r) for r in runs.values()), default=0)
        nothing = per_run(empty, rnd, hook)
        if not most:
            continue
        gross.append(ns / most)
        rate.append(most / (arm[rnd, 'usec'][0] / 1e6))
        if nothing:
            net.append((ns - sum(sum(r) for r in runs.values()) * nothing[0]) / most)
    return {'gross_ns': figure(gross), 'net_ns': figure(net), 'per_second': figure(rate)}


def event_line(name, f):
    cells = ''.join(f[k].text(1, 6) if f.get(k) else f'{"-":>6}{"":16}'
                    for k in ('net_ns', 'gross_ns'))
    print(f'{name:<38}{cells}{f["per_second"].mid:>10,.0f}')


# What the loads of a group make happen, and what happens once a second besides.
PROGRAMS = {'block': ('empty_block',), 'block-all': ('empty_block',),
            'switch': ('empty_sched',),
            'process': ('empty_task_exit', 'empty_task_free'),
            'connection': ('empty_tcp_close', 'empty_retransmit')}


def report_group(group):
    arms = raw[f'events:{group}']
    print(f'a {WHAT[group]}:')
    for arm in sorted(arms, key=lambda a: (a != 'probe-netns', a != 'origin', a != 'empty', a)):
        if arm not in ('probe-netns', 'origin', 'empty'):
            f = whole_tool(group, arm)
            if f['gross_ns']:
                event_line(f'  {arm}, all its programs', f)
                keep_event(group, arm, 'all', f)
            continue
        for program in programs_of(arms[arm]):
            hook = program if arm == 'empty' else hook_of(program)
            f = program_figures(group, program, arm)
            if hook not in PROGRAMS[group] or not f['gross_ns']:
                continue
            name = f'nothing, measured ({program})' if arm == 'empty' else program
            event_line(f'  {name}' + (' with --cgroup' if arm == 'origin' else ''), f)
            keep_event(group, arm, program, f)


def report_events():
    groups = [g for g in WHAT if f'events:{g}' in raw]
    if not groups:
        return
    title('Time per event, ns')
    print(f'{"net: less what an empty program takes":<38}{"   net":<22}{" gross":<22}{"a second":>10}')
    for group in groups:
        report_group(group)
    if not any('retransmit' in p for g in groups for a in raw[f'events:{g}'].values()
               for p in programs_of(a)):
        print('  (retransmit: nothing was sent again, so it did not run)')
    print('on the second, during the block I/O:')
    for program in programs_of(raw['events:block']['probe-netns']):
        if not hook_of(program):
            f = program_figures('block', program, 'probe-netns')
            event_line(f'  {program}, for each {PER.get(program, "run")}', f)
            keep_event('second', 'probe-netns', program, f)


PER = {'task_pass': 'thread', 'tcp_pass': 'socket'}


def keep_event(group, arm, program, f):
    out['events'].setdefault(group, {})[f'{arm}:{program}'] = {
        k: v.json() for k, v in f.items() if v}


def net_of(group, arm, prefix):
    for key, f in out['events'].get(group, {}).items():
        name, program = key.split(':', 1)
        if name == arm and program.startswith(prefix) and 'net_ns' in f:
            return f['net_ns']['median']
    return None


# ---- cpu ----

def cpu_rates(arm, phase):
    """[thread] -> milliseconds a second, one value for each window."""
    clock = {rnd: v[0] for (rnd, key), v in raw['cpu']['clock'].items() if key == phase}
    threads = sorted({key.split(':', 1)[1] for _, key in raw['cpu'][arm]
                      if key.startswith(phase + ':')})
    rates = {}
    for t in threads:
        ns = {rnd: sum(v) for (rnd, key), v in raw['cpu'][arm].items() if key == f'{phase}:{t}'}
        rates[t] = [(ns[i + 1] - ns[i]) / 1e6 / ((clock[i + 1] - clock[i]) / 1e6)
                    for i in sorted(ns) if i + 1 in ns]
    return rates


def add(lists):
    return [sum(v) for v in zip(*lists)] if lists else []


THREADS = {'limpet-sweep': 'samples, on the second', 'limpet-probe': 'merge and storage',
           'limpet-tcp': 'looks at TCP sockets', 'limpet-http': 'scraped, the text'}


def ordered(arms):
    """The probe first, then what is nearest to it."""
    first = ['again', 'probe', 'probe-netns', 'no-sched', 'sadc', 'iostat', 'node_exporter']
    return sorted(arms, key=lambda a: (first.index(a) if a in first else len(first), a))


def cpu_line(name, phase_figures):
    cells = ''.join(f.text(3, 8) if f else f'{"-":>8}{"":20}' for f in phase_figures)
    print(f'{name:<42}{cells}')


def report_cpu():
    if not raw.get('cpu'):
        return
    title('Processor time, ms per second (1 ms is 0.1 % of a processor)')
    print(f'{"":<42}{"    idle":<28}{"    load":<28}')
    for arm in ordered(a for a in raw['cpu'] if a not in ('clock', 'scraped')):
        rates = {p: cpu_rates(arm, p) for p in ('idle', 'load')}
        total = {p: figure(add(list(rates[p].values()))) for p in rates}
        out['cpu'][arm] = {'all': {p: f.json() for p, f in total.items() if f}}
        if arm != 'probe':
            cpu_line(arm, [total['idle'], total['load']])
            continue
        for t in rates['idle']:
            f = {p: figure(rates[p].get(t, [])) for p in rates}
            cpu_line(f'{t} ({THREADS[t]})' if t in THREADS else t, f.values())
            out['cpu'][arm][t] = {p: v.json() for p, v in f.items() if v}
        cpu_line('limpet-probe, all', total.values())
    if 'scraped' in raw['cpu']:
        print('scraped once a second over HTTP:')
        for t, v in cpu_rates('scraped', 'scraped').items():
            f = figure(v)
            cpu_line(f'  {t}', [f])
            out['cpu'].setdefault('scraped', {})[t] = f.json()


def cpu_of(arm, thread, phase='idle'):
    return out['cpu'].get(arm, {}).get(thread, {}).get(phase, {}).get('median')


# ---- memory ----

def report_memory():
    if not raw.get('memory'):
        return
    title('Resident memory after some 25 s, MiB: now, and at most')
    for arm in ordered(raw['memory']):
        values = raw['memory'][arm]
        rss, peak = values.get((0, 'VmRSS:')), values.get((0, 'VmHWM:'))
        if rss:
            print(f'{arm:<42}{rss[0] / 1024:8.1f}{peak[0] / 1024:8.1f}')
            out['memory'][arm] = {'rss_kib': rss[0], 'peak_kib': peak[0]}
        if (0, 'maps') in values and values[0, 'maps'][0] != '':
            out['memory'].setdefault(arm, {})['maps_kib'] = values[0, 'maps'][0]
    maps = out['memory'].get('probe', {}).get('maps_kib')
    if maps is not None:
        print(f'{"kernel memory of the probe (its maps)":<42}{maps / 1024:8.1f}')


# ---- workload ----

def ratios(arm, load):
    """Per round, how much less than the bare run beside it, in percent."""
    bare = raw['workload']['none']
    found = []
    for (rnd, key), v in raw['workload'][arm].items():
        name, which = key.split(':')
        beside = bare.get((rnd, f'{load}:{which}'))
        if name == load and beside:
            found.append((v[0] / beside[0] - 1) * 100)
    return found


def judge(f, noise):
    """Within what the arm that is nothing once more shows."""
    if noise.n < 3 or f.n < 3:
        return 'too few rounds to tell'
    if f.low <= noise.high and f.high >= noise.low:
        return 'within noise'
    return 'loses' if f.mid < noise.mid else 'gains'


def report_workload():
    loads = {'fio': 'IOPS', 'iperf3': 'Gbit/s', 'pingpong': 'round trips/s'}
    if not raw.get('workload'):
        return
    title('What the work loses, in % of the run with nothing beside it')
    for load, unit in loads.items():
        bare = figure([v[0] for (_, key), v in raw['workload']['none'].items()
                       if key.startswith(load + ':')])
        if not bare:
            continue
        noise = figure(ratios('again', load))
        print(f'{load}: with nothing {bare.mid:,.{1 if load == "iperf3" else 0}f} {unit}')
        for arm in ordered(raw['workload']):
            f = figure(ratios(arm, load)) if arm != 'none' else None
            if not f:
                continue
            verdict = '(the noise)' if arm == 'again' else judge(f, noise) if noise else ''
            name = {'again': 'nothing again', 'probe-netns': 'limpet-probe',
                    'no-sched': 'limpet-probe --no-sched'}.get(arm, arm)
            print(f'  {name:<30}{f.text(1, 8)} {verdict}')
            out['workload'].setdefault(load, {})[arm] = dict(f.json(), verdict=verdict)


# ---- tcp, disk ----

def report_tcp():
    if not raw.get('tcp'):
        return
    title('Ten looks a second at 1,000 TCP connections (2,000 sockets), % of a processor')
    for arm, name in (('tcp-all', 'all sockets of the namespace'), ('tcp-pid', '--pid SERVER')):
        values = raw['tcp'].get(arm)
        if not values:
            continue
        f = figure([values[r, 'ns'][0] / values[r, 'usec'][0] / 10 for r in rounds_of(values)])
        slowed = any((r, 'slowed') in values for r in rounds_of(values))
        print(f'{name:<42}{f.text(3, 8)}' + (' (slowed to one look a second)' if slowed else ''))
        out['tcp'][arm] = dict(f.json(), slowed=slowed)


# The file grows in steps, when the write-ahead log goes into it and seconds are packed.
LONG_ENOUGH = 3600


def slope(points):
    """Least squares, per unit of x."""
    n = len(points)
    mx, my = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    return (sum((x - mx) * (y - my) for x, y in points) /
            sum((x - mx) ** 2 for x, _ in points))


def report_disk():
    made = raw.get('disk', {}).get('made')
    if made and isinstance(made[0, 'day'][0], float):
        out['disk']['mb_per_day'] = made[0, 'day'][0]
    values = raw.get('disk', {}).get('probe')
    if not values:
        return
    rss = [(r, v[0]) for (r, key), v in sorted(values.items()) if key == 'rss' and r >= 60]
    size = [(r, v[0]) for (r, key), v in sorted(values.items()) if key == 'bytes' and r >= 60]
    seconds = rss[-1][0]
    title(f'A probe alone for {seconds} s (from minute 1 on)')
    out['disk'] |= {'seconds': seconds, 'rss_kib_per_hour': slope(rss) * 3600}
    print(f'resident memory {rss[0][1]:.0f} -> {rss[-1][1]:.0f} KiB, a slope of '
          f'{out["disk"]["rss_kib_per_hour"]:.1f} KiB an hour')
    if seconds >= LONG_ENOUGH:
        out['disk']['recorded_bytes_per_day'] = slope(size) * 86400
        print(f'series file of this host: {slope(size) * 86.4e-3:.1f} MB a day')
    else:
        print(f'(what a day takes on disk shows from {LONG_ENOUGH} s on)')


# ---- targets ----

def target(what, limit, value, unit, met, digits=1):
    got = 'not measured' if value is None else f'{value:.{digits}f} {unit}'
    word = '-' if value is None else 'met' if met else 'NOT MET'
    print(f'{what:<56}{limit:>14}{got:>19}  {word}')
    out['targets'].append({'what': what, 'limit': limit, 'measured': value, 'unit': unit,
                           'met': None if value is None else bool(met)})


def below(what, limit, value, unit, digits=1):
    target(what, f'<= {limit:g} {unit}', value, unit, value is not None and value <= limit, digits)


def share(part, whole):
    return part / whole if part is not None and whole else None


def target_workload(load, what):
    f = out['workload'].get(load, {}).get('probe-netns')
    told = f and f['n'] > 2
    target(what, 'within noise', f['median'] if told else None, '%', told and f['verdict'] != 'loses')


def per_packet():
    """Runs of the probe's programs for each packet, less those for I/O, switches and tasks."""
    arm = raw.get('events:packet', {}).get('probe-netns', {})
    found = []
    for rnd in rounds_of(arm):
        runs = sum(sum(v) for (r, key), v in arm.items() if r == rnd and key.startswith('runs:')
                   and hook_of(key[5:]) not in ('empty_block', 'empty_sched', *PROGRAMS['process'])
                   and key != 'runs:task_pass')
        if arm[rnd, 'did'][0] > 0:
            found.append(runs / arm[rnd, 'did'][0])
    return median(found) if found else None


def report_targets():
    title('Targets')
    below('a block I/O, net', 60, net_of('block', 'probe-netns', 'block'), 'ns')
    below('a block I/O with its origin, net', 100, net_of('block', 'origin', 'block'), 'ns')
    below('a context switch, net', 25, net_of('switch', 'probe-netns', 'sched'), 'ns')
    packet = per_packet()
    target('runs per packet (the looks at sockets are a few)', '< 0.01', packet, '',
           packet is not None and packet < 0.01, 4)
    below('the sampling thread / sadc, CPU a second', 0.2,
          share(cpu_of('probe', 'limpet-sweep'), cpu_of('sadc', 'all')), 'x', 2)
    below('all of it on an idle server / sadc', 1,
          share(cpu_of('probe', 'all'), cpu_of('sadc', 'all')), 'x', 2)
    tcp = out['tcp'].get('tcp-pid')
    target('ten TCP looks a second, 1,000 connections, --pid', '< 1 %', tcp and tcp['median'], '%',
           tcp and tcp['median'] < 1, 2)
    ping = out['workload'].get('pingpong', {}).get('probe-netns')
    ping = ping if ping and ping['n'] > 2 else None
    target('ping-pong', '>= -5 %', ping and ping['median'], '%', ping and ping['median'] >= -5)
    target_workload('fio', 'fio random reads')
    target_workload('iperf3', 'iperf3 over loopback')
    for key, what in (('rss_kib', 'resident memory'), ('peak_kib', 'the same at most (loading)')):
        memory = out['memory'].get('probe', {}).get(key)
        target(what, '< 16 MiB', memory and memory / 1024, 'MiB', memory and memory < 16384)
    day = out['disk'].get('mb_per_day')
    target('a host and day on disk, one disk, ten remotes', '< 40 MB', day, 'MB', day and day < 40)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit('usage: report.py RAW [JSON]')
    try:
        read(sys.argv[1])
    except (OSError, ValueError) as e:
        sys.exit(f'report.py: cannot read the measurements: {e}')
    about = {key: v[0] for (_, key), v in raw['about']['machine'].items()}
    out['about'] = about
    print(f'limpet-probe, Linux {about["kernel"]}, {about["cpus"]:.0f} processors '
          f'({about["cpu"]}), {about["date"]}')
    print(f'{about["rounds"]:.0f} rounds of {about["seconds"]:.0f} s runs; load average before '
          f'{about["load_before"]}; took {about["took"]:.0f} s; fio through {about["engine"]}')
    report_events()
    report_cpu()
    report_memory()
    report_workload()
    report_tcp()
    report_disk()
    for what, values in raw.get('quoted', {}).items():
        title(f'tools/{what}')
        print('\n'.join(str(v) for v in values[0, 'line']))
    if 'note' in raw:
        title('Left out')
        for arm, values in raw['note'].items():
            out.setdefault('left_out', {})[arm] = values[0, 'why'][0]
            print(f'{arm}: {values[0, "why"][0]}')
    report_targets()
    if len(sys.argv) == 3:
        with open(sys.argv[2], 'w', encoding='utf-8') as f:
            json.dump(out, f, indent=1)
            f.write('\n')


main()
