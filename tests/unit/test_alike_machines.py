"""The order in which machines are shared out: those with the same caches are neighbours."""

from pathlib import Path

from tierscope.simulated.alike import by_caches


def test_cores_and_memories_do_not_separate_machines() -> None:
    words = [
        "sim:ddr5,core.width=4,cache.1.prefetch=stride",
        "sim:ddr5,core.width=4",
        "sim:ddr5,cache.1.prefetch=stride,core.width=6",
        "sim:ddr5,memory.dram.read=300ns",
        "sim:ddr5,cpu.loads=12,cache.1.prefetch=stride,queueing=false",
        "sim:cxl_dram",
    ]
    assert by_caches(words) == [0, 2, 4, 1, 3, 5]


def test_files_differ_by_what_is_not_their_memories(tmp_path: Path) -> None:
    names = [tmp_path / f"{number}.toml" for number in range(4)]
    for name, memories, size in zip(names, ("a", "b", "a", "c"), ("1MiB", "2MiB", "2MiB", "1MiB"), strict=True):
        name.write_text(f'memories = "{memories}"\n[[cache]]\nsize = "{size}"\n')
    words = [f"sim:{name}" for name in names]
    assert by_caches([*words, f"sim:{tmp_path}/absent.toml"]) == [0, 3, 1, 2, 4]
