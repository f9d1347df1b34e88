/// Any bytes as a simulated machine and as a trace: what is wrong ends in an Error of one line, never in a crash.
/// The first line are the words behind `sim:`; if it ends in ".toml" at its name, the rest of the bytes are that file.
/// If it is "trace", the rest is a trace of lackey. Right machines are made and accessed while they are
/// small: how much memory a configuration takes is its owner's to choose.
/// Source: K. Serebryany, "Continuous Fuzzing with libFuzzer and AddressSanitizer", SecDev 2016.
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "simulate/config.hpp"
#include "simulate/lackey.hpp"
#include "simulate/machine.hpp"

namespace {

using namespace tierscope;
using simulate::Machine;
using simulate::Section;

constexpr std::uint64_t MOST_CPUS = 8, MOST_BYTES = std::uint64_t{4} << 20U;
const char* const FILE_WORD = "made.toml";

/// A file of this process that goes with it.
class Made {
 public:
  Made() {
    std::string folder = (std::filesystem::temp_directory_path() / "tierscope-fuzz-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) std::abort();
    folder_ = folder;
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return (folder_ / FILE_WORD).string(); }

 private:
  std::filesystem::path folder_;
};

template <class Action>
void guarded(Action action) {
  try {
    action();
  } catch (const Error& error) {
    if (std::string_view(error.what()).empty()) std::abort();
  }
}

/// Return whether all sizes below `section` that its tables keep in memory are small.
bool is_small(const Section& section) {
  for (const auto* const list : {"cache", "tlb", "buffer"})
    for (const auto& one : section.sections(list)) {
      if (one.has("size") && one.bytes("size") > MOST_BYTES) return false;
      if (one.has("entries") && one.count("entries", 0, ~std::uint64_t{0}) > MOST_BYTES) return false;
    }
  if (section.has("ways") && section.count("ways", 0, ~std::uint64_t{0}) > MOST_CPUS) return false;
  return !section.has("behind") || is_small(section.section("behind"));
}

void make(const std::string& word) {
  const auto root = simulate::read_config(word);
  if (root.section("cpu").count("count", 1, ~std::uint64_t{0}) > MOST_CPUS || !is_small(root)) return;
  for (const auto& memory : root.sections("memory"))
    if (!is_small(memory)) return;
  Machine machine(word);
  simulate::Time at = 0;
  for (std::uint64_t i = 0; i < 16; ++i)
    at = machine.access(static_cast<unsigned>(i % machine.cpus()), i * 4160, simulate::Kind(i % 4), at);
  (void)machine.counters();
}

void trace(const std::string& text) {
  std::istringstream stream(text);
  simulate::Lackey lackey(stream);
  for (simulate::Traced traced; lackey.next(traced);)
    if (traced.size == 0) std::abort();
}

/// The words with the name of the file that the rest is written to.
std::string word_of(const std::string& words, const std::string& rest) {
  static const Made made;
  if (!words.starts_with(FILE_WORD)) return words;
  std::ofstream(made.path(), std::ios::binary) << rest;
  return made.path() + words.substr(std::string_view(FILE_WORD).size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto end = std::min(text.find('\n'), text.size());
  const std::string words = text.substr(0, end), rest = text.substr(std::min(end + 1, text.size()));
  if (words == "trace") {
    guarded([&] { trace(rest); });
  } else {
    guarded([&] { make(word_of(words, rest)); });
  }
  return 0;
}
