"""The input files of cells, made again and always the same."""

import random
import subprocess
from pathlib import Path

NUMBERS, LINES = 400_000, 60_000


def made(folder: Path) -> dict[str, str]:
    """Return the path of each input file."""
    draw = random.Random(1995)
    (folder / "numbers").write_text("".join(f"{draw.randrange(10**9)}\n" for _ in range(NUMBERS)))
    word = [f"w{draw.randrange(5000)}" for _ in range(LINES * 8)]
    (folder / "text").write_text("".join(" ".join(word[i : i + 8]) + "\n" for i in range(0, len(word), 8)))
    compiler = subprocess.run(["gcc", "-print-prog-name=cc1"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {"{numbers}": str(folder / "numbers"), "{text}": str(folder / "text"), "{cc1}": compiler.strip(),
            "{source}": str(Path(__file__).with_name("kernels.c"))}  # fmt: skip
