/// Instructions as operations: what each waits for, and that cores may share them.
#include "simulate/operations.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <random>

#include "flow_made.hpp"
#include "folder.hpp"
#include "simulate/pipeline.hpp"

namespace flow = tierscope::simulate::flow;
using flow::Access;
using flow::Block;
using flow::Class;
using flow::Instruction;
using flow::Step;
using tierscope::simulate::Decoder;
using tierscope::simulate::Does;
using tierscope::simulate::Machine;
using tierscope::simulate::Operations;
using tierscope::simulate::Pipeline;
using tierscope::simulate::Placement;
using tierscope::tests::made;

namespace {

constexpr std::uint8_t A = 0, B = 1, C = 2, D = 3;

/// Return the operations of one run of a block.
Operations decoded(const Block& block, const std::vector<Access>& accesses) {
  Decoder decoder;
  Operations operations;
  decoder.decode(Step{0, &block, accesses, nullptr}, operations);
  return operations;
}

}  // namespace

TEST_CASE("an operation names the last writers of its registers by their distance, each once") {
  const auto found = decoded({made(Class::integer, {}, {}, {A}), made(Class::integer, {}, {}, {B}),
                              made(Class::integer, {}, {A, B, A}, {C}), made(Class::integer, {}, {D}, {D})},
                             {});
  REQUIRE(found.list.size() == 4);
  CHECK(found.list[2].sources == 2);
  CHECK(found.distances == std::vector<std::uint32_t>{2, 1});
  CHECK(found.list[3].sources == 0);  // nobody wrote D
}

TEST_CASE("an addition to memory is a load, an addition and a store, which wait for each other") {
  const auto found = decoded({made(Class::integer, {}, {}, {A}), made(Class::integer, {A}, {B}, {})},
                             {{64, 8, 1, false}, {64, 8, 1, true}});
  REQUIRE(found.list.size() == 4);
  CHECK(found.list[1].does == Does::load);
  CHECK(found.list[2].does == Does::compute);
  CHECK(found.list[3].does == Does::store);
  CHECK(found.distances == std::vector<std::uint32_t>{1, 1, 3, 1});  // load: A; sum: load; store: A, sum
  CHECK(found.list[1].begins);
  CHECK_FALSE(found.list[2].begins);
  CHECK_FALSE(found.list[2].ends);
  CHECK(found.list[3].ends);
}

TEST_CASE("a load of bytes that were stored names the store last") {
  const auto found =
      decoded({made(Class::move, {B}, {A}, {}), made(Class::nop, {}, {}, {}), made(Class::move, {B}, {}, {A})},
              {{64, 8, 0, true}, {64, 8, 2, false}});
  REQUIRE(found.list.size() == 3);
  CHECK(found.list[2].forwarded);
  CHECK(found.distances.back() == 2);
  CHECK_FALSE(decoded({made(Class::move, {B}, {A}, {}), made(Class::move, {B}, {}, {A})},
                      {{64, 8, 0, true}, {128, 8, 1, false}})
                  .list[1]
                  .forwarded);
}

TEST_CASE("cores of all sizes take operations that another decoder made, with the same times") {
  tierscope::tests::Folder folder;
  folder.write(
      "made.toml",
      "name = \"made\"\nsummary = \"\"\nsource = \"\"\n[cpu]\ncount = 1\nloads = 4\n[[cache]]\nname = \"L1d\"\n"
      "size = \"4KiB\"\nways = 8\nlatency = \"1ns\"\nprefetch = \"stride\"\n[memory.m]\nkind = \"flat\"\n"
      "size = \"1GiB\"\nread = \"100ns\"\nwrite = \"100ns\"\n");
  std::mt19937 draw(1995);
  const std::vector<Class> kinds{Class::integer, Class::move, Class::multiply, Class::branch, Class::fp_add};
  std::vector<Block> blocks(40);
  std::vector<std::vector<Access>> accesses(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b)
    for (std::uint16_t i = 0; i < 12; ++i) {
      const auto one = [&] { return static_cast<std::uint8_t>(draw() % 6); };
      blocks[b].push_back(made(kinds[draw() % kinds.size()], {one()}, {one(), one()}, {one()}));
      blocks[b].back().address = b * 256 + i * 8;
      blocks[b].back().length = 8;
      if (draw() % 20 == 0) blocks[b].back().flags = flow::ATOMIC;
      for (auto left = draw() % 3; left > 0; --left) accesses[b].push_back({draw() % 512 * 24, 8, i, draw() % 2 == 0});
    }
  for (const char* const size :
       {"core.reorder=8,core.store_buffer=2", "core.reorder=32,core.width=1",
        "core.reorder=512,core.width=8,cpu.loads=40", "core.reorder=96,core.wrong_path=1",
        "core.reorder=512,core.wrong_path=0.5", "core.wrong_path=0.5,core.fetch.size=1KiB,core.fetch.ahead=4"}) {
    Machine alone(folder.at("made.toml") + "," + size), together(folder.at("made.toml") + "," + size);
    Placement here(0), there(0);
    Pipeline own(alone, 0, here), other(together, 0, there);
    Decoder decoder;
    Operations operations;
    for (unsigned n = 0; n < 2000; ++n) {
      const auto b = draw() % blocks.size();
      const Step step{0, &blocks[b], accesses[b], nullptr};
      operations.clear();
      decoder.decode(step, operations);
      own.run(step);
      other.run(step, {operations.list, operations.distances.data()});
      REQUIRE(own.now() == other.now());
      REQUIRE(own.pending() == other.pending());
    }
    CHECK(own.drain() == other.drain());
    CHECK(own.work().forwarded == other.work().forwarded);
    CHECK(own.work().forwarded > 0);
    CHECK(alone.counters() == together.counters());
  }
}
