"""key=value words of the command line."""

from tierscope.errors import UsageError


def read_words(words: tuple[str, ...]) -> dict[str, str]:
    """Return the keys and values: ('a=1', 'b=2') -> {'a': '1', 'b': '2'}.

    Raises UsageError for another form or a key given twice.
    """
    read: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not key or not equals:
            raise UsageError(f"{word!r} is not of the form key=value, such as threads=1,2")
        if not word.isprintable():  # a result could not keep it
            raise UsageError(f"{word!r} contains characters that cannot be printed")
        if key in read:
            raise UsageError(f"{key}= is given twice")
        read[key] = value
    return read
