"""`python -m memory.worth.experiments N`: one experiment from the command line."""

import sys

from memory.worth.experiments.main import main

sys.exit(main(sys.argv[1:]))
