/// `emu`: a slower tier, emulated on plain memory of a node, `emu:node=0,latency=350ns,bandwidth=8GB/s`. The memory is
/// that of `node`. The bench adds a floor under each dependent access and a ceiling over the bytes of all threads
/// (bench/throttle.hpp). It is for demonstrations, and for tests whose answer is known.
/// Blind to: all other differences between real slow memory and slow plain memory. It has no queues that grow under
/// load, no grain larger than a line, no difference between the speed of reads and writes, no bandwidth that falls with
/// threads.
/// Source: J. Yang et al., "An Empirical Guide to the Behavior and Use of Scalable Persistent Memory", FAST 2020, for
/// how far tiers emulated on DRAM were from the real one.
#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/registry.hpp"
#include "targets/target.hpp"

namespace tierscope::targets::emu {
namespace {

constexpr const char* FORM = "write emu:node=0,latency=350ns,bandwidth=8GB/s; node= and one of the others may be left";
constexpr double LEAST_READS = 4;   // reads of the clock in a floor: waiting ends half a read late on average
constexpr double LEAST_STEPS = 4;   // steps of it: a wait is up to one of them too long
constexpr double LONGEST_S = 1e-3;  // of an access: a block cannot be interrupted
constexpr double SLOWEST = 1e6;     // bytes/s: 64 ms for 64 KiB, during which no clock is read
constexpr double FASTEST = 1e13;    // bytes/s: above any memory of one machine
constexpr std::string_view PER_S = "/s";

/// Split "a=1,b=2" into keys and values. @throws BadPlan for a key without a value or twice
std::map<std::string, std::string> words_of(const std::string& where) {
  std::map<std::string, std::string> words;
  std::istringstream parts(where);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto equals = part.find('=');
    if (equals == std::string::npos || equals + 1 == part.size())
      throw BadPlan("'" + part + "' of target emu:" + where + " is not of the form key=value; " + FORM);
    if (!words.emplace(part.substr(0, equals), part.substr(equals + 1)).second)
      throw BadPlan("key '" + part.substr(0, equals) + "' twice in target emu:" + where);
  }
  return words;
}

double floor_of(const std::string& word) {
  const double floor = quantity::seconds("latency", word);
  const double reads = LEAST_READS * Clock::get().read_cost(), steps = LEAST_STEPS / Clock::get().hz();
  const double least = std::max(reads, steps);
  if (floor >= least && floor <= LONGEST_S) return floor;
  const bool bare = word.find_first_not_of("0123456789.eE+-") == std::string::npos;  // quantity::seconds: in seconds
  std::ostringstream text;
  text << "latency=" << word << (bare ? " means " + word + " s" : " is out of range") << "; allowed: " << least * 1e9
       << " ns (" << (reads > steps ? LEAST_READS : LEAST_STEPS) << (reads > steps ? " reads" : " steps")
       << " of this clock) to 1 ms; "
       << (bare ? "write latency=" + word + "ns" : "below about 250 ns, the memory's own latency shows");
  throw BadPlan(text.str());
}

double ceiling_of(const std::string& word) {
  if (!word.ends_with(PER_S)) throw BadPlan("bandwidth=" + word + " is not a rate; write one such as 8GB/s");
  const double ceiling = quantity::bytes("bandwidth", word.substr(0, word.size() - PER_S.size()));
  if (ceiling < SLOWEST || ceiling > FASTEST)
    throw BadPlan("bandwidth=" + word + " is out of range; allowed: 1MB/s to 10TB/s");
  return ceiling;
}

class EmuTarget final : public Target {
 public:
  explicit EmuTarget(const TargetOptions& options) {
    auto words = words_of(options.where);
    const auto take = [&words](const char* key) {
      const auto found = words.extract(key);
      return found.empty() ? std::string() : found.mapped();
    };
    const auto node = take("node"), latency = take("latency"), bandwidth = take("bandwidth");
    if (!words.empty())
      throw BadPlan("unknown key '" + words.begin()->first + "' of target emu (known: bandwidth, latency, node)");
    if (latency.empty() && bandwidth.empty())
      throw BadPlan("target emu:" + options.where + " emulates nothing; " + FORM);
    if (!latency.empty()) emulation_.latency_floor_s = floor_of(latency);
    if (!bandwidth.empty()) emulation_.bandwidth = ceiling_of(bandwidth);
    node_ = node.empty() ? "0" : node;
    memory_ = Registry<TargetEntry>::find("target", "node").make({node_, options.pages});
    emulation_.node = static_cast<unsigned>(std::stoul(node_));  // the target of a node has read the number
  }

  [[nodiscard]] Buffer map(std::size_t size_bytes) const override { return memory_->map(size_bytes); }
  [[nodiscard]] Placement inspect(const Buffer& buffer) const override { return memory_->inspect(buffer); }
  [[nodiscard]] const char* origin() const override { return "emulated"; }
  [[nodiscard]] std::string origin_by() const override {
    std::ostringstream text;
    text << "DRAM of node " << node_;
    if (emulation_.latency_floor_s > 0) text << ", floor " << emulation_.latency_floor_s * 1e9 << " ns";
    if (emulation_.bandwidth > 0) text << ", ceiling " << emulation_.bandwidth / 1e9 << " GB/s";
    return text.str();
  }
  [[nodiscard]] Emulation emulation() const override { return emulation_; }

 private:
  std::string node_;
  Emulation emulation_;
  std::unique_ptr<Target> memory_;
};

constexpr TargetEntry entry{"emu", "a node's memory made slower: a latency floor, a bandwidth ceiling",
                            "emu:node=N,latency=T,bandwidth=R", &make_target<EmuTarget>};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::targets::emu
