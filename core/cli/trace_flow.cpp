#include "cli/trace_flow.hpp"

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "cli/flow_pipelines.hpp"
#include "cli/json.hpp"
#include "simulate/flow.hpp"
#include "simulate/guesses.hpp"
#include "simulate/program.hpp"

namespace tierscope {
namespace {

using simulate::flow::Step;

class Counts final : public FlowRun {
 public:
  using FlowRun::FlowRun;
  using FlowRun::take;
  void follow(const simulate::Objects&) override {}
  void take(const Step& step) override {
    if (step.block == nullptr) return;
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

std::unique_ptr<FlowRun> run_of(const std::string& word, const Wanted& wanted) {
  const auto asked = asked_of(simulate::machine_word(word));
  if (asked.cuts && wanted.objects) throw BadPlan("begin= leaves out times, which objects need");
  if (wanted.count) return std::make_unique<Counts>(asked);
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
    if (step.block == nullptr) return;
    instructions += step.block->size();
    for (const auto& access : step.accesses) ++(access.store ? stores : loads);
    threads = std::max(threads, step.thread + 1);
  }
};

std::string list_of(const std::vector<std::string>& notes) {
  return json::list(notes, +[](const std::string& note) { return json::quoted(note); });
}

/// Return [name, most bytes at a time, allocations] of each object, by number.
std::string places_of(const simulate::Objects& objects) {
  std::vector<std::string> rows;
  for (const auto& one : objects.known())
    rows.push_back(json::list({json::quoted(one.name), json::value(one.peak), json::value(one.allocations)}));
  return json::list(rows);
}

}  // namespace

void trace_flow(const std::vector<std::string>& machines, const Wanted& wanted, std::istream& from,
                const std::function<void(const std::string&)>& emit) {
  std::vector<std::unique_ptr<FlowRun>> runs;
  for (const auto& word : machines) {
    runs.push_back(run_of(word, wanted));
    for (std::size_t r = 0; wanted.warm_once && r + 1 < runs.size(); ++r) runs.back()->lean_on(*runs[r]);
  }
  simulate::flow::Flow flow(from);
  if (wanted.objects) {
    flow.follow_objects();
    for (const auto& run : runs) run->follow(flow.objects());
  }
  FlowTally tally;
  simulate::Guesses guesses;
  FlowBatches batches(wanted.objects ? 1 : FlowBatches::MANY);  // objects must be those at each step
  const auto deliver = [&](const SharedBatch& batch) {
    for (const auto& run : runs)
      if (batch != nullptr) run->take(batch);
  };
  for (Step step; flow.next(step);) {
    tally.take(step);
    if (step.block != nullptr && !wanted.count) {
      guesses.take(step);
      deliver(batches.add(step));
      continue;
    }
    deliver(batches.close());
    if (step.gap != nullptr) batches.warm(step.gap->warm);
    for (const auto& run : runs) run->take(step);
    if (wanted.progress && step.gap != nullptr)
      emit(json::Object()
               .add("fact", "timed")
               .add("seconds", runs[0]->seconds())
               .add("instructions", tally.instructions + tally.untraced)
               .add("threads", tally.threads)
               .str());
  }
  deliver(batches.close());
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
