/// A simulated machine with a core for each thread of a traced program: its time, by parts, objects and phases.
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cli/flow_clock.hpp"
#include "cli/flow_knots.hpp"
#include "cli/flow_run.hpp"
#include "simulate/pipeline.hpp"
#include "simulate/placement.hpp"
#include "simulate/sampling.hpp"
#include "simulate/turns.hpp"

namespace tierscope {

class Pipelines final : public FlowRun {
  struct Turn {
    SharedBatch batch;
    std::size_t number = 0;
    [[nodiscard]] const simulate::flow::Step& step() const { return batch->steps()[number]; }
  };
  // before those that use them, since their types follow from their bodies
  auto clock() {
    return [this](auto thread) { return of(thread).next(); };
  }
  auto go() {
    return [this](const Turn& turn) { play(turn.step(), turn.batch->operations(turn.number)); };
  }
  using Step = simulate::flow::Step;

 public:
  explicit Pipelines(const FlowAsked& asked)
      : FlowRun(asked),
        placement_(base_, std::uint64_t{machine_.beside()} << simulate::MEMORY_BIT, asked.moved),
        moved_(!asked.moved.empty()),
        clock_(static_cast<double>(machine_.keep()) / simulate::TICKS_PER_S,
               static_cast<double>(machine_.limits().cycle) / simulate::TICKS_PER_S),
        cuts_(asked.cuts),
        knots_(asked.knot) {
    machine_.run_to(0, 0);
  }
  void lean_on(const FlowRun& earlier) override {
    const auto* other = dynamic_cast<const Pipelines*>(&earlier);
    if (warmer_ == nullptr && other != nullptr && other->warmer_ == nullptr && !moved_ && !other->moved_ &&
        base_ == other->base_ && machine_.caches_like(other->machine_))
      warmer_ = other;
  }
  void follow(const simulate::Objects& objects) override {
    objects_ = &objects;
    machine_.watch([this](std::uint64_t address, bool write) {
      if (warm_ == 0) placement_.request(objects_->at(address), write);
    });
  }
  void take(const simulate::flow::Step& step) override {
    if (objects_ != nullptr) placement_.learn(*objects_);
    if (step.gap != nullptr) leave(*step.gap);
    if (step.phase != nullptr) mark(*step.phase);
    if (step.lines) use(step);
  }
  void take(const SharedBatch& batch) override {
    if (objects_ != nullptr) placement_.learn(*objects_);
    if (!batch->timed() || cut_) return warm(*batch, 0);
    const auto wait = [this](auto thread, auto time) {
      auto& pipeline = of(thread);
      const auto now = std::max(pipeline.next(), from_);
      if (time > now) waited_[thread] += time - now;
      pipeline.wait_until(time);
    };
    const auto& steps = batch->steps();
    for (std::size_t s = 0; s < steps.size(); ++s) {
      if (!turns_.leaves(steps[s])) {
        turns_.take(Turn{batch, s}, clock(), wait, go());
        continue;
      }
      play(steps[s], batch->operations(s));
      if (cuts()) return cut(*batch, s + 1);
    }
  }
  [[nodiscard]] double seconds() const override { return sampling_.estimate().seconds; }
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
    fact.add("busy_s", sampling_.whole([&](auto p) { return busy_[p]; }));
    fact.raw("parts", parts()).add("last_gap", sampling_.gap());
    fact.raw("knots", knots_.list()).raw("phases", phases_list());
    fact.raw("cut", json::list(cut_parts_, +[](const std::uint64_t& part) { return json::value(part); }));
    if (seen_ != 0) fact.raw("in_doubt", in_doubt());
    if (objects_ != nullptr) fact.raw("objects", objects());
    fact.raw("core", json::object(sum)).raw("counters", json::object(machine_.counters()));
  }

 private:
  static constexpr std::uint64_t LONG = 4096;  // instructions that show a rate
  /// Return [gap before it, instructions, seconds] of each.
  [[nodiscard]] std::string parts() const {
    return json::list(
        sampling_.parts(), +[](const simulate::Sampling::Part& one) {
          return json::list({json::value(one.gap), json::value(one.instructions), json::value(one.seconds)});
        });
  }
  void end_part() { end_part(timed()); }
  void end_part(double seconds) {
    tie();
    sampling_.end(seconds);
    if (in_part_ >= LONG) clock_.rate(seconds / static_cast<double>(in_part_));
    if (sampling_.units() != busy_.size()) busy_.push_back(busy());
    waited_.clear();
    in_part_ = 0;
    knots_.begin_part();
    if (sampling_.units() != doubts_.size()) {
      const auto now = machine_.doubts(), was = doubts_before_;
      doubts_.push_back({now.reads - was.reads, now.cold - was.cold, now.gone - was.gone});
    }
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
  /// Return [lines read from memory, those in doubt, hits in doubt] of the whole program (simulate/doubts.hpp).
  [[nodiscard]] std::string in_doubt() const {
    const auto all = [&](auto what) {
      return json::value(sampling_.whole([&](auto p) { return static_cast<double>(doubts_[p].*what); }));
    };
    using Counts = simulate::Doubts::Counts;
    return "[" + all(&Counts::reads) + "," + all(&Counts::cold) + "," + all(&Counts::gone) + "]";
  }
  /// Return [number, seconds that wait for it, lines read, lines written], of the whole program, of each that is used.
  [[nodiscard]] std::string objects() const {
    std::vector<std::string> rows;
    for (std::size_t o = 0; o < placement_.uses().size(); ++o) {
      const auto all = [&](const auto& get) {
        return sampling_.whole([&](auto p) { return o < uses_[p].size() ? get(uses_[p][o]) : 0.0; });
      };
      const double wait = all([](const auto& use) { return static_cast<double>(use.wait) / simulate::TICKS_PER_S; });
      const double reads = all([](const auto& use) { return static_cast<double>(use.reads); });
      const double writes = all([](const auto& use) { return static_cast<double>(use.writes); });
      if (wait == 0 && reads == 0 && writes == 0) continue;
      rows.push_back(json::list({json::value(o), json::value(wait), json::value(reads), json::value(writes)}));
    }
    return json::list(rows);
  }
  simulate::Pipeline& of(std::uint32_t thread) {
    if (last_ != nullptr && thread == last_thread_) return *last_;
    auto& one = threads_[thread];
    if (!one) one = std::make_unique<simulate::Pipeline>(machine_, cpu_of(thread), placement_);
    last_thread_ = thread;
    last_ = one.get();
    return *one;
  }
  /// Count instructions whose lines are in the trace.
  void run(std::uint64_t instructions) {
    ran_ += instructions;
    age(instructions);
  }
  /// Let the lines of the last cache become older by instructions.
  void age(std::uint64_t instructions) {
    if (!clock_.on() || !clock_.run(instructions)) return;
    if (in_part_ >= LONG) clock_.rate(since(std::max(from_, latest())) / static_cast<double>(in_part_));
    machine_.run_to(clock_.ran(), clock_.oldest());
  }
  /// Run a step that is timed.
  void play(const Step& step, const simulate::OperationsOf& operations) {
    const auto instructions = step.block->size();
    auto& pipeline = of(step.thread);
    run(instructions);
    sampling_.count(instructions);
    pipeline.run(step, operations);
    in_part_ += instructions;
    if (!knots_.due(in_part_)) return;
    tie();
    knots_.pass(in_part_);
    pipeline.mark();
    loose_ = {&pipeline, in_part_};
  }
  /// Warm the caches in the order of the trace, which is the same for all machines, by the steps of a batch from this
  /// one on. If another machine does it, take over what its caches contain after the last step.
  void warm(const FlowBatch& batch, std::size_t first) {
    const auto steps = std::span(batch.steps()).subspan(first);
    auto instructions = batch.instructions();
    for (const auto& step : std::span(batch.steps()).first(first)) instructions -= step.block->size();
    for (const auto& [thread, step] : batch.last()) turns_.know(step);
    if (warmer_ != nullptr) {
      for (const auto& [thread, step] : batch.last()) of(thread).skip(step);
      left_out_ = true;
    } else {
      for (const auto& step : steps) of(step.thread).warm(step);
    }
    run(instructions);
    sampling_.skip(instructions);
    if (batch.timed()) return;
    warm_ -= std::min(warm_, instructions);
    if (warm_ != 0) return;
    if (left_out_) warm_up();
    begin();
  }
  /// Note the last knot, whose time is known when its last instruction has retired.
  void tie() {
    if (loose_.pipeline == nullptr) return;
    knots_.add(sampling_.units(), loose_.instructions, since(loose_.pipeline->marked()));
    loose_ = {};
  }
  /// Return whether the part has just come to its first knot, and is not timed behind it.
  [[nodiscard]] bool cuts() const {
    return cuts_ && loose_.pipeline != nullptr && loose_.instructions == in_part_ && sampling_.units() != 0 &&
           threads_.size() == 1;
  }
  /// End the part at its knot; the steps of the batch from this one on warm the caches.
  void cut(const FlowBatch& batch, std::size_t first) {
    end();
    const auto seconds = since(std::exchange(loose_, {}).pipeline->marked());
    cut_parts_.push_back(sampling_.units());
    end_part(seconds);
    cut_ = true;
    warm(batch, first);
  }
  /// Warm the caches by lines of a gap, or let the other machine do it.
  void use(const Step& step) {
    auto& pipeline = of(step.thread);
    if (warmer_ != nullptr) {
      left_out_ = true;
      return;
    }
    pipeline.use(step);
    lines_ += step.accesses.size();
    if (!clock_.on()) return;
    const auto ahead = std::min(apart_ * static_cast<double>(lines_), static_cast<double>(gap_before_));
    machine_.run_to(clock_.ran() + static_cast<std::uint64_t>(ahead), clock_.oldest());
  }
  void warm_up() {
    for (const auto& [thread, one] : threads_) {
      machine_.copy_caches(cpu_of(thread), warmer_->machine_);
      if (const auto other = warmer_->threads_.find(thread); other != warmer_->threads_.end())
        one->learn(*other->second);
    }
    left_out_ = false;
  }
  /// Return the seconds from the begin of the part.
  [[nodiscard]] double since(simulate::Time at) const noexcept {
    return static_cast<double>(at - from_) / simulate::TICKS_PER_S;
  }
  /// Begin a phase that the program marks.
  void mark(const simulate::flow::Phase& phase) {
    turns_.finish(clock(), go());
    if (warm_ == 0 && in_part_ != 0) knots_.add(sampling_.units(), in_part_, since(std::max(from_, latest())));
    phases_.push_back({phase.name, ran_ + phase.untraced});
  }
  [[nodiscard]] simulate::Time latest() const {
    simulate::Time latest = 0;
    for (const auto& [thread, one] : threads_) latest = std::max(latest, one->now());
    return latest;
  }
  /// Return [name, instructions of the program before it] of each phase.
  [[nodiscard]] std::string phases_list() const {
    return json::list(
        phases_,
        +[](const Marked& one) { return json::list({json::quoted(one.name), json::value(one.instructions)}); });
  }
  simulate::Time end() {
    for (const auto& [thread, one] : threads_) one->catch_up();
    const auto pending = [](const auto& one) { return one.second->pending(); };
    while (threads_.size() > 1) {
      const auto first = std::ranges::min_element(threads_, {}, pending);
      if (pending(*first) == simulate::NEVER) break;
      first->second->advance();
    }
    simulate::Time latest = 0;
    for (const auto& [thread, one] : threads_) latest = std::max(latest, ended_[thread] = one->drain());
    return latest;
  }
  /// Return the seconds of this part: until its last thread has ended.
  double timed() { return since(end()); }
  /// Return the seconds in which threads of this part worked, added up: without those in which they waited for others.
  /// @pre timed
  [[nodiscard]] double busy() const {
    simulate::Time sum = 0;
    for (const auto& [thread, end] : ended_) {
      const auto waited = waited_.find(thread);
      const auto began = from_ + (waited == waited_.end() ? 0 : waited->second);
      sum += std::max(end, began) - began;
    }
    return static_cast<double>(sum) / simulate::TICKS_PER_S;
  }
  /// Begin a part of all threads together.
  void begin() {
    from_ = end();
    doubts_before_ = machine_.doubts();
    for (const auto& [thread, one] : threads_) one->wait_until(from_);
  }
  void leave(const simulate::flow::Gap& gap) {
    turns_.finish(clock(), go());
    end_part();
    if (warmer_ == nullptr && gap.instructions > gap.stated) {
      machine_.begin_gap(gap.instructions, ran_ - seen_);
      seen_ = ran_ + gap.instructions;
    }
    sampling_.skip(gap.instructions);
    ran_ += gap.instructions;
    if (lines_ != 0) {
      apart_ = static_cast<double>(gap.stated) / static_cast<double>(std::exchange(lines_, 0));
      gap_before_ = gap.stated;
    }
    age(gap.stated);
    warm_ = gap.warm;
    cut_ = false;
    if (warm_ == 0 && left_out_) warm_up();
    begin();
  }
  struct Marked {
    std::string name;
    std::uint64_t instructions;
  };
  std::vector<Marked> phases_;
  std::uint64_t ran_ = 0, in_part_ = 0;           // instructions
  std::uint64_t lines_ = 0;                       // of this gap so far
  std::uint64_t gap_before_ = 0;                  // instructions of the last gap with lines, that stated them
  double apart_ = 0;                              // instructions from one line to the next, in the gap before
  std::uint64_t seen_ = 0;                        // at the end of the last gap whose lines are not known
  simulate::Doubts::Counts doubts_before_;        // at the begin of the part
  std::vector<simulate::Doubts::Counts> doubts_;  // by part
  simulate::Placement placement_;
  bool moved_;  // objects are in another memory
  FlowClock clock_;
  bool cuts_;         // parts behind the first are timed up to their first knot
  bool cut_ = false;  // this one is, and its rest is not timed
  std::vector<std::uint64_t> cut_parts_;
  Knots knots_;
  struct {
    simulate::Pipeline* pipeline = nullptr;
    std::uint64_t instructions = 0;
  } loose_;                            // the last knot, while its time is not known; null: there is none
  const Pipelines* warmer_ = nullptr;  // whose caches have the same content
  bool left_out_ = false;              // the other machine warmed its caches further, and this one did not yet
  const simulate::Objects* objects_ = nullptr;
  std::vector<simulate::Placement::Use> before_;             // at the end of the last part
  std::vector<std::vector<simulate::Placement::Use>> uses_;  // by part and object
  std::map<std::uint32_t, std::unique_ptr<simulate::Pipeline>> threads_;
  std::uint32_t last_thread_ = 0;
  simulate::Pipeline* last_ = nullptr;  // of it; null: there was none
  simulate::Turns<Turn> turns_;
  simulate::Time from_ = 0;                         // of the part that is timed
  std::map<std::uint32_t, simulate::Time> waited_;  // of it, by thread
  std::map<std::uint32_t, simulate::Time> ended_;   // the end of what each thread did so far
  std::vector<double> busy_;                        // by part
  simulate::Sampling sampling_;
  std::uint64_t warm_ = 0;  // instructions until the next part is timed
};

}  // namespace tierscope
