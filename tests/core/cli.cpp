/// The border: JSON that any reader takes, and a session that continues after an error.
#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "base/syscall.hpp"
#include "cli/describe.hpp"
#include "cli/json.hpp"
#include "cli/names.hpp"
#include "cli/selfcheck.hpp"
#include "cli/session.hpp"
#include "folder.hpp"
#include "says.hpp"

using namespace tierscope;
using tests::error_of;
using tests::Folder;
using tests::holds;

namespace {

/// A session and its answers; `@` in a line stands for a CPU that may be used.
class Talk {
 public:
  explicit Talk(const std::string& samples = "")
      : session_(samples, [this](const std::string& line) { answers.push_back(line); }) {}
  std::string say(std::string line) {
    if (const auto at = line.find('@'); at != std::string::npos)
      line.replace(at, 1, std::to_string(sys::allowed_cpus().front()));
    return error_of([&] { session_.execute(line); });
  }
  void finish() { session_.finish(); }
  std::vector<std::string> answers;

 private:
  Session session_;
};

}  // namespace

TEST_CASE("text is quoted as RFC 8259 asks") {
  CHECK(json::quoted("a/b c") == "\"a/b c\"");
  CHECK(json::quoted("\"\\") == "\"\\\"\\\\\"");
  CHECK(json::quoted(std::string_view("\0\n\x1f", 3)) == "\"\\u0000\\u000a\\u001f\"");
  CHECK(json::quoted("\x7f") == "\"\x7f\"");
}

TEST_CASE("whole characters pass, and bytes that are not UTF-8 are replaced") {
  for (const std::string text : {"\u00e9", "\u20ac", "\U0001F600", "\ud7ff", "\uffff", "\U0010FFFF"}) {
    CHECK(json::character(text) == text.size());
    CHECK(json::quoted("a" + text + "b") == "\"a" + text + "b\"");
  }
  for (const std::string text : {"\x80", "\xff", "\xc0", "\xc1", "\xf5", "\xe9"}) {
    CHECK(json::character(text) == 0);
    CHECK(json::quoted("a" + text + "b") == "\"a\\ufffdb\"");
  }
  // over-long forms, a surrogate, above the last character, and a cut one
  for (const std::string text : {"\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xe2\x82"})
    CHECK(json::character(text) == 0);
}

TEST_CASE("numbers read back unchanged, and NaN and infinity are null") {
  CHECK(json::value(0.1) == "0.1");
  CHECK(json::value(1e300) == "1e+300");
  CHECK(json::value(std::numeric_limits<double>::infinity()) == "null");
  CHECK(json::value(std::numeric_limits<double>::quiet_NaN()) == "null");
  CHECK(json::value(~std::uint64_t{0}) == "18446744073709551615");
  CHECK(json::value(std::vector<double>{1, 2.5}) == "[1,2.5]");
  CHECK(json::value(std::vector<std::string>{}) == "[]");
  CHECK(json::Object().add("a", true).add("b", "x").raw("c", "[]").str() == R"({"a":true,"b":"x","c":[]})");
  CHECK(json::object(std::map<unsigned, int>{{4096, 1}}) == R"({"4096":1})");
}

TEST_CASE("a session greets, prepares, measures, checks and drops, one line each") {
  const Folder folder;
  Talk talk(folder.at("x.npy"));
  REQUIRE(talk.answers.size() == 1);
  CHECK(holds(talk.answers[0], R"({"fact":"hello","version":)"));
  CHECK(talk.say("group kernel=triad cpus=@ footprint=192KiB pages=4k").empty());
  CHECK(talk.answers.size() == 1);
  CHECK(talk.say("prepare").empty());
  CHECK(holds(talk.answers[1], R"({"fact":"prepared","groups":[{"kernel":"triad","isa":)"));
  CHECK(holds(talk.answers[1], R"("footprint_bytes":196608)"));
  CHECK(talk.say("measure seconds=2ms block=100us").empty());
  CHECK(holds(talk.answers[2], R"({"fact":"measured","batch":0,"first":0,"rows":)"));
  CHECK(talk.say("set group=0 kernel=copy").empty());
  CHECK(holds(talk.answers[3], R"({"fact":"set","group":{"kernel":"copy","isa":)"));
  CHECK(talk.say("measure seconds=2ms block=100us").empty());
  CHECK(holds(talk.answers[4], R"("batch":1,"first":)"));
  CHECK(talk.say("check").empty());
  CHECK(talk.answers[5] == R"({"fact":"checked","largest_relative_error":[0],"details":[""],"counters":{}})");
  CHECK(talk.say("drop").empty());
  CHECK(talk.answers[6] == R"({"fact":"dropped"})");
  CHECK(holds(talk.say("measure"), "BadPlan: measure without prepared groups"));
}

TEST_CASE("blocks that are not kept leave no rows") {
  const Folder folder;
  Talk talk(folder.at("x.npy"));
  talk.say("group kernel=noop target=null cpus=@");
  talk.say("prepare");
  CHECK(talk.say("measure seconds=2ms block=100us keep=0").empty());
  CHECK(folder.read("x.npy").size() == 384);
  CHECK(talk.say("measure seconds=2ms block=100us keep=1").empty());
  CHECK(folder.read("x.npy").size() > 384);
}

TEST_CASE("a command at the wrong time, or with the wrong keys, is refused") {
  Talk talk;
  const std::vector<std::pair<std::string, std::string>> refusals{
      {"fly", "unknown command 'fly' (known: check, count, counts, drop, group, measure, prepare, set, timings)"},
      {"prepare", "prepare without a group"},
      {"prepare now=1", "unknown key 'now' of prepare"},
      {"measure", "measure without prepared groups"},
      {"check", "check without prepared groups"},
      {"check all=1", "unknown key 'all' of check"},
      {"timings", "timings without prepared groups"},
      {"timings all=1", "unknown key 'all' of timings"},
      {"count events=cycles", "count without prepared groups"},
      {"count now=1", "unknown key 'now' of count"},
      {"counts", "counts without prepared groups"},
      {"counts all=1", "unknown key 'all' of counts"},
      {"drop all=1", "unknown key 'all' of drop"},
      {"set group=0 streams=2", "set names group 0; prepare it first"},
      {"set group=x", "group=x is not a whole number"},
      {"group kern=triad", "unknown key 'kern'"},
      {"measure speed=1", "unknown key 'speed' of measure"}};
  for (const auto& refusal : refusals) {
    CAPTURE(refusal.first);
    CHECK(holds(talk.say(refusal.first), "BadPlan: " + refusal.second));
  }
  CHECK(talk.answers.size() == 1);
}

TEST_CASE("a batch has bounds") {
  Talk talk;
  talk.say("group kernel=noop target=null cpus=@");
  talk.say("prepare");
  CHECK(holds(talk.say("measure seconds=0"), "seconds must be above 0"));
  CHECK(holds(talk.say("measure seconds=3601"), "at most 3600"));
  CHECK(holds(talk.say("measure seconds=1 block=999ns"), "block must be from 1us to seconds"));
  CHECK(holds(talk.say("measure seconds=1ms block=2ms"), "block must be from"));
  CHECK(holds(talk.say("measure seconds=3600 block=100us"), "over 4000000 blocks"));
  CHECK(holds(talk.say("measure seconds=1ms block=1ms keep=2"), "keep must be 0 or 1"));
  CHECK(holds(talk.say("measure seconds=1ms block=1ms keep=yes"), "keep=yes is not a whole number"));
}

TEST_CASE("a plan without measure is measured and checked at its end, and one with measure is not") {
  Talk talk;
  talk.finish();
  CHECK(talk.answers.size() == 1);
  talk.say("group kernel=noop target=null cpus=@");
  talk.finish();
  REQUIRE(talk.answers.size() == 4);
  CHECK(holds(talk.answers[3], "checked"));
  talk.finish();
  CHECK(talk.answers.size() == 4);
}

TEST_CASE("nothing of a plan with a wrong group is prepared, and a right plan after it is") {
  Talk talk;
  CHECK(talk.say("group kernel=noop target=null cpus=@").empty());
  CHECK(holds(talk.say("group kern=triad"), "BadPlan: unknown key 'kern'"));
  CHECK(holds(talk.say("prepare"), "BadPlan: a group of this prepare was refused"));
  CHECK(holds(talk.say("prepare"), "BadPlan: prepare without a group"));
  CHECK(talk.say("group kernel=noop target=null cpus=@").empty());
  CHECK(talk.say("prepare").empty());
}

TEST_CASE("a session continues after any error") {
  Talk talk;
  talk.say("group kernel=noop target=null cpus=@");
  talk.say("group kernel=noop target=null cpus=@");
  CHECK(talk.say("prepare").empty());
  CHECK(holds(talk.say("measure seconds=1ms block=100us"), "is in two groups"));
  CHECK(talk.say("measure seconds=1ms block=100us groups=1").empty());
  CHECK(holds(talk.say("prepare"), "prepare without a group"));
  talk.say("group kernel=noop target=null cpus=@");
  CHECK(talk.say("prepare").empty());
  CHECK(talk.say("check").empty());
}

TEST_CASE("the self-check judges every variant and accepts its arguments") {
  std::vector<std::string> lines;
  const auto emit = [&](const std::string& line) { lines.push_back(line); };
  CHECK(selfcheck({"triad", "scalar", 64, 2, 7}, emit) == 0);
  REQUIRE_FALSE(lines.empty());
  for (const auto& line : lines) CHECK(holds(line, R"("kernel":"triad","isa":"scalar")"));
  for (const auto& line : lines) CHECK(holds(line, R"("ok":true)"));
  CHECK(
      holds(error_of([&] { selfcheck({"none", "", 64, 1, 1}, emit); }), "BadPlan: nothing to check: no kernel 'none'"));
  CHECK(
      holds(error_of([&] { selfcheck({"triad", "", std::uint64_t{1} << 50U, 1, 1}, emit); }), "BadPlan: operations="));
}

TEST_CASE("the catalogue and the topology are one line") {
  for (const auto& text : {describe::catalogue(), describe::topology("/"), describe::topology("/no/such/tree")}) {
    CHECK(text.front() == '{');
    CHECK(text.back() == '}');
    CHECK_FALSE(holds(text, "\n"));
  }
}

TEST_CASE("a number outside of its enumeration has no name") {
  CHECK(std::string(describe::name_of(kernels::Store::libc)) == "libc");
  CHECK(std::string(describe::name_of(kernels::Flush::msync)) == "msync");
  CHECK(std::string(describe::name_of(kernels::Check::none)) == "none");
  CHECK(std::string(describe::name_of(kernels::Wait::processes)) == "processes");
  CHECK_THROWS_WITH_AS(describe::name_of(static_cast<kernels::Store>(77)), "77 is not a kind of store; report this",
                       std::logic_error);
  CHECK_THROWS_AS(describe::name_of(static_cast<kernels::Flush>(99)), std::logic_error);
}
