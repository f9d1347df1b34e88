/// A stream contains the accesses of its kernel: the kernels' own code runs on an ISA that only
/// writes down addresses, and on real memory where a chase follows its pointers.
#include "bench/streams.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "bench/compare.hpp"
#include "bench/tasks/block.hpp"
#include "bench/tasks/line.hpp"
#include "bench/tasks/line_numbers.hpp"
#include "isa/isa.hpp"
#include "kernels/blocks.hpp"
#include "says.hpp"
#include "vector_headers.inc"

using namespace tierscope;
using simulate::Access;
using simulate::Kind;
using tests::error_of;
using tests::holds;

namespace {

constexpr std::uint64_t LINE = kernels::LINE;

struct Seen {
  std::uint64_t address;
  Kind kind;
  auto operator<=>(const Seen&) const = default;
};
std::vector<Seen> seen;

/// The index at an address of the group that is compared.
std::function<std::uint64_t(std::uint64_t element)> index_at;

/// One vector is one line; nothing is loaded, nothing is stored. A vector of indices is the address that it is loaded
/// from.
struct Recorder {
  using Reals = double;
  using Words = std::uint64_t;
  static constexpr std::size_t bytes = LINE;
  static constexpr bool reference = false, non_temporal = true;
  static void note(const std::byte* at, Kind kind) { seen.push_back({reinterpret_cast<std::uintptr_t>(at), kind}); }
  static Reals reals(const std::byte* from) {
    note(from, Kind::load);
    return 0;
  }
  static Words words(const std::byte* from) {
    note(from, Kind::load);
    return reinterpret_cast<std::uintptr_t>(from);
  }
  /// Both lines of a vector that is not aligned.
  static Reals reals_near(const std::byte* from) {
    const auto at = reinterpret_cast<std::uintptr_t>(from);
    seen.push_back({at / LINE * LINE, Kind::load});
    seen.push_back({at / LINE * LINE + LINE, Kind::load});
    return 0;
  }
  static void each_element(const std::byte* base, Words from, Kind kind) {
    for (std::uint64_t i = 0; i < kernels::ELEMENTS; ++i)
      seen.push_back({reinterpret_cast<std::uintptr_t>(base) + index_at(from + i * 8) * 8 / LINE * LINE, kind});
  }
  static Reals gather(const std::byte* base, Words from) {
    each_element(base, from, Kind::load);
    return 0;
  }
  static void scatter(std::byte* base, Words from, Reals) { each_element(base, from, Kind::store); }
  static Words multiply(Words a, Words b) { return a * b; }
  static Words exclusive_or(Words a, Words b) { return a ^ b; }
  static Words where_negative(Words, Words value) { return value; }
  static double sum(Reals a) { return a; }
  static void transpose(Reals (&)[LINE / 8]) {}
  static Reals broadcast(double value) { return value; }
  static Reals add(Reals a, Reals b) { return a + b; }
  static Reals multiply(Reals a, Reals b) { return a * b; }
  static Reals multiply_add(Reals a, Reals b, Reals c) { return a * b + c; }
  static Words zero() { return 0; }
  static Words add(Words a, Words b) { return a + b; }
  static std::uint64_t sum(Words a) { return a; }
  static void store(std::byte* to, Reals) { note(to, Kind::store); }
  static void store(std::byte* to, Words) { note(to, Kind::store); }
  static void store_nt(std::byte* to, Reals) { note(to, Kind::store_nt); }
  static void store_nt(std::byte* to, Words) { note(to, Kind::store_nt); }
  static void prefetch(const std::byte* at) { note(at, Kind::prefetch); }
  static void prefetch_write(const std::byte* at) { note(at, Kind::prefetch); }
};
static_assert(isa::Isa<Recorder>);

/// Accesses of one kind that follow one another have no order that a memory could show: sorted.
std::vector<Seen> in_runs(std::vector<Seen> list) {
  for (auto first = list.begin(); first != list.end();) {
    const auto last = std::find_if(first, list.end(), [&](const Seen& one) { return one.kind != first->kind; });
    std::sort(first, last);
    first = last;
  }
  return list;
}

GroupPlan plan_of(const std::string& words) {
  GroupPlan plan;
  read_words(parse_line("group cpus=0 target=sim:flat " + words).words, plan);
  return plan;
}

/// From its first operation on.
std::vector<Seen> told(Stream& stream, std::uint64_t operations) {
  std::vector<Access> accesses;
  stream.rewind();
  for (std::uint64_t made = 0; made < operations;) made += stream.next(1, accesses);
  std::vector<Seen> list;
  for (const auto& access : accesses) list.push_back({access.address, access.kind});
  return list;
}

constexpr std::array<std::uint64_t, kernels::OPERANDS> BASES{1U << 30U, 3U << 30U, 5ULL << 30U, 7ULL << 30U};
constexpr std::uint64_t CUT = 16384;  // operations over which a simulated walk spreads its streams

/// Lines of one or more whole operations, 8 at least: so a footprint of n times these has a multiple of n operations,
/// which the steps of all shapes divide.
template <class K>
constexpr std::uint64_t group_lines() {
  constexpr std::uint64_t LINES = K::info.lines();
  return (std::max<std::uint64_t>(8, LINES) + LINES - 1) / LINES * LINES;
}

/// Eight variants of the kernel on three streams, which a compiler takes longest for; two of the others.
template <class K>
constexpr unsigned STREAMS_OF = K::info.name == std::string_view("triad") ? 8 : 2;

using Walk = std::uint64_t (*)(kernels::Pass&) noexcept;

/// Compare one stream with the walk of one shape. Not a template, since a compiler would take most of its time for it.
void compare(Group& group, kernels::Shape shape, Walk walk) {
  const auto operations = group.operations;
  seen.clear();
  const Indices indices(group);
  index_at = [&](std::uint64_t address) {
    for (const auto base : BASES)
      if (address >= base && address < base + operations * LINE) return indices.at((address - base) / 8);
    return ~std::uint64_t{0};
  };
  auto& prefetch = group.plan.of<Lines>().prefetch;
  prefetch = shape.prefetch ? 512 : 0;
  group.variant.shape = shape;
  group.members[0].begin = 0;
  group.members[0].end = operations;
  kernels::Pass pass;
  for (std::size_t k = 0; k < kernels::OPERANDS; ++k) pass.operand[k] = reinterpret_cast<std::byte*>(BASES[k]);
  pass.prefetch = prefetch;
  const auto extent = extent_of(group);
  pass.row = extent.row;
  pass.plane = extent.plane;
  for (std::uint64_t at = 0; at < operations; at += CUT) {
    pass.begin = at;
    pass.end = std::min(at + CUT, operations);
    walk(pass);
  }
  const auto stream = make_stream(group, 0, BASES);
  CHECK(in_runs(told(*stream, operations)) == in_runs(seen));
  CHECK(stream->accesses() * operations ==
        std::uint64_t(std::ranges::count_if(seen, [](const Seen& one) { return one.kind != Kind::prefetch; })));
}

template <template <class, class> class Kernel, class STORE>
void compare(const std::string& kernel, std::uint64_t operations, kernels::Layout layout) {
  using K = Kernel<Recorder, STORE>;
  constexpr auto STREAMS = STREAMS_OF<K>;
  auto group = make_group(
      plan_of("kernel=" + kernel + " footprint=" + std::to_string(operations * group_lines<K>() * LINE) + "B"));
  operations = group.operations;  // fewer where matrices are whole
  if (layout.paged && operations % 256 > 0) return;
  const auto check = [&]<kernels::Shape SHAPE>() { compare(group, SHAPE, &kernels::walk<K, Recorder, SHAPE>); };
  if (layout.paged)
    check.template operator()<kernels::Shape{4, 1, true, false, false}>();
  else if (layout.streams == 2 && operations % (STREAMS * 2) == 0)
    check.template operator()<kernels::Shape{STREAMS, 2, false, K::loads, false}>();
  else
    check.template operator()<kernels::Shape{1, (K::info.lines() > 8) ? 1 : 4, false, false, false}>();
}

template <template <class, class> class Kernel, class STORE>
void compare_all(const std::string& kernel) {
  CAPTURE(kernel);
  if constexpr (!kernels::OwnPass<Kernel<Recorder, STORE>>)  // no loop over lines: compared on real memory below
    for (const std::uint64_t operations : {std::uint64_t{1024}, CUT, CUT + 1024})
      for (const kernels::Layout layout : {kernels::Layout{1, 4, false}, {2, 2, false}, {4, 1, true}})
        compare<Kernel, STORE>(kernel, operations, layout);
}

}  // namespace

namespace {
#include "vector_kernels.inc"
}  // namespace

TEST_CASE("kernels on vectors touch the lines of their descriptors, in their order") { compare_every_kernel(); }

TEST_CASE("random updates touch the words of their stream, and leave what HPCC's rules state") {
  for (const std::string kernel : {"gups", "gups_lcg"})
    for (const std::string footprint : {"64B", "64KiB", "1000KiB"}) {
      CAPTURE(kernel);
      CAPTURE(footprint);
      auto group = make_group(plan_of("kernel=" + kernel + " footprint=" + footprint));
      CHECK(std::has_single_bit(group.operations));  // a table of a power of two
      std::vector<CacheLine> table(group.operations);
      const std::span<std::byte> memory{table.front().bytes, table.size() * LINE};
      place(group, memory, {});
      fill(group, 0, memory);
      const auto* const words = reinterpret_cast<const std::uint64_t*>(memory.data());
      std::vector<std::uint64_t> expected(table.size() * kernels::ELEMENTS);
      for (std::uint64_t i = 0; i < expected.size(); ++i) expected[i] = i;
      CHECK(std::equal(expected.begin(), expected.end(), words));  // t[i] = i
      auto& member = group.members[0];
      member.pass.end = member.end;
      member.pass.repeats = 3;
      std::array<std::uint64_t, kernels::ELEMENTS> parts;
      const auto& draws = *group.entry->info->draws;
      draws.parts(draws.start(0), parts.data());
      std::vector<Seen> wanted;
      for (std::uint64_t n = 0; n < 3 * group.operations; ++n) {
        draws.next(parts.data());
        for (const auto word : parts) {
          const auto at = draws.element(word, expected.size());
          expected[at] ^= word;
          for (const auto kind : {Kind::load, Kind::store}) wanted.push_back({BASES[0] + at * 8 / LINE * LINE, kind});
        }
      }
      CHECK(told(*make_stream(group, 0, BASES), 3 * group.operations) == wanted);
      group.variant.function(member.pass);
      member.done = 3 * group.operations;
      CHECK(std::equal(expected.begin(), expected.end(), words));
      CHECK(verify(group, 0) == 0);
      table.front().bytes[0] ^= std::byte{1};  // a lost update
      for (auto& line : table) line.bytes[8] ^= std::byte{1};
      CHECK(verify(group, 0) == WRONG);
    }
}

TEST_CASE("HPCC's first sequence is a shift register of a known polynomial, and its starts are steps of it") {
  const auto& draws = *make_group(plan_of("kernel=gups footprint=64B")).entry->info->draws;
  CHECK(draws.start(0) == 1);
  std::array<std::uint64_t, kernels::ELEMENTS> words{};
  words[0] = 0x8000000000000001U;
  draws.next(words.data());
  CHECK(words[0] == (2U ^ 7U));  // the highest bit fell out: 7
  CHECK(draws.element(0x1234567, 256) == 0x67);
}

TEST_CASE("a chase follows its pointers in the order of its stream") {
  for (const std::string words : {"element=64", "element=4160", "element=64 locality=1KiB",
                                  "element=64 locality=1KiB order=sequential", "element=256"}) {
    CAPTURE(words);
    auto group = make_group(plan_of("kernel=chase footprint=256KiB " + words));
    std::vector<std::byte> memory(group.footprint());
    place(group, memory, {});
    fill(group, 0, memory);
    const auto base = reinterpret_cast<std::uintptr_t>(memory.data());
    auto at = group.members[0].pass.cursor;
    for (const auto& one : told(*make_stream(group, 0, {base}), 2 * group.operations)) {
      REQUIRE(one.address == at);
      CHECK(one.kind == Kind::load);
      at = *reinterpret_cast<const std::uint64_t*>(at);
    }
  }
}

TEST_CASE("blocks are taken in the order of the kernels, stored, flushed and fenced as they do") {
  for (const std::string words : {"order=sequential", "order=random", "order=once locality=1KiB fence=region"}) {
    CAPTURE(words);
    const auto group = make_group(plan_of("kernel=flush_clwb footprint=64KiB element=256 access=128 " + words));
    kernels::Pass pass;
    pass.operand[0] = reinterpret_cast<std::byte*>(BASES[0]);
    pass.element = 256;
    pass.end = pass.nodes = group.operations;
    pass.order = order_of(group);
    pass.region = region_of(group, group.members[0]);
    pass.state = first_draw(group, 0);
    std::vector<Seen> expected;
    kernels::blocks::walk(
        pass,
        [&](std::byte* block) {
          const auto at = reinterpret_cast<std::uintptr_t>(block);
          for (const auto kind : {Kind::store, Kind::clwb})
            for (std::uint64_t off = 0; off < 128; off += LINE) expected.push_back({at + off, kind});
          if (fence_of(group) == kernels::Fence::chunk) expected.push_back({0, Kind::sfence});
        },
        [&] {
          if (fence_of(group) == kernels::Fence::region) expected.push_back({0, Kind::mfence});
        });
    CHECK(told(*make_stream(group, 0, BASES), group.operations) == expected);
  }
}

TEST_CASE("after its last operation a stream begins again, and after a rewind too") {
  const auto group = make_group(plan_of("kernel=copy footprint=128KiB"));
  const auto made = make_stream(group, 0, BASES);
  auto& stream = *made;
  const auto once = told(stream, group.operations);
  const auto twice = told(stream, 2 * group.operations);
  CHECK(std::equal(once.begin(), once.end(), twice.begin() + static_cast<std::ptrdiff_t>(once.size())));
  std::vector<Access> some;
  stream.next(7, some);
  CHECK(told(stream, group.operations) == once);
}

TEST_CASE("accesses that a library, microcode or another thread decides have no simulated form") {
  for (const std::string words : {"memcpy footprint=64KiB", "rep_movsb footprint=64KiB",
                                  "memset_blocks footprint=64KiB", "noop", "flush_msync footprint=64KiB"}) {
    CAPTURE(words);
    const auto group = make_group(plan_of("kernel=" + words));
    CHECK(holds(error_of([&] { make_stream(group, 0, BASES); }), "has no simulated form"));
  }
}
