#include "cli/trace_flow.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "cli/json.hpp"
#include "simulate/flow.hpp"
#include "simulate/pipeline.hpp"
#include "simulate/placement.hpp"
#include "simulate/program.hpp"
#include "simulate/sampling.hpp"
#include "simulate/turns.hpp"

namespace tierscope {
namespace {

using simulate::Machine;
using simulate::flow::Step;

std::uint64_t base_of(const Machine& machine, const std::string& memory) {
  return std::uint64_t{machine.region(memory)} << simulate::MEMORY_BIT;
}

/// What a machine is asked for: its text behind `sim:`, without the part `objects=FILE`. The file names, a line each,
/// another machine and the objects that are in its memory.
struct Asked {
  std::string word, beside;
  std::set<std::string> moved;
};

constexpr std::string_view OBJECTS = ",objects=";

Asked asked_of(const std::string& word) {
  const auto at = word.find(OBJECTS);
  if (at == word.npos) return {word, "", {}};
  const auto path = word.substr(at + OBJECTS.size());
  std::ifstream file(path);
  Asked asked{word.substr(0, at), "", {}};
  if (!std::getline(file, asked.beside) || asked.beside.empty())
    throw BadPlan("objects=" + path + " cannot be read, or does not name a machine in its first line");
  for (std::string line; std::getline(file, line);) asked.moved.insert(line);
  return asked;
}

/// A machine that the stream runs through.
class FlowRun {
 public:
  explicit FlowRun(const Asked& asked)
      : place_(simulate::parse_place(asked.word)),
        machine_(place_.machine, asked.beside),
        base_(base_of(machine_, place_.memory)) {}
  virtual ~FlowRun() = default;
  /// Take objects into account, which are complete up to each step.
  virtual void follow(const simulate::Objects& objects) = 0;
  virtual void take(const Step& step) = 0;
  /// Add the results to the fact, after the last step.
  virtual void report(json::Object& fact) = 0;

 protected:
  [[nodiscard]] unsigned cpu_of(std::uint32_t thread) const { return thread % machine_.cpus(); }
  simulate::Place place_;
  Machine machine_;
  std::uint64_t base_;
};

class Pipelines final : public FlowRun {
  // before those that use them, since their types follow from their bodies
  auto clock() {
    return [this](auto thread) { return of(thread).next(); };
  }
  auto go() {
    return [this](const Step& step) { play(step); };
  }

 public:
  explicit Pipelines(const Asked& asked)
      : FlowRun(asked),
        placement_(base_, std::uint64_t{machine_.beside()} << simulate::MEMORY_BIT, asked.moved) {}
  void follow(const simulate::Objects& objects) override {
    objects_ = &objects;
    machine_.watch([this](std::uint64_t address, bool write) {
      if (warm_ == 0) placement_.request(objects_->at(address), write);
    });
  }
  void take(const Step& step) override {
    if (objects_ != nullptr) placement_.learn(*objects_);
    if (step.gap != nullptr) return leave(*step.gap);
    if (step.phase != nullptr) return mark(*step.phase);
    turns_.take(step, clock(), [this](auto thread, auto time) { of(thread).wait_until(time); }, go());
  }
  void report(json::Object& fact) override {
    turns_.finish(clock(), go());
    end_part();
    std::map<std::string, std::uint64_t> sum;
    for (const auto& [thread, one] : threads_) {
      const auto& work = one->work();
      sum["branches"] += work.branches;
      sum["wrong_guesses"] += work.wrong_guesses;
      sum["forwarded_loads"] += work.forwarded;
      sum["far_loads"] += work.far_loads;
    }
    const auto [seconds, deviation] = sampling_.estimate();
    fact.add("seconds", seconds).add("sampling_deviation_s", deviation).add("units", sampling_.units());
    fact.raw("parts", parts()).add("last_gap", sampling_.gap());
    fact.raw("knots", knots_list()).raw("phases", phases_list());
    if (objects_ != nullptr) fact.raw("objects", objects());
    fact.raw("core", json::object(sum)).raw("counters", json::object(machine_.counters()));
  }

 private:
  /// Return [gap before it, instructions, seconds] of each.
  [[nodiscard]] std::string parts() const {
    std::string list = "[";
    for (const auto& part : sampling_.parts()) {
      list += (list.size() == 1 ? "[" : ",[") + json::value(part.gap) + "," + json::value(part.instructions) + "," +
              json::value(part.seconds) + "]";
    }
    return list + "]";
  }
  void end_part() {
    sampling_.end(timed());
    in_part_ = last_knot_ = 0;
    if (objects_ == nullptr || sampling_.units() == uses_.size()) return;
    std::vector<simulate::Placement::Use> part;
    for (std::size_t o = 0; o < placement_.uses().size(); ++o) {
      const auto& now = placement_.uses()[o];
      const auto was = o < before_.size() ? before_[o] : simulate::Placement::Use{};
      part.push_back({now.wait - was.wait, now.reads - was.reads, now.writes - was.writes});
    }
    before_ = placement_.uses();
    uses_.push_back(std::move(part));
  }
  /// Return [number, seconds that wait for it, lines read, lines written], of the whole program, of each that is used.
  [[nodiscard]] std::string objects() const {
    std::string list = "[";
    for (std::size_t o = 0; o < placement_.uses().size(); ++o) {
      const auto all = [&](const auto& get) {
        return sampling_.whole([&](auto p) { return o < uses_[p].size() ? get(uses_[p][o]) : 0.0; });
      };
      const double wait = all([](const auto& use) { return static_cast<double>(use.wait) / simulate::TICKS_PER_S; });
      const double reads = all([](const auto& use) { return static_cast<double>(use.reads); });
      const double writes = all([](const auto& use) { return static_cast<double>(use.writes); });
      if (wait == 0 && reads == 0 && writes == 0) continue;
      list += (list.size() == 1 ? "[" : ",[") + json::value(o) + "," + json::value(wait) + "," + json::value(reads) +
              "," + json::value(writes) + "]";
    }
    return list + "]";
  }
  simulate::Pipeline& of(std::uint32_t thread) {
    auto& one = threads_[thread];
    if (!one) one = std::make_unique<simulate::Pipeline>(machine_, cpu_of(thread), placement_);
    return *one;
  }
  void play(const Step& step) {
    const auto instructions = step.block->size();
    ran_ += instructions;
    if (warm_ != 0) {
      sampling_.skip(instructions);
      warm_ -= std::min<std::uint64_t>(warm_, instructions);
      of(step.thread).warm(step);
      if (warm_ == 0) begin();
      return;
    }
    sampling_.count(instructions);
    of(step.thread).run(step);
    in_part_ += instructions;
    if (in_part_ - last_knot_ >= KNOT) knot(of(step.thread).now());
  }
  /// Note how far the part is, and its time up to here.
  void knot(simulate::Time now) {
    last_knot_ = in_part_;
    knots_.push_back({sampling_.units(), in_part_, static_cast<double>(now - from_) / simulate::TICKS_PER_S});
  }
  /// Begin a phase where the program said so.
  void mark(const simulate::flow::Phase& phase) {
    turns_.finish(clock(), go());
    if (warm_ == 0 && in_part_ != 0) knot(std::max(from_, latest()));
    phases_.push_back({phase.name, ran_ + phase.untraced});
  }
  [[nodiscard]] simulate::Time latest() const {
    simulate::Time latest = 0;
    for (const auto& [thread, one] : threads_) latest = std::max(latest, one->now());
    return latest;
  }
  /// Return [part, instructions in it, seconds of it so far] of each knot within a part.
  [[nodiscard]] std::string knots_list() const {
    std::string list = "[";
    for (const auto& [part, instructions, seconds] : knots_)
      list += (list.size() == 1 ? "[" : ",[") + json::value(part) + "," + json::value(instructions) + "," +
              json::value(seconds) + "]";
    return list + "]";
  }
  /// Return [name, instructions of the program before it] of each phase.
  [[nodiscard]] std::string phases_list() const {
    std::string list = "[";
    for (const auto& [name, at] : phases_)
      list += (list.size() == 1 ? "[" : ",[") + json::quoted(name) + "," + json::value(at) + "]";
    return list + "]";
  }
  simulate::Time end() {
    const auto pending = [](const auto& one) { return one.second->pending(); };
    while (threads_.size() > 1) {
      const auto first = std::ranges::min_element(threads_, {}, pending);
      if (pending(*first) == simulate::NEVER) break;
      first->second->advance();
    }
    simulate::Time latest = 0;
    for (const auto& [thread, one] : threads_) latest = std::max(latest, one->drain());
    return latest;
  }
  /// Return the seconds of this part: until its last thread has ended.
  double timed() { return static_cast<double>(end() - from_) / simulate::TICKS_PER_S; }
  /// Begin a part of all threads together.
  void begin() {
    from_ = end();
    for (const auto& [thread, one] : threads_) one->wait_until(from_);
  }
  void leave(const simulate::flow::Gap& gap) {
    turns_.finish(clock(), go());
    end_part();
    sampling_.skip(gap.instructions);
    ran_ += gap.instructions;
    warm_ = gap.warm;
    begin();
  }
  static constexpr std::uint64_t KNOT = 1'000'000;  // instructions
  struct Knot {
    std::uint64_t part, instructions;
    double seconds;
  };
  struct Marked {
    std::string name;
    std::uint64_t instructions;
  };
  std::vector<Knot> knots_;
  std::vector<Marked> phases_;
  std::uint64_t ran_ = 0, in_part_ = 0, last_knot_ = 0;  // instructions
  simulate::Placement placement_;
  const simulate::Objects* objects_ = nullptr;
  std::vector<simulate::Placement::Use> before_;             // at the end of the last part
  std::vector<std::vector<simulate::Placement::Use>> uses_;  // by part and object
  std::map<std::uint32_t, std::unique_ptr<simulate::Pipeline>> threads_;
  simulate::Turns turns_;
  simulate::Time from_ = 0;  // of the part that is timed
  simulate::Sampling sampling_;
  std::uint64_t warm_ = 0;  // instructions until the next part is timed
};

class Counts final : public FlowRun {
 public:
  using FlowRun::FlowRun;
  void follow(const simulate::Objects&) override {}
  void take(const Step& step) override {
    if (step.gap != nullptr || step.phase != nullptr) return;
    if (step.thread != thread_) pass();
    thread_ = step.thread;
    for (const auto& access : step.accesses)
      simulate::each_program_line(base_, access.address, access.bytes, [&](auto line) {
        touches_.push_back(access.store ? simulate::store_of(line) : simulate::load_of(line));
      });
    if (touches_.size() >= LIST) pass();
  }
  void report(json::Object& fact) override {
    pass();
    fact.raw("counters", json::object(machine_.counters()));
  }

 private:
  static constexpr std::size_t LIST = 4096;
  void pass() {
    machine_.touch(cpu_of(thread_), touches_);
    touches_.clear();
  }
  std::uint32_t thread_ = 0;
  std::vector<simulate::Touch> touches_;
};

std::unique_ptr<FlowRun> run_of(const std::string& word, bool count) {
  const auto asked = asked_of(simulate::machine_word(word));
  if (count) return std::make_unique<Counts>(asked);
  return std::make_unique<Pipelines>(asked);
}

struct FlowTally {
  std::uint64_t instructions = 0, untraced = 0, loads = 0, stores = 0;
  std::uint32_t threads = 0;
  void take(const Step& step) {
    if (step.gap != nullptr) {
      untraced += step.gap->instructions;
      return;
    }
    if (step.phase != nullptr) return;
    instructions += step.block->size();
    for (const auto& access : step.accesses) ++(access.store ? stores : loads);
    threads = std::max(threads, step.thread + 1);
  }
};

std::string list_of(const std::vector<std::string>& notes) {
  std::string list = "[";
  for (const auto& note : notes) list += (list.size() == 1 ? "" : ",") + json::quoted(note);
  return list + "]";
}

/// Return [name, most bytes at a time, allocations] of each object, by number.
std::string places_of(const simulate::Objects& objects) {
  std::string list = "[";
  for (const auto& one : objects.known())
    list += (list.size() == 1 ? "[" : ",[") + json::quoted(one.name) + "," + json::value(one.peak) + "," +
            json::value(one.allocations) + "]";
  return list + "]";
}

}  // namespace

void trace_flow(const std::vector<std::string>& machines, const Wanted& wanted, std::istream& from,
                const std::function<void(const std::string&)>& emit) {
  std::vector<std::unique_ptr<FlowRun>> runs;
  for (const auto& word : machines) runs.push_back(run_of(word, wanted.count));
  simulate::flow::Flow flow(from);
  if (wanted.objects) {
    flow.follow_objects();
    for (const auto& run : runs) run->follow(flow.objects());
  }
  FlowTally tally;
  for (Step step; flow.next(step);) {
    tally.take(step);
    for (const auto& run : runs) run->take(step);
  }
  if (tally.instructions == 0) throw BadPlan("the trace contains no instruction; the program ended before its first");
  for (std::size_t r = 0; r < runs.size(); ++r) {
    json::Object fact;
    fact.add("fact", "traced").add("machine", machines[r]);
    fact.add("instructions", tally.instructions).add("loads", tally.loads).add("stores", tally.stores);
    fact.add("untraced_instructions", tally.untraced);
    fact.add("threads", tally.threads).add("whole", flow.whole()).raw("notes", list_of(flow.notes()));
    if (wanted.objects) fact.raw("places", places_of(flow.objects()));
    runs[r]->report(fact);
    emit(fact.str());
  }
}

}  // namespace tierscope
