"""The tree keeps every rule that tools/layers.py knows."""

import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
sys.exit(subprocess.run([sys.executable, root / 'tools' / 'layers.py', root], check=False).returncode)
