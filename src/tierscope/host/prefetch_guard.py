"""The process that puts the prefetchers back when the run that switched them ends; see `host.guard`.

python -m tierscope.host.prefetch_guard ROOT
"""

import sys
from pathlib import Path

from tierscope.host.guard import stand
from tierscope.host.prefetchers import Registers

if __name__ == "__main__":
    sys.exit(stand(Registers(Path(sys.argv[1]))))
