/// The banks of a DIMM's medium: parts of units that meet in one of them wait, and push each other out of the queue.
#include "simulate/banks.hpp"

#include <doctest/doctest.h>

#include "says.hpp"
#include "simulate/write_queue.hpp"
#include "simulate_made.hpp"

using namespace tierscope::simulate;
using tierscope::tests::counted;
using tierscope::tests::error_of;
using tierscope::tests::holds;
using tierscope::tests::memory_of;
using tierscope::tests::NS;

namespace {

constexpr std::uint64_t UNIT = 256, PAGE = 4096;

std::string dimm(const std::string& banks) {
  return "kind = \"dimm\"\naccept = \"90ns\"\n"
         "[[buffer]]\nsize = \"16KiB\"\nunit = \"256B\"\nlatency = \"130ns\"\n"
         "[[buffer]]\nsize = \"1MiB\"\nunit = \"4KiB\"\nlatency = \"170ns\"\nholds = \"addresses\"\n"
         "[queue]\nwpq = 8\nentries = 52\n"
         "[media]\nread = \"70ns\"\nwrite = \"110ns\"\ninterval = \"40ns\"\n" +
         banks;
}

const std::string BANKS = "banks = 16\nper_bank = 4\n";

/// Mean time of a store of `lines` lines, `stride` bytes after the one before it.
double store_ns(const std::string& banks, std::uint64_t stride, std::uint64_t lines) {
  const auto memory = memory_of(dimm(banks));
  Time at = 0, from = 0;
  constexpr std::uint64_t STORES = 4000;
  for (std::uint64_t store = 0; store < 2 * STORES; ++store) {
    if (store == STORES) from = at;
    for (std::uint64_t line = 0; line < lines; ++line)
      at = std::max(at, memory->write(store * stride + line * LINE, at) - 90 * NS);
  }
  return static_cast<double>(at - from) / NS / STORES;
}

}  // namespace

TEST_CASE("parts of units in one bank wait for the rest of each, and parts in all banks for the port alone") {
  CHECK(store_ns("", PAGE, 1) == doctest::Approx(110).epsilon(0.01));
  CHECK(store_ns(BANKS, PAGE, 1) == doctest::Approx(170 + 70 + 110).epsilon(0.01));
  // of two banks, one completes the first unit of each page, whose address is not known
  CHECK(store_ns(BANKS, PAGE / 2, 1) == doctest::Approx((170 + 70 + 110) / 2.0).epsilon(0.01));
  CHECK(store_ns(BANKS, UNIT, 1) == doctest::Approx(110).epsilon(0.01));
  CHECK(store_ns(BANKS, PAGE + UNIT, 1) == doctest::Approx(110).epsilon(0.01));
}

TEST_CASE("whole units of one bank go at the pace of the port") {
  CHECK(store_ns(BANKS, PAGE, 4) == doctest::Approx(110).epsilon(0.01));
}

TEST_CASE("a part whose unit is in the buffer does not wait for its bank") {
  const auto of = [](bool read) {
    const auto memory = memory_of(dimm(BANKS));
    Time at = 0;
    for (std::uint64_t unit = 0; unit < 60; ++unit)
      if (read) at = memory->read(unit * PAGE, at);
    const Time from = at;
    for (std::uint64_t unit = 0; unit < 60; ++unit) at = std::max(at, memory->write(unit * PAGE, at) - 90 * NS);
    return static_cast<double>(at - from) / NS;
  };
  CHECK(of(true) < 60 * 110);
  CHECK(of(false) > 40 * (170 + 70 + 110));
}

TEST_CASE("lines of more units than a bank may have in the queue leave as parts") {
  // a line of each unit, and again; four may wait, so none of six is ever whole
  const auto written = [](std::uint64_t units) {
    const auto memory = memory_of(dimm(BANKS));
    Time at = 0;
    for (std::uint64_t round = 0; round < 200; ++round)
      for (std::uint64_t line = 0; line < 4; ++line)
        for (std::uint64_t unit = 0; unit < units; ++unit)
          at = std::max(at, memory->write((round * units + unit) * PAGE + line * LINE, at) - 90 * NS);
    return static_cast<double>(at) / NS / static_cast<double>(200 * units);
  };
  CHECK(written(4) < 1.1 * 110);
  CHECK(written(6) > 3 * written(4));
}

TEST_CASE("the queue takes the oldest group of a bank, and counts those of each bank") {
  WriteQueue queue(6, {8, 15}, {2, 2});
  queue.add(0, 1);         // unit 0, bank 0
  queue.add(UNIT, 2);      // unit 1, bank 1
  queue.add(2 * UNIT, 3);  // unit 2, bank 0
  CHECK(queue.crowded(4 * UNIT));
  CHECK_FALSE(queue.crowded(3 * UNIT));
  CHECK_FALSE(queue.crowded(64));  // joins unit 0
  CHECK(queue.crowded(0));         // a second time: a new group
  CHECK(queue.take_beside(4 * UNIT).number == 0);
  CHECK_FALSE(queue.crowded(4 * UNIT));
  queue.add(4 * UNIT, 4);
  CHECK(queue.take_beside(6 * UNIT).number == 2);  // not the oldest of all
  CHECK(queue.oldest().number == 1);
  CHECK(queue.take().number == 1);
  CHECK(queue.take().number == 4);  // the place between them is skipped
  CHECK(queue.oldest().lines == 0);
}

TEST_CASE("a queue whose ring of groups is used up is full, though lines left from its middle") {
  WriteQueue queue(4, {8, 15}, {2, 1});
  queue.add(0, 0);  // stays the oldest
  int added = 0;
  for (std::uint64_t unit = 1; !queue.full(); unit += 2, ++added) {
    if (queue.crowded(unit * UNIT)) queue.take_beside(unit * UNIT);
    queue.add(unit * UNIT, 0);
    REQUIRE(added < 10);
  }
  CHECK(queue.take().number == 0);
  CHECK_FALSE(queue.full());
  CHECK(queue.oldest().number == static_cast<std::uint64_t>(2 * added - 1));
}

TEST_CASE("banks without a limit of their units are refused") {
  const auto error = error_of([] { (void)memory_of(dimm("banks = 16\n")); });
  CHECK_MESSAGE(holds(error, "media.per_bank"), error);
  CHECK(holds(error_of([] { (void)memory_of(dimm("banks = 0\nper_bank = 4\n")); }), "media.banks"));
}
