/// Reads the steps of a chain as people write them, and writes them again.
#include <algorithm>
#include <sstream>

#include "base/error.hpp"
#include "bench/tasks/chain.hpp"

namespace tierscope {
namespace {

constexpr std::size_t MOST_STEPS = 32;
constexpr std::array<const char*, 8> FLUSHES{"flush", "clwb", "clflushopt", "clflush",
                                             "cvadp", "cvap", "cvac",       "civac"};

/// A step under work: its number from 1, and its text.
struct Written {
  std::size_t number;
  std::string text;
  [[noreturn]] void refuse(const std::string& why) const {
    throw BadPlan("chain: step " + std::to_string(number) + " '" + text + "' " + why);
  }
};

std::uint64_t bytes_of(const Written& step, const std::string& word) {
  std::uint64_t bytes = 0;
  try {
    bytes = parse_bytes("chain", word);
  } catch (const BadPlan&) {
    step.refuse("has '" + word + "' where its bytes belong; try 'read 64 a'");
  }
  if (bytes == 0 || bytes % kernels::LINE != 0 || bytes > kernels::chain::MOST)
    step.refuse("has " + word + " bytes, not a multiple of 64 up to 256KiB; try 64");
  return bytes;
}

void read_option(const Written& written, const std::string& word, ChainStep& step) {
  if (!step.writes) written.refuse("has '" + word + "' behind a read, which takes nothing; try '" + step.text() + "'");
  if (word == "nt" && !step.past) {
    step.past = true;
  } else if (std::ranges::find(FLUSHES, word) != FLUSHES.end()) {
    if (!step.flush.empty()) written.refuse("has two flushes; try '" + step.text() + "'");
    step.flush = word;
  } else {
    written.refuse("has '" + word +
                   "', which is not an option of a write; try nt, flush, or one of clwb, clflushopt, "
                   "clflush, cvadp, cvap, cvac, civac");
  }
}

ChainStep parse_step(const Written& written) {
  std::istringstream words(written.text);
  std::string act, bytes, memory;
  words >> act >> bytes >> memory;
  ChainStep step;
  step.writes = act == "write";
  if (act != "read" && act != "write")
    written.refuse(act.empty() ? "is empty; try 'read 64 a'" : "begins with '" + act + "'; try 'read 64 a'");
  if (bytes.empty()) written.refuse("has no bytes; try '" + act + " 64 a'");
  step.bytes = bytes_of(written, bytes);
  if (memory != "a" && memory != "b")
    written.refuse("has " + (memory.empty() ? "no memory" : "'" + memory + "' as its memory") +
                   "; a is the target, b the source: try '" + act + " " + bytes + " a'");
  step.memory = memory == "b" ? 1 : 0;
  for (std::string word; words >> word;) read_option(written, word, step);
  if (step.past && !step.flush.empty() && step.flush != "flush") {
    step.flush = "flush";
    written.refuse("flushes what nt leaves in no cache; try '" + step.text() + "', which adds the fence alone");
  }
  return step;
}

}  // namespace

std::string ChainStep::text() const {
  return std::string(writes ? "write " : "read ") + std::to_string(bytes) + (memory == 0 ? " a" : " b") +
         (past ? " nt" : "") + (flush.empty() ? "" : " " + flush);
}

std::vector<ChainStep> parse_chain(const std::string& text) {
  std::vector<ChainStep> steps;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    const auto first = text.find_first_not_of(' ', begin), last = text.find_last_not_of(' ', end == 0 ? 0 : end - 1);
    const bool empty = first >= end;
    steps.push_back(parse_step({steps.size() + 1, empty ? "" : text.substr(first, last - first + 1)}));
    begin = end + 1;
  }
  if (steps.size() > MOST_STEPS)
    throw BadPlan("chain: it has " + std::to_string(steps.size()) + " steps, more than " + std::to_string(MOST_STEPS) +
                  "; try fewer and larger ones");
  return steps;
}

std::string chain_text(const std::vector<ChainStep>& steps) {
  std::string text;
  for (const auto& step : steps) text += (text.empty() ? "" : ", ") + step.text();
  return text;
}

}  // namespace tierscope
