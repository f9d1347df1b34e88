/// `flat`: a memory without structure. Every access takes the same time as long as one of its `slots` and its bus
/// (`bandwidth`) are free. A prober must find nothing on this target.
#include "base/registry.hpp"
#include "simulate/busy.hpp"
#include "simulate/memory.hpp"

namespace tierscope::simulate::flat {
namespace {

class Flat final : public Memory {
 public:
  Flat(const Section& section, std::uint64_t)
      : read_(section.time("read")),
        write_(section.time("write")),
        line_(static_cast<Time>(static_cast<double>(LINE) * TICKS_PER_S / section.rate("bandwidth", "1000GB/s"))),
        slots_(section.count("slots", 1, 65536, "1024")) {}
  Time read(std::uint64_t, Time at) override { return ++reads_, serve(at, read_); }
  Time write(std::uint64_t, Time at) override { return ++writes_, serve(at, write_); }
  void count(const std::string& prefix, Counters& counters) const override {
    counters[prefix + "reads"] += reads_;
    counters[prefix + "writes"] += writes_;
  }
  void reset_counters() override { reads_ = writes_ = 0; }

 private:
  Time serve(Time at, Time latency) {
    const Time done = bus_.take(slots_.wait(at), line_) + latency;
    slots_.hold(done);
    return done;
  }
  Time read_, write_, line_;
  Places slots_;
  Ports bus_{1};
  std::uint64_t reads_ = 0, writes_ = 0;
};

constexpr MemoryEntry entry{"flat", "no structure: the same time for every access", &make_memory<Flat>};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::simulate::flat
