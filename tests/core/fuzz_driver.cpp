/// Replaces libFuzzer if the compiler has none: the same words, the same entry, mutations by splitmix64.
/// Deterministic for a seed and a number of runs; without coverage it is blind to what a guided search would find.
///     fuzz_plan [-max_total_time=S] [-runs=N] [-seed=N] [-max_len=N] [other flags, ignored] [folders of seeds]
/// Source: B. P. Miller, L. Fredriksen, B. So, "An Empirical Study of the Reliability of UNIX Utilities", CACM 1990.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

struct Options {
  double seconds = 0;   // 0: no limit
  long long runs = -1;  // below 0: no limit
  std::uint64_t seed = 1;
  std::size_t longest = 4096;
  std::vector<std::string> folders;
};

class Mutator {
 public:
  Mutator(const std::vector<std::string>& seeds, const Options& options)
      : seeds_(seeds), longest_(options.longest), seed_(options.seed) {}

  /// Up to eight changes of one seed.
  std::string next() {
    std::string text = one_of_seeds();
    for (std::uint64_t changes = below(8) + 1; changes > 0; --changes) change(text);
    text.resize(std::min(text.size(), longest_));
    return text;
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return tierscope::random_word(seed_, drawn_++) % limit; }
  const std::string& one_of_seeds() { return seeds_[below(seeds_.size())]; }

  /// Another byte, a bit, a piece gone, a piece twice, a piece of another seed, a number of many digits.
  void change(std::string& text) {
    const auto at = below(text.size() + 1);
    const auto length = below(16) + 1;
    switch (below(6)) {
      case 0:
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 1:
        flip(text, at);
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      case 4:
        splice(text, at, length);
        break;
      default:
        text.insert(at, std::to_string(tierscope::random_word(seed_, drawn_++) >> below(64)));
        break;
    }
  }
  void flip(std::string& text, std::size_t at) {
    if (at < text.size()) text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ 1U << below(8));
  }
  void splice(std::string& text, std::size_t at, std::size_t length) {
    const auto& other = one_of_seeds();
    text.insert(at, other.substr(below(other.size() + 1), length * 4));
  }

  const std::vector<std::string>& seeds_;
  std::size_t longest_;
  std::uint64_t seed_, drawn_ = 0;
};

Options read_options(const std::vector<std::string>& words) {
  Options options;
  for (const auto& word : words) {
    const auto value = word.substr(std::min(word.find('=') + 1, word.size()));
    if (word.starts_with("-max_total_time="))
      options.seconds = std::stod(value);
    else if (word.starts_with("-runs="))
      options.runs = std::stoll(value);
    else if (word.starts_with("-seed="))
      options.seed = std::stoull(value);
    else if (word.starts_with("-max_len="))
      options.longest = std::stoull(value);
    else if (!word.starts_with('-'))
      options.folders.push_back(word);
  }
  return options;
}

std::vector<std::string> read_seeds(const std::vector<std::string>& folders) {
  std::vector<std::string> seeds{""};
  for (const auto& folder : folders)
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream file(entry.path(), std::ios::binary);
      seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
  return seeds;
}

void run_one(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = read_options({argv + 1, argv + argc});
  const auto seeds = read_seeds(options.folders);
  for (const auto& seed : seeds) run_one(seed);
  Mutator mutator(seeds, options);
  long long done = 0;
  const auto begin = std::chrono::steady_clock::now();
  const auto in_time = [&] {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return options.seconds <= 0 || passed.count() < options.seconds;
  };
  for (; (options.runs < 0 || done < options.runs) && in_time(); ++done) run_one(mutator.next());
  std::fprintf(stderr, "Done %lld runs on %zu seeds\n", done, seeds.size());
}
