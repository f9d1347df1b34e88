#include "cli/trace.hpp"

#include "base/error.hpp"
#include "cli/json.hpp"
#include "simulate/lackey.hpp"
#include "simulate/thread.hpp"

namespace tierscope {
namespace {

using simulate::Kind;
using simulate::Traced;

/// One machine, run as if no load waited for another, or as if each did.
class Run {
 public:
  Run(const std::string& word, bool waits)
      : place_(simulate::parse_place(word)), machine_(place_.machine), thread_(machine_, 0), waits_(waits) {
    const auto region = machine_.region(place_.memory);
    base_ = std::uint64_t{region} << simulate::MEMORY_BIT;
    mask_ = (std::uint64_t{1} << (simulate::MEMORY_BIT - 2)) - 1;  // below the page tables
  }
  void take(const Traced& traced) {
    if (traced.what == Traced::What::instruction) {
      thread_.pause(machine_.limits().cycle);
      return;
    }
    const auto first = traced.address / simulate::LINE, last = (traced.address + traced.size - 1) / simulate::LINE;
    for (auto line = first; line <= last; ++line) {
      const auto address = base_ + (line * simulate::LINE & mask_);
      if (traced.what != Traced::What::store) execute({address, Kind::load, waits_});
      if (traced.what != Traced::What::load) execute({address, Kind::store, false});
    }
  }
  [[nodiscard]] double seconds() const { return static_cast<double>(thread_.drained()) / simulate::TICKS_PER_S; }
  [[nodiscard]] simulate::Machine& machine() { return machine_; }

 private:
  void execute(const simulate::Access& access) { thread_.execute(access, thread_.ready(access)); }
  simulate::Place place_;
  simulate::Machine machine_;
  simulate::Thread thread_;
  bool waits_;
  std::uint64_t base_ = 0, mask_ = 0;
};

struct Counted {
  std::uint64_t instructions = 0, loads = 0, stores = 0;
  void take(const Traced& traced) {
    instructions += traced.what == Traced::What::instruction ? 1 : 0;
    loads += traced.what == Traced::What::load || traced.what == Traced::What::modify ? 1 : 0;
    stores += traced.what == Traced::What::store || traced.what == Traced::What::modify ? 1 : 0;
  }
};

}  // namespace

void trace(const std::vector<std::string>& words, std::istream& from,
           const std::function<void(const std::string&)>& emit) {
  if (words.empty()) throw BadPlan("trace needs a simulated machine, for example trace sim:optane100");
  std::vector<std::unique_ptr<Run>> overlapped, waiting;
  for (const auto& word : words) {
    if (!word.starts_with("sim:")) throw BadPlan("'" + word + "' is no simulated machine; write sim:PRESET");
    overlapped.push_back(std::make_unique<Run>(word.substr(4), false));
    waiting.push_back(std::make_unique<Run>(word.substr(4), true));
  }
  simulate::Lackey lackey(from);
  Counted counted;
  for (Traced traced; lackey.next(traced);) {
    counted.take(traced);
    for (const auto& run : overlapped) run->take(traced);
    for (const auto& run : waiting) run->take(traced);
  }
  if (counted.loads + counted.stores == 0)
    throw BadPlan("the trace holds no load and no store; trace with `valgrind --tool=lackey --trace-mem=yes`");
  for (std::size_t w = 0; w < words.size(); ++w)
    emit(json::Object()
             .add("fact", "traced")
             .add("machine", words[w])
             .add("instructions", counted.instructions)
             .add("loads", counted.loads)
             .add("stores", counted.stores)
             .add("seconds_overlapped", overlapped[w]->seconds())
             .add("seconds_waiting", waiting[w]->seconds())
             .raw("counters", json::object(waiting[w]->machine().counters()))
             .str());
}

}  // namespace tierscope
