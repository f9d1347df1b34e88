#include "cli/trace.hpp"

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "cli/json.hpp"
#include "cli/trace_flow.hpp"
#include "simulate/lackey.hpp"
#include "simulate/program.hpp"
#include "simulate/thread.hpp"

namespace tierscope {
namespace {

using simulate::Kind;
using simulate::Touch;
using simulate::Traced;

/// The addresses of a program, mapped into one memory of a machine; only the lower 47 bits of each are used.
class Lines {
 public:
  Lines(const simulate::Machine& machine, const std::string& memory)
      : base_(std::uint64_t{machine.region(memory)} << simulate::MEMORY_BIT) {}
  /// Call visit(address of a line, whether it is stored to), in order. @pre no instruction
  template <class Visit>
  void each(const Traced& traced, const Visit& visit) const {
    simulate::each_program_line(base_, traced.address, traced.size, [&](auto line) {
      if (traced.what != Traced::What::store) visit(line, false);
      if (traced.what != Traced::What::load) visit(line, true);
    });
  }

 private:
  std::uint64_t base_;
};

/// A machine that a trace runs through.
class Run {
 public:
  explicit Run(const std::string& word)
      : place_(simulate::parse_place(word)), machine_(place_.machine), lines_(machine_, place_.memory) {}
  virtual ~Run() = default;
  virtual void take(const Traced& traced) = 0;
  /// Add the results to the fact, after the last access.
  virtual void tell(json::Object& fact) = 0;

 protected:
  simulate::Place place_;
  simulate::Machine machine_;
  Lines lines_;
};

/// Times as if no load waited for another, or as if each did.
class Timed final : public Run {
 public:
  Timed(const std::string& word, bool waits) : Run(word), thread_(machine_, 0), waits_(waits) {}
  void take(const Traced& traced) override {
    if (traced.what == Traced::What::instruction) return thread_.pause(machine_.limits().cycle);
    lines_.each(traced, [&](std::uint64_t address, bool store) {
      const auto access =
          store ? simulate::Access{address, Kind::store, false} : simulate::Access{address, Kind::load, waits_};
      thread_.run(access);
    });
  }
  void tell(json::Object& fact) override {
    const double seconds = static_cast<double>(thread_.drained()) / simulate::TICKS_PER_S;
    fact.add(waits_ ? "seconds_waiting" : "seconds_overlapped", seconds);
    if (waits_) fact.raw("counters", json::object(machine_.counters()));
  }

 private:
  simulate::Thread thread_;
  bool waits_;
};

/// Only counts.
class Counting final : public Run {
 public:
  using Run::Run;
  void take(const Traced& traced) override {
    if (traced.what == Traced::What::instruction) return;
    lines_.each(traced, [&](std::uint64_t address, bool store) {
      touches_.push_back(store ? simulate::store_of(address) : simulate::load_of(address));
    });
    if (touches_.size() >= LIST) pass();
  }
  void tell(json::Object& fact) override {
    pass();
    fact.raw("counters", json::object(machine_.counters()));
  }

 private:
  static constexpr std::size_t LIST = 4096;
  void pass() {
    machine_.touch(0, touches_);
    touches_.clear();
  }
  std::vector<Touch> touches_;
};

using Runs = std::vector<std::unique_ptr<Run>>;

Runs runs_of(const std::string& word, bool count) {
  const auto machine = simulate::machine_word(word);
  Runs runs;
  if (count) {
    runs.push_back(std::make_unique<Counting>(machine));
  } else {
    runs.push_back(std::make_unique<Timed>(machine, false));
    runs.push_back(std::make_unique<Timed>(machine, true));
  }
  return runs;
}

struct Tally {
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
  auto machines = words;
  const bool count = std::erase(machines, "--count") != 0, objects = std::erase(machines, "--objects") != 0;
  const bool warm_once = std::erase(machines, "--warm-once") != 0;
  const bool progress = std::erase(machines, "--progress") != 0;
  if (machines.empty()) throw BadPlan("trace needs a simulated machine, for example trace sim:optane100");
  if (from.peek() == 'T')
    return trace_flow(machines, {count, objects, warm_once, progress}, from, emit);  // no line of lackey begins with T
  if (objects) throw BadPlan("--objects needs a stream of tierscope-tracer; this trace does not state allocations");
  std::vector<Runs> all;
  for (const auto& word : machines) all.push_back(runs_of(word, count));
  simulate::Lackey lackey(from);
  Tally counted;
  for (Traced traced; lackey.next(traced);) {
    counted.take(traced);
    for (const auto& runs : all)
      for (const auto& run : runs) run->take(traced);
  }
  if (counted.loads + counted.stores == 0)
    throw BadPlan("the trace contains no load and no store; trace with `valgrind --tool=lackey --trace-mem=yes`");
  for (std::size_t w = 0; w < machines.size(); ++w) {
    json::Object fact;
    fact.add("fact", "traced").add("machine", machines[w]);
    fact.add("instructions", counted.instructions).add("loads", counted.loads).add("stores", counted.stores);
    for (const auto& run : all[w]) run->tell(fact);
    emit(fact.str());
  }
}

}  // namespace tierscope
