/// `flat`: a memory without structure. Every access takes the same time as long as one of its `slots` and its bus
/// (`bandwidth`) are free. A prober must find nothing on this target.
///
/// With a `spread` s, the read n takes (1 - s + s E_n) `read`, where E_n is exponential with a mean of 1: some time
/// that all reads take, and a wait, as for a bank. The mean is still `read`. A core that retires in order waits longer
/// then, since the slowest of the reads in its window decides. Source: L. Kleinrock, "Queueing Systems", volume 1, 1975
/// (waits behind others are nearly exponential).
#include <array>
#include <bit>
#include <cmath>

#include "base/random.hpp"
#include "base/registry.hpp"
#include "simulate/busy.hpp"
#include "simulate/memory.hpp"

namespace tierscope::simulate::flat {
namespace {

class Flat final : public Memory {
 public:
  Flat(const Section& section, std::uint64_t seed)
      : read_(section.time("read")),
        write_(section.time("write")),
        line_(static_cast<Time>(static_cast<double>(LINE) * TICKS_PER_S / section.rate("bandwidth", "1000GB/s"))),
        slots_(section.count("slots", 1, 65536, "1024")),
        seed_(seed) {
    const double spread = section.real("spread", 0, 1, "0");
    if (spread == 0) return;
    // the quantiles at the middles of equal shares; their mean is made exactly 1
    double sum = 0;
    for (std::size_t i = 0; i < SHARES; ++i) sum += quantile(i);
    for (std::size_t i = 0; i < SHARES; ++i) {
      const double factor = 1 - spread + spread * quantile(i) * SHARES / sum;
      latencies_[i] = static_cast<Time>(std::llround(static_cast<double>(read_) * factor));
    }
    spreads_ = true;
  }
  Time read(std::uint64_t, Time at) override {
    ++reads_;
    return serve(at, spreads_ ? latencies_[random_word(seed_, drawn_++) % SHARES] : read_);
  }
  Time write(std::uint64_t, Time at) override { return ++writes_, serve(at, write_); }
  void count(const std::string& prefix, Counters& counters) const override {
    counters[prefix + "reads"] += reads_;
    counters[prefix + "writes"] += writes_;
  }
  void reset_counters() override { reads_ = writes_ = 0; }

 private:
  static constexpr std::size_t SHARES = 1024;
  static double quantile(std::size_t share) { return -std::log((static_cast<double>(share) + 0.5) / SHARES); }
  Time serve(Time at, Time latency) {
    const Time done = bus_.take(slots_.wait(at), line_) + latency;
    slots_.hold(done);
    return done;
  }
  Time read_, write_, line_;
  Places slots_;
  Ports bus_{1};
  std::uint64_t seed_, drawn_ = 0;
  bool spreads_ = false;
  std::array<Time, SHARES> latencies_{};
  std::uint64_t reads_ = 0, writes_ = 0;
};

constexpr MemoryEntry entry{"flat", "no structure: the same time for every access", &make_memory<Flat>};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::simulate::flat
