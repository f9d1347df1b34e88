/// Distinct lines between begin() and end(): of loads and stores in code compiled with -fsanitize=thread, whose calls
/// land in touched.cpp instead of the sanitizer's runtime, and of calls of libpmemobj that touch what they are given
/// (the linker's --wrap). Blind to code of other libraries, and to libpmemobj's own lanes, logs and bitmaps.
#pragma once
#include <cstddef>

namespace touched {

/// From now on only addresses in this range count.
void within(const void* first, const void* last);
void begin();
/// As if they were read.
void note(const void* at, std::size_t size_bytes);
/// How many distinct lines since begin().
std::size_t end();

}  // namespace touched
