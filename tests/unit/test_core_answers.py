"""What the core answers is read strictly: damage ends as a CoreError that says what to do."""

import pytest

from tierscope.core.ask import read
from tierscope.errors import CoreError
from tierscope.record.catalogue import Catalogue


@pytest.mark.parametrize(
    "answer",
    [b"", b"{", b"[]", b'{"x": ' + 100_000 * b"[", b'{"x": "\xff"}'],
    ids=["empty", "cut", "another", "nested", "not UTF-8"],
)
def test_a_damaged_answer_is_an_error_of_the_core(answer: bytes) -> None:
    with pytest.raises(CoreError, match="install both from one version"):
        read(answer, Catalogue)
