"""The queue-proxy holds no cluster code: one runs beside every replica, so it must stay small.

    links_test.py PROGRAM
"""

import subprocess
import sys

program = sys.argv[1]
symbols = subprocess.run(['nm', '--demangle', '--defined-only', program], capture_output=True, text=True, check=True)
names = [line.split(' ', 2)[2] for line in symbols.stdout.splitlines() if line.count(' ') >= 2]
ours = [name for name in names if 'bellows::' in name]
foreign = sorted(name for name in ours if 'bellows::cluster::' in name or 'YAML::' in name)

if not ours:
    sys.exit(f'{program}: no symbol of bellows found: stripped? This test reads symbols.')
for name in foreign[:10]:
    print(f'{program} holds {name}')
print(f'{len(ours)} symbols of ours, {len(foreign)} of them from cluster')
sys.exit(1 if foreign else 0)
