#!/usr/bin/env python3
"""Compares scaling policies over all traces, starters and dispersions, as one table.

    bench/compare_profiles.py [--bellows PATH] [--policy LIST] [--only WORD] [--quick] [--brief]
                              [--curve waiting-percentage=0.1,0.3,1] [--set key=value] [--json FILE]

Runs `bellows simulate --json` for each case and prints Markdown: waits, cold starts and waste of each policy, and its
waste relative to the policy `knative`. The column "bar" lists which of these a `bellows` policy misses:

  wait    p99 no longer than knative's, p99.9 at most 10 ms longer
  waste   where the mean load is above 50 slots: at most 0.6 of knative's with starts up to 2 s, 0.95 with 20 s;
          elsewhere no more than knative's
  cold    on sparse traffic: at most half the cold starts, excluding the very first, at the same replica-seconds
  lost    no more lost requests than knative: a lost request adds neither waiting time nor cost

--brief prints one line per case, as in docs/profiles.md. --curve adds `bellows:SETTING=VALUE` for each value. --quick
skips the longest traces. Long traces are scaled down (the name of the case has the factor). Service times are exponential
with mean 500 ms if a trace has none, and a replica has 10 slots. The seed plans with 90 % of them, as it did for apps with a
limit: with all of them its mean per pod could never exceed its target.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TRACES = ROOT / 'tests' / 'traces'
STARTS = ['500ms', '2s', '20s']
DISPERSIONS = [1, 4]
SPARSE_LOAD = 1  # requests in service on average: below, a trace is sparse
BUSY_LOAD = 50


def minutes(name, trace, *flags, long=False):
    return {'name': name, 'trace': trace, 'flags': list(flags), 'dispersions': DISPERSIONS, 'long': long}


def events(name, trace, *flags):
    return {'name': name, 'trace': trace, 'flags': list(flags), 'dispersions': [1], 'long': False}


AZURE_2019 = 'azure-functions-2019-sample-invocations.csv'
AZURE_2021 = 'azure-functions-2021-sample.csv'
DURATIONS = str(TRACES / 'azure-functions-2019-sample-durations.csv')
COLD = '--warm-up=0s'  # its cold starts are the point
CASES = [
    minutes('jun30 15-17h x0.25', 'worldcup98-jun30.csv', '--scale=0.25', '--from=14h50m', '--to=17h',
            '--warm-up=10m'),
    minutes('jun30 x0.25', 'worldcup98-jun30.csv', '--scale=0.25', '--warm-up=10m', long=True),
    minutes('may12-14', 'worldcup98-may12-14.csv', '--warm-up=10m', long=True),
    events('llm 2023', 'azure-llm-conv-2023.csv', '--warm-up=5m'),
    minutes('2019 c13a', AZURE_2019, '--function=c13a', '--durations=' + DURATIONS, COLD),
    minutes('2019 ae8a', AZURE_2019, '--function=ae8a', '--durations=' + DURATIONS, COLD),
    events('2021 all', AZURE_2021, COLD),
    events('2021 313c', AZURE_2021, '--function=313c', COLD),
]


def runs(args):
    for case in CASES:
        if args.only and args.only not in case['name'] or args.quick and case['long']:
            continue
        for dispersion in case['dispersions']:
            for start in STARTS:
                yield case, dispersion, start


def policies(args):
    listed = args.policy.split(',')
    if args.curve:
        setting, _, values = args.curve.partition('=')
        listed += [f'bellows:{setting}={value}' for value in values.split(',')]
    return listed


def simulate(args, case, dispersion, start):
    command = [args.bellows, 'simulate', '--json', f'--trace={TRACES / case["trace"]}', *case['flags'],
               f'--dispersion={dispersion}', f'--app=start={start},service=exponential(500ms)',
               f'--policy={",".join(policies(args))}', f'--seed={args.seed}',
               *(f'--set={setting}' for setting in args.set)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f'{" ".join(command)}\n{done.stderr}')
    return json.loads(done.stdout)


def unforced_cold_starts(outcome):
    """Cold starts without the first, which no policy can avoid."""
    return max(0, outcome['cold_starts'] - 1)


def lost(outcome):
    return outcome['arrivals'] - outcome['served']


def missed(outcome, knative, result, start):
    """The parts of the bar that a bellows policy misses."""
    wait, theirs = outcome['wait_seconds'], knative['wait_seconds']
    waste, their_waste = outcome['waste_replica_seconds'], knative['waste_replica_seconds']
    misses = []
    if wait['p99'] > theirs['p99'] or wait['p99.9'] > theirs['p99.9'] + 0.010:
        misses.append('wait')
    allowed = (0.95 if start == '20s' else 0.6) if result['mean_load'] > BUSY_LOAD else 1
    if waste > allowed * their_waste:
        misses.append('waste')
    is_sparse = result['mean_load'] < SPARSE_LOAD
    if is_sparse and 2 * unforced_cold_starts(outcome) > unforced_cold_starts(knative):
        misses.append('cold')
    if lost(outcome) > lost(knative):
        misses.append('lost')
    return ' '.join(misses) or 'ok'


def seconds(value):
    return '0' if value == 0 else f'{value * 1000:.0f} ms' if value < 1 else f'{value:.2f} s'


def row(head, outcome, knative, result, start):
    wait, waste = outcome['wait_seconds'], outcome['waste_replica_seconds']
    ratio, bar = '-', '-'
    if knative and knative is not outcome and knative['waste_replica_seconds'] > 0:
        ratio = f'{waste / knative["waste_replica_seconds"]:.2f}'
        if outcome['policy'].startswith('bellows'):
            bar = missed(outcome, knative, result, start)
    cells = [*head, outcome['policy'], seconds(wait['p99']), seconds(wait['p99.9']), seconds(wait['worst']),
             outcome['cold_starts'], lost(outcome), f'{outcome["replica_seconds"]:.0f}', f'{waste:.0f}', ratio, bar]
    return '| ' + ' | '.join(str(cell) for cell in cells) + ' |'


def print_case(case, dispersion, start, result):
    knative = next((p for p in result['policies'] if p['policy'] == 'knative'), None)
    head = [case['name'], start, dispersion, f'{result["mean_load"]:.2f}']
    for outcome in [*result['policies'], result['oracle']]:
        print(row(head, outcome, knative, result, start))
        head = ['', '', '', '']
    print(f'| | | | | *the load* | | | | | | {result["offered_replica_seconds"]:.0f} | 0 | | |', flush=True)


HEAD = ('| trace | start | dispersion | mean load | policy | p99 | p99.9 | worst | cold | lost | replica-s | waste '
        '| of knative\'s | bar |\n' + '|---' * 14 + '|')
BRIEF_HEAD = ('| trace | load | start | dispersion | p99 / p99.9: seed | knative | bellows | cold: knative | bellows '
              '| lost: seed / knative / bellows | waste, replica-s: knative | seed | bellows | oracle | bar |\n'
              + '|---' * 15 + '|')


def waits(outcome):
    return ' / '.join(seconds(outcome['wait_seconds'][p]) for p in ('p99', 'p99.9'))


def losses(outcomes):
    numbers = [lost(outcome) for outcome in outcomes]
    return ' / '.join(str(number) for number in numbers) if any(numbers) else '0'


def print_brief(case, dispersion, start, result):
    seed, knative, bellows = result['policies'][:3]
    share = [f'{o["waste_replica_seconds"] / knative["waste_replica_seconds"]:.2f}'
             for o in (seed, bellows, result['oracle'])]
    cells = [case['name'], f'{result["mean_load"]:.2f}', start, dispersion, waits(seed), waits(knative), waits(bellows),
             knative['cold_starts'], bellows['cold_starts'], losses((seed, knative, bellows)),
             f'{knative["waste_replica_seconds"]:.0f}', *share,
             missed(bellows, knative, result, start)]
    print('| ' + ' | '.join(str(cell) for cell in cells) + ' |', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--bellows', default=str(ROOT / 'build' / 'release' / 'bin' / 'bellows'))
    parser.add_argument('--policy', default='seed:target-utilization-percentage=90,knative,bellows')
    parser.add_argument('--only', help='cases whose name holds this')
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--curve', help='SETTING=VALUE,VALUE,...')
    parser.add_argument('--brief', action='store_true', help='one line a case; for the three policies it begins with')
    parser.add_argument('--set', action='append', default=[])
    parser.add_argument('--seed', default='1')
    parser.add_argument('--json', help='write all results there too')
    args = parser.parse_args()

    print(BRIEF_HEAD if args.brief else HEAD)
    results = []
    # Each run uses as many cores as it has policies; two concurrent runs keep the cores busy at the end of one.
    with concurrent.futures.ThreadPoolExecutor(max(1, min(2, os.cpu_count() or 1))) as pool:
        pending = [(run, pool.submit(simulate, args, *run)) for run in runs(args)]
        for run, future in pending:
            results.append({'case': run[0]['name'], 'start': run[2], **future.result()})
            (print_brief if args.brief else print_case)(*run, future.result())
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(results, indent=1) + '\n')


if __name__ == '__main__':
    main()
