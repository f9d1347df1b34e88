/// The words and the file of a simulated machine: mistakes are reported with the file and the key, or the line.
#include "simulate/config.hpp"

#include <doctest/doctest.h>

#include <map>
#include <sstream>

#include "folder.hpp"
#include "says.hpp"
#include "simulate/lackey.hpp"
#include "simulate/machine.hpp"

using namespace tierscope::simulate;
using tierscope::tests::error_of;
using tierscope::tests::Folder;
using tierscope::tests::holds;

namespace {

const std::string HEAD = "name = \"made\"\nsummary = \"of a test\"\nsource = \"none\"\n";
const std::string CPU = "[cpu]\ncount = 4\n";
const std::string MEMORY =
    "[memory.near]\nkind = \"flat\"\nsize = \"1GiB\"\nread = \"80ns\"\nwrite = \"80ns\"\nbandwidth = \"10GB/s\"\n";
const std::string CACHE = "[[cache]]\nname = \"L1d\"\nsize = \"32KiB\"\nways = 8\nlatency = \"1ns\"\n";

/// Return the error of a machine of that file with those keys; "" if it is made.
std::string said(const std::string& text, const std::string& words = "") {
  const Folder folder;
  folder.write("made.toml", text);
  return error_of([&] { const Machine made(folder.at("made.toml") + words); });
}

void refused(const std::string& text, const std::string& part, const std::string& words = "") {
  const auto error = said(text, words);
  CAPTURE(words);
  CAPTURE(error);
  CHECK(error.starts_with("BadPlan"));
  CHECK(holds(error, "made.toml"));
  CHECK(holds(error, part));
}

}  // namespace

TEST_CASE("a small machine is made, and key=value arguments replace and add values") {
  const auto text = HEAD + CPU + CACHE + MEMORY;
  CHECK(said(text) == "");
  const Folder folder;
  folder.write("made.toml", text);
  const Machine made(folder.at("made.toml") +
                     ",cache.0.size=48KiB,cache.0.ways=12,cache.1.name=L2,cache.1.size=1MiB,cache.1.ways=16,"
                     "cache.1.latency=5ns,memory.near.read=200ns,memory.near.slots=1");
  REQUIRE(made.cache_facts().size() == 2);
  CHECK(made.cache_facts()[0].size == 48 * 1024);
  CHECK(made.cache_facts()[1].latency == 5000);
}

TEST_CASE("noise=N is short for noise.scale=N") {
  CHECK(said(HEAD + CPU + MEMORY + "[noise]\nscale = 0\n", ",noise=2") == "");
  refused(HEAD + CPU + MEMORY + "[noise]\nscale = 0\n", "noise.scale", ",noise=-1");
}

TEST_CASE("contradictions are refused by file and key") {
  const auto whole = HEAD + CPU + CACHE + MEMORY;
  for (const auto& [words, part] : std::map<std::string, std::string>{
           {",cache.0.ways=7", "cache.0.ways: 7 of 64-byte lines do not divide"},
           {",cache.0.latency=-1ns", "cache.0.latency: -1ns is negative"},
           {",cache.0.latency=soon", "cache.0.latency: 'soon' is not a time"},
           {",cache.0.size=large", "cache.0.size: 'large' is not a size"},
           {",cache.0.colour=red", "cache.0.colour: no such key"},
           {",cache.0.latenci=1ns", "known here; did you mean cache.0.latency?"},
           {",cache.0.inclusive=3", "cache.0.inclusive: is neither true nor false"},
           {",cache.0.shared=3", "cache.0.shared: 3 does not divide"},
           {",cache.0.size=16.0001KiB", "cache.0.size: '16.0001KiB' is not a whole number"},
           {",walk.base=5ns", "walk: is given, but no [[tlb]]"},
           {",cpu.count=0", "cpu.count: '0' is not a whole number"},
           {",cpu.count=2.5", "cpu.count: '2.5' is not a whole number"},
           {",cpu.issue=0ns", "cpu.issue: must be above 0"},
           {",pages.bytes=5000", "pages.bytes: is not a power of two"},
           {",memory.near.bandwidth=10GB", "memory.near.bandwidth: '10GB' is not a rate"},
           {",memory.near.kind=tape", "memory.near.kind: 'tape' is none of"},
           {",memory.near.size=1KiB", "memory.near.size: is below 1 MiB"},
           {",memory.near.persistence=always", "memory.near.persistence"},
           {",tlb.0.name=T,tlb.0.entries=64", "pages: is absent"},
           {",cache=5", "cache: is not a list of tables"},
           {",memory.near=5", "memory: contains something that is not a table"},
           {",seed=-1", "seed: '-1' is not a whole number"},
           {",summary.of=3", "summary"},
           {",cache.9.size=1KiB", "cache.9.size"},
           {",cache.one.size=1KiB", "cache.one.size"}})
    refused(whole, part, words);
}

TEST_CASE("a buffer's unit that is larger than the buffer is refused") {
  const std::string word = "optane100,memory.pmem.buffer.0.size=128";
  const auto error = error_of([&] { const Machine made(word); });
  CHECK_MESSAGE(holds(error, "optane100, memory.pmem.buffer.0.size"), error);
}

TEST_CASE("parts that contradict each other are refused") {
  const auto error = [](const std::string& word) { return error_of([&] { const Machine made(word); }); };
  CHECK(holds(error("optane100,memory.pmem.size=1MiB"), "memory.pmem.size: is below that of a buffer"));
  CHECK(holds(error("optane100,cache.2.size=704KiB,cache.2.inclusive=true"), "cache.2.inclusive: has 720896 bytes"));
  CHECK(holds(error("optane100,pages.bytes=64KiB"), "no TLB of this machine is for pages of 65536 bytes"));
  CHECK(holds(error("optane100,memory.x=5"), "memory"));
}

TEST_CASE("absent keys are named") {
  refused(HEAD + MEMORY, "cpu: is absent or not a table");
  refused(HEAD + CPU, "memory: there is no table [memory.NAME]");
  refused(CPU + MEMORY, "name: is absent");
  refused(HEAD + "cpu = 4\n" + MEMORY, "cpu: is absent or not a table");
  refused(HEAD + CPU + MEMORY + "[memory.far]\nkind = \"flat\"\nsize = \"1GiB\"\nread = \"1ns\"\nwrite = \"1ns\"\n",
          "default: is absent");
}

TEST_CASE("text that is not TOML is refused with its line") {
  refused(HEAD + "[cpu\ncount = 4\n", "line 4");
  refused(HEAD + "[cpu]\ncount = 4\ncount = 5\n", "line 6");
  refused("name = \"made\n", "line 1");
  refused(HEAD + CPU + MEMORY + "\xff\xfe", "line ");
  refused("name = \"made\"\n \xd2\x89 = 1\n", "line 2: a letter beyond ASCII");
  const tierscope::tests::Folder folder;
  folder.write("made.toml", "# \xce\xbc\n" + HEAD + CPU + MEMORY + "# \"\xce\xbc\n");
  CHECK(error_of([&] { const Machine made(folder.at("made.toml")); }).empty());
}

TEST_CASE("arguments without key=value, and machines that do not exist, are refused with right ones") {
  for (const auto& [word, part] :
       std::map<std::string, std::string>{{"flat,noise", "is not of the form key=value"},
                                          {"flat,=3", "is not of the form key=value"},
                                          {"flat,cpu.count=", "is not of the form key=value"},
                                          {"no-such", "a path that ends in .toml"},
                                          {"/no/such.toml", "/no/such.toml"},
                                          {"flat,a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q=1", "is not a key such as"}}) {
    const auto error = error_of([&words = word] { const Machine made(words); });
    CAPTURE(error);
    CHECK(error.starts_with("BadPlan"));
    CHECK(holds(error, part));
  }
}

TEST_CASE("a trace is read line by line, and a wrong line is refused with its number") {
  std::istringstream whole("==12== Lackey\nI  04016a80,3\n L 1ffefffe58,8\n S 10,4\n M 20,1\n");
  Lackey lackey(whole);
  Traced traced;
  std::vector<std::uint64_t> addresses;
  while (lackey.next(traced)) addresses.push_back(traced.address);
  CHECK(addresses == std::vector<std::uint64_t>{0x04016a80, 0x1ffefffe58, 0x10, 0x20});
  for (const std::string wrong : {" L 10\n", " L ,8\n", " L 10,0\n", " L 10,8x\n", " X 10,8\n", "L\n", " L 10,9999\n",
                                  " L 11112222333344445,8\n", " L ffffffffffffffff,8\n", " L 10,8"}) {
    std::istringstream text("I  0,1\n" + wrong);
    Lackey bad(text);
    REQUIRE(bad.next(traced));
    const auto error = error_of([&] { bad.next(traced); });
    CAPTURE(error);
    CHECK(holds(error, "line 2"));
  }
}

TEST_CASE("an endless line is refused before it fills the memory, and a failing stream is not an end") {
  std::istringstream endless(" L 1000,8\n" + std::string(1 << 20U, 'x'));
  Lackey lackey(endless);
  Traced traced;
  REQUIRE(lackey.next(traced));
  CHECK(holds(error_of([&] { lackey.next(traced); }), "line 2: 'xxx"));
  CHECK(endless.tellg() < 10'000);
  std::istringstream broken(" L 1000,8\n L 1000,8\n");
  Lackey other(broken);
  REQUIRE(other.next(traced));
  broken.setstate(std::ios::badbit);
  CHECK(holds(error_of([&] { other.next(traced); }), "read the trace after line 1"));
}

TEST_CASE("an argument with unprintable bytes is refused in printable text") {
  const std::string word("\0\0\1made.toml", 12);
  CHECK(holds(error_of([&] { read_config(word); }), "contains bytes that are not letters"));
}
