/// The medium of a persistent-memory DIMM: which of its transfers wait.
#include <doctest/doctest.h>

#include "simulate_made.hpp"

using tierscope::tests::memory_of;
using tierscope::tests::NS;

TEST_CASE("a read that waits for a write begins by `overlap` before its end, another one does not") {
  const auto second_ends = [](const std::string& overlap) {
    const auto memory = memory_of(
        "kind = \"dimm\"\nsize = \"1GiB\"\naccept = \"10ns\"\n[media]\nread = \"50ns\"\ninterval = \"20ns\"\nwrite = "
        "\"100ns\"\n" +
        overlap + "[queue]\nentries = 0\nwpq = 8\n");
    memory->write(0, 0);
    const auto first = memory->read(1 << 20, 0);
    return std::pair{first, memory->read(2 << 20, 0)};
  };
  const auto plain = second_ends(""), early = second_ends("overlap = \"15ns\"\n");
  CHECK(plain.first == 150 * NS);
  CHECK(early.first == 135 * NS);
  CHECK(early.second == early.first + 20 * NS);
}
