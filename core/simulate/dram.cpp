/// `dram`: DDR channels with open rows, first come first served.
///
/// A read pays `latency` for the way to the controller and back. On its bank it pays `cas` if its row is open, `rcd` +
/// `cas` if none is, `rp` + `rcd` + `cas` if another one is; then `burst` of the channel's bus. Writes are accepted
/// into a queue of `writes` lines after `accept`. When it is full, half of it is written in one go, which turns the bus
/// round twice (`turnaround`). An address is row : bank : column : channel from above. The bank is combined with the
/// row's low bits by exclusive or, so that strides of a row's size do not meet in one bank.
///
/// Blind to: refresh, activation windows (tFAW), ranks, and a controller that reorders reads.
/// Source: B. Jacob, S. Ng, D. Wang, Memory Systems: Cache, DRAM, Disk, 2007; Z. Zhang, Z. Zhu, X. Zhang, A
/// Permutation-based Page Interleaving Scheme to Reduce Row-buffer Conflicts and Exploit Data Locality, MICRO, 2000.
#include <algorithm>
#include <bit>
#include <vector>

#include "base/registry.hpp"
#include "simulate/busy.hpp"
#include "simulate/memory.hpp"

namespace tierscope::simulate::dram {
namespace {

struct Timing {
  Time rcd, rp, cas, burst, turnaround;
};

struct Bank {
  std::uint64_t row = ~std::uint64_t{0};  // none
  Time ready = 0;
};

/// One channel: its banks, its bus, and the writes that wait.
class Channel {
 public:
  Channel(std::size_t banks, std::size_t queue) : banks_(banks), freed_(queue) {}
  Time read(std::uint64_t row, Time at, const Timing& timing) { return burst(row, at, timing, false); }
  /// Return when the queue had a place for it.
  Time write(std::uint64_t row, Time at, const Timing& timing) {
    const Time accepted = std::max(at, freed_[taken_++ % freed_.size()]);
    waiting_.push_back(row);
    if (waiting_.size() < freed_.size()) return accepted;
    const auto half = waiting_.begin() + static_cast<std::ptrdiff_t>((waiting_.size() + 1) / 2);
    for (auto w = waiting_.begin(); w != half; ++w)
      freed_[released_++ % freed_.size()] = burst(*w, accepted, timing, true);
    waiting_.erase(waiting_.begin(), half);
    return accepted;
  }
  std::uint64_t row_hits = 0, row_misses = 0, turns = 0;

 private:
  /// Return when the line has passed the bus. `row`: the number of a row over all banks.
  Time burst(std::uint64_t row, Time at, const Timing& timing, bool writes) {
    const auto number = row / banks_.size();
    auto& bank = banks_[(row ^ number) % banks_.size()];
    Time start = std::max(at, bank.ready);
    if (bank.row == number) {
      ++row_hits;
    } else {
      ++row_misses;
      start += timing.rcd + (bank.row == ~std::uint64_t{0} ? 0 : timing.rp);
    }
    bank.row = number;
    const Time turn = writes == writes_ ? 0 : timing.turnaround;
    turns += writes != writes_ ? 1 : 0;
    writes_ = writes;
    const Time done = bus_.take(start + timing.cas + turn, timing.burst) + timing.burst;
    bank.ready = std::max(start, done - timing.cas);
    return done;
  }
  std::vector<Bank> banks_;
  std::vector<std::uint64_t> waiting_;  // rows
  std::vector<Time> freed_;             // when the places of the queue became free, in that order
  std::size_t taken_ = 0, released_ = 0;
  Ports bus_{1};
  bool writes_ = false;
};

std::uint64_t power_of_two(const Section& section, const char* key, std::uint64_t value) {
  if (!std::has_single_bit(value)) section.refuse(key, std::to_string(value) + " is not a power of two");
  return value;
}

class Dram final : public Memory {
 public:
  Dram(const Section& section, std::uint64_t)
      : latency_(section.time("latency")),
        accept_(section.time("accept")),
        timing_{section.time("rcd"), section.time("rp"), section.time("cas"), section.time("burst"),
                section.time("turnaround", "7.5ns")},
        lines_(power_of_two(section, "row", section.bytes("row")) / LINE),
        channels_(section.count("channels", 1, 64),
                  Channel(banks_of(section), section.count("writes", 2, 4096, "32"))) {
    if (lines_ == 0) section.refuse("row", "is below a line of 64 B");
  }
  Time read(std::uint64_t address, Time at) override {
    ++reads_;
    return channel(address).read(row(address), at + latency_ / 2, timing_) + latency_ - latency_ / 2;
  }
  Time write(std::uint64_t address, Time at) override {
    ++writes_;
    return channel(address).write(row(address), at, timing_) + accept_;
  }
  void count(const std::string& prefix, Counters& counters) const override {
    counters[prefix + "reads"] += reads_;
    counters[prefix + "writes"] += writes_;
    for (const auto& channel : channels_) {
      counters[prefix + "row_hits"] += channel.row_hits;
      counters[prefix + "row_misses"] += channel.row_misses;
      counters[prefix + "turns"] += channel.turns;
    }
  }
  void reset_counters() override {
    reads_ = writes_ = 0;
    for (auto& channel : channels_) channel.row_hits = channel.row_misses = channel.turns = 0;
  }

 private:
  static std::size_t banks_of(const Section& section) {
    return power_of_two(section, "banks", section.count("banks", 1, 1024));
  }
  [[nodiscard]] Channel& channel(std::uint64_t address) { return channels_[address / LINE % channels_.size()]; }
  [[nodiscard]] std::uint64_t row(std::uint64_t address) const { return address / LINE / channels_.size() / lines_; }
  Time latency_, accept_;
  Timing timing_;
  std::uint64_t lines_;  // of a row
  std::vector<Channel> channels_;
  std::uint64_t reads_ = 0, writes_ = 0;
};

constexpr MemoryEntry entry{"dram", "DDR channels with open rows", &make_memory<Dram>};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::simulate::dram
