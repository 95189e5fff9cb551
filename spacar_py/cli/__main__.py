"""`python -m spacar_py.cli`."""

import sys

from . import main

sys.exit(main())
