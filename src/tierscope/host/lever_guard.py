"""The process that puts the settings of a lever back when the run that wrote them ends; see `host.guard`.

python -m tierscope.host.lever_guard ROOT
"""

import sys
from pathlib import Path

from tierscope.host.guard import stand
from tierscope.host.levers_kept import KeptFiles

if __name__ == "__main__":
    sys.exit(stand(KeptFiles(Path(sys.argv[1]))))
