"""The same systems in other programs, timed in one run at equal error: `python -m benchmarks.peers`."""

import sys

sys.exudynFast = True  # Exudyn's module without range checks, to be asked for before its first import
