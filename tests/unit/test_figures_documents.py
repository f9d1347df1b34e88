"""The figure of claims: one line for each claim that has a number here."""

from pathlib import Path

import msgspec

from made_documents import document_run, with_options
from tierscope.draw import figures
from tierscope.tables import tables


def test_each_claim_with_a_number_is_drawn_with_the_published_range(tmp_path: Path) -> None:
    run = document_run(tmp_path)
    rows = tables["claims"].rows(run)
    spec = figures["claims"].draw(run, rows, [])
    assert spec is not None
    drawn = {one["claim"]: one for one in spec["data"]["values"]}
    assert set(drawn) == {row.says for row in rows if row.value}
    assert len(drawn) < len(rows)
    flush = next(row for row in rows if row.claim == "clflush_slower")
    point = drawn[flush.says]
    assert point["low"] < point["here"] < point["high"]
    assert point["published_low"] < point["published_high"]
    assert point["holds"] == "yes"
    assert f"{len(rows) - len(drawn)} of {len(rows)} points have no number" in spec["usermeta"]["tierscope"]["notes"][0]


def test_a_run_without_numbers_has_no_figure_and_a_replaced_tier_has_a_note(tmp_path: Path) -> None:
    run = with_options(document_run(tmp_path))
    rows = tables["claims"].rows(run)
    absent = [msgspec.structs.replace(row, value=None) for row in rows]
    assert figures["claims"].draw(run, absent, []) is None
    replaced = [msgspec.structs.replace(row, stand_in="x is a file in the page cache") for row in rows]
    spec = figures["claims"].draw(run, replaced, [])
    assert spec is not None
    assert "x is a file in the page cache" in " ".join(spec["usermeta"]["tierscope"]["notes"])
