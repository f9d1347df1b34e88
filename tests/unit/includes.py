"""The standard header of each name, and the C++ files that use a name without it.

A header that another one brings by chance is missing with the next release of the C++ library: GCC 13 stopped bringing
<cstdint> with <string>, and the core no longer compiled there. A file may rely on what the project's own headers
include, since these are under the same check.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOMS = ("core", "tests/core")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
NO_CODE = re.compile(r'//.*|"(?:\\.|[^"\\\n])*"')


def _any(names: str, after: str = r"\b") -> re.Pattern[str]:
    return re.compile(rf"\bstd::(?:ranges::)?(?:{'|'.join(names.split())}){after}")


_CALL = r"\s*[(<]"
DECLARES = {
    "algorithm": _any("sort stable_sort max min clamp minmax max_element min_element find find_if any_of all_of "
                      "none_of copy copy_n fill fill_n shuffle transform count count_if equal lower_bound upper_bound "
                      "reverse rotate generate for_each nth_element unique is_sorted search mismatch", _CALL),
    "array": _any("array"),
    "atomic": _any(r"atomic atomic_ref memory_order\w* atomic_signal_fence atomic_thread_fence"),
    "bit": _any("bit_cast popcount has_single_bit countr_zero countl_zero bit_ceil bit_floor bit_width rotl rotr"),
    "cerrno": re.compile(r"\berrno\b"),
    "charconv": _any("from_chars to_chars"),
    "chrono": _any("chrono"),
    "cmath": _any("sqrt pow log log2 exp floor ceil isfinite isnan lround llround round abs fabs fmod", r"\s*\("),
    "concepts": _any("same_as integral floating_point convertible_to derived_from invocable unsigned_integral"),
    "csignal": _any("signal raise sig_atomic_t"),
    "cstddef": _any("byte max_align_t nullptr_t"),
    "cstdint": _any(r"u?int(?:_fast|_least)?(?:8|16|32|64|ptr|max)_t"),
    "cstdio": _any("printf fprintf snprintf FILE fopen fclose fread fwrite fflush puts fputs perror"),
    "cstdlib": _any("getenv strtoul strtoull strtol strtod malloc calloc aligned_alloc exit abort _Exit atexit"),
    "cstring": _any("memcpy memset memcmp memmove strcmp strlen strerror strncpy memchr strncmp"),
    "exception": _any("exception exception_ptr current_exception rethrow_exception terminate"),
    "filesystem": _any("filesystem"),
    "fstream": _any("ifstream ofstream fstream"),
    "functional": _any("function ref cref hash reference_wrapper"),
    "iostream": _any("cout cerr cin clog"),
    "iterator": _any("back_inserter istreambuf_iterator inserter make_move_iterator"),
    "limits": _any("numeric_limits"),
    "map": _any("map multimap"),
    "memory": _any("unique_ptr make_unique shared_ptr make_shared assume_aligned destroy_at construct_at"),
    "mutex": _any("mutex lock_guard unique_lock scoped_lock once_flag call_once"),
    "numeric": _any("accumulate iota gcd lcm reduce inner_product partial_sum"),
    "optional": _any("optional nullopt"),
    "random": _any(r"mt19937\w* uniform_\w+_distribution minstd_rand"),
    "set": _any("set multiset"),
    "span": _any("span"),
    "sstream": _any("istringstream ostringstream stringstream"),
    "stdexcept": _any("runtime_error invalid_argument out_of_range logic_error length_error"),
    "string": _any("string to_string stoul stoull stod getline"),
    "string_view": _any("string_view"),
    "system_error": _any("system_error error_code errc generic_category"),
    "thread": _any("thread jthread this_thread"),
    "tuple": _any("tuple tie make_tuple forward_as_tuple apply"),
    "unordered_map": _any("unordered_map"),
    "unordered_set": _any("unordered_set"),
    "utility": _any("move forward pair exchange swap make_pair as_const", _CALL),
    "variant": _any("variant visit get_if holds_alternative monostate"),
    "vector": _any("vector"),
}  # fmt: skip
"""Header -> the names that it declares, as far as the core uses them."""

ALSO = {
    "cerrno": ("errno.h",),
    "cstddef": ("array", "cstdio", "cstdlib", "cstring", "span", "string", "vector"),
    "exception": ("memory", "new", "stdexcept", "system_error"),
    "iterator": ("array", "map", "span", "string", "vector"),
    "string": ("filesystem", "sstream", "stdexcept"),
    "string_view": ("string",),
    "utility": ("functional", "map", "memory", "tuple"),
}
"""Headers whose own synopsis in the C++ standard needs the name as well."""


def missing_includes(root: Path) -> list[str]:
    """One line for each file and header: 'core/cli/selfcheck.hpp uses std::uint64_t without <cstdint>'."""
    sources = (path for room in ROOMS for path in sorted((root / room).rglob("*.[ch]pp")))
    return [line for path in sources for line in _missing(root, path)]


def _missing(root: Path, path: Path) -> Iterator[str]:
    text = NO_CODE.sub("", path.read_text())
    included = _reached(root, path)
    for header, names in DECLARES.items():
        used = names.search(text)
        if used and included.isdisjoint((header, *ALSO.get(header, ()))):
            yield f"{path.relative_to(root)} uses {used[0].rstrip('(< ')} without <{header}>"


@cache
def _reached(root: Path, path: Path) -> frozenset[str]:
    """The headers outside the project that `path` includes, itself or through headers of the project."""
    found: set[str] = set()
    for name in INCLUDE.findall(path.read_text()):
        places = (path.parent / name, *(root / room / name for room in ROOMS))
        own = next((place for place in places if place.is_file()), None)
        found |= _reached(root, own) if own else {name}
    return frozenset(found)
