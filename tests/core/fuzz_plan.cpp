/// Any bytes as a plan: words that are wrong end in an Error with one line that is JSON, never in a crash, and never
/// spoil the lines after them. A right plan is executed if it is small: memory, threads, time and pace of a
/// plan are its owner's to choose, file targets would leave this folder, and commands of a victim this program.
/// Source: K. Serebryany, "Continuous Fuzzing with libFuzzer and AddressSanitizer", SecDev 2016.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "base/error.hpp"
#include "cli/json.hpp"
#include "cli/session.hpp"
#include "team/topology.hpp"

namespace {

using namespace tierscope;

constexpr std::uint64_t MOST_BYTES = std::uint64_t{1} << 20U;
constexpr std::uint64_t MOST_CYCLES = 1000;
constexpr double MOST_SECONDS = 2e-4;
constexpr double MOST_BLOCKS = 1000;

void require(bool truth, const char* what) {
  if (truth) return;
  std::fprintf(stderr, "fuzz_plan: %s\n", what);
  std::abort();
}

/// One line, no control characters, whole UTF-8: what a reader of JSON lines relies on.
void require_line(const std::string& text) {
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(json::character(rest))) {
    require(static_cast<unsigned char>(rest.front()) >= 0x20, "a control character in an answer");
    require(json::character(rest) > 0, "an answer that is no UTF-8");
  }
}

bool is_small(const Words& words) {
  const auto bytes = [&](const std::string& key) { return words.contains(key) ? parse_bytes(key, words.at(key)) : 0; };
  GroupPlan plan;
  read_words(words, plan);
  return bytes("footprint") <= MOST_BYTES && bytes("skew") <= MOST_BYTES && plan.cpus.size() <= 4 &&
         plan.pace <= MOST_CYCLES && plan.target != "file" && !words.contains("command") && !words.contains("size");
}

bool is_short(const std::map<std::string, std::string>& words) {
  if (!words.contains("seconds") || !words.contains("block")) return false;  // a second long
  const auto seconds = parse_seconds("seconds", words.at("seconds"));
  const auto block = parse_seconds("block", words.at("block"));
  return seconds <= MOST_SECONDS && seconds <= block * MOST_BLOCKS;
}

/// Only lines that parse are asked for their size; the others go to the session, which must refuse them.
bool may_run(const std::string& text) {
  try {
    const auto line = parse_line(text);
    if (line.command == "measure") return is_short(line.words);
    if (line.command != "group" && line.command != "set") return true;
    auto words = line.words;
    words.erase("group");
    return is_small(words);
  } catch (const Error&) {
    return true;
  }
}

template <class Action>
void guarded(Action action) {
  try {
    action();
  } catch (const Error& error) {
    require_line(json::quoted(error.what()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Session session("", require_line);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    guarded([&] { topology::parse_list(line); });
    guarded([&] { parse_bytes("bytes", line); });
    guarded([&] { parse_seconds("seconds", line); });
    guarded([&] { parse_count("count", line); });
    if (may_run(line)) guarded([&] { session.execute(line); });
  }
  return 0;
}
