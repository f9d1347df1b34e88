"""`python -m tierscope.cli.reference [ROOT]`: write the reference pages and the manual page again."""

import sys
from pathlib import Path

from tierscope.cli import door
from tierscope.cli.reference import made

ROOT = Path(__file__).resolve().parents[4]


def main(words: list[str]) -> int:
    """Print the paths of the files that changed."""
    for path, text in made(Path(words[0]) if words else ROOT).items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            door.line(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
