/// `cxl`: any memory behind a link. `link` is the latency each way, `bandwidth` the rate each way, `credits` the number
/// of requests that may be in flight. A request or an answer without data takes a 16 B slot of the link, one with data
/// 80 B, so that reads alone reach 80 % of `bandwidth`.
/// Source: Compute Express Link Specification, revision 1.1, 2019 (flits of four 16 B slots).
#include "base/random.hpp"
#include "base/registry.hpp"
#include "simulate/busy.hpp"
#include "simulate/interleave.hpp"
#include "simulate/memory.hpp"

namespace tierscope::simulate::cxl {
namespace {

constexpr double SLOT = 16;  // bytes

class Cxl final : public Memory {
 public:
  Cxl(const Section& section, std::uint64_t seed)
      : link_(section.time("link")),
        bare_(static_cast<Time>(SLOT * TICKS_PER_S / section.rate("bandwidth"))),
        data_(static_cast<Time>((SLOT + LINE) * TICKS_PER_S / section.rate("bandwidth"))),
        credits_(section.count("credits", 1, 65536)),
        behind_(make_memory_of(section.section("behind"), mixed(seed))) {}
  Time read(std::uint64_t address, Time at) override {
    const Time there = down_.take(credits_.wait(at), bare_) + link_;
    return back(behind_->read(address, there), data_);
  }
  Time write(std::uint64_t address, Time at) override {
    const Time there = down_.take(credits_.wait(at), data_) + link_;
    return back(behind_->write(address, there), bare_);
  }
  void count(const std::string& prefix, Counters& counters) const override { behind_->count(prefix, counters); }
  void reset_counters() override { behind_->reset_counters(); }
  [[nodiscard]] std::uint64_t reach() const override { return behind_->reach(); }
  [[nodiscard]] bool announced() const override { return behind_->announced(); }
  void announce(std::uint64_t address, unsigned step) const override { behind_->announce(address, step); }

 private:
  Time back(Time ready, Time length) {
    const Time done = up_.take(ready, length) + link_;
    credits_.hold(done);
    return done;
  }
  Time link_, bare_, data_;
  Places credits_;
  Ports down_{1}, up_{1};
  std::unique_ptr<Memory> behind_;
};

constexpr MemoryEntry entry{"cxl", "any memory behind a link with credits", &make_memory<Cxl>};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::simulate::cxl
