/// A simulated core that runs instructions out of order. It shows the parts of a program's time on a memory.
///
///   - dispatch  `width` instructions a cycle in order, while the reorder buffer has a place and no wrong guess of a
///               branch waits for its resolution.
///   - start     when the registers that it reads are known; a load needs only those of its address.
///   - end       after as many cycles as this kind of operation takes on most cores. With `operations = "unit"`, each
///               takes one cycle, and so does a load from the store buffer.
///   - load      from the machine's caches and memory; a load behind a store to the same bytes takes them from the
///               store buffer.
///   - retire    in order; a store leaves the store buffer after that, in order.
///
/// A load or a store whose line is not in the nearest cache, and a store past the caches, takes a line fill buffer
/// until the line has come or the memory has accepted it. Loads and stores share `CpuLimits::loads` of them, and get
/// one in the order in which they ask. With `fill_buffers = "apart"`, stores have `CpuLimits::stores` of their own.
///
/// Loads and stores go to the machine in the order of their starts, not of the program, since its memories serve
/// requests in the order of arrival.
///
/// Behind a wrong guess, a core runs the wrong path until the branch is known. A trace does not contain that path. With
/// `wrong_path`, this share of branches has one that meets the right path soon. It is taken as the right path from the
/// branch on. It ends where the reorder buffer or the store buffer has no place, and at an instruction that waits for
/// all before it. Its loads fetch their lines as soon as their addresses are known. When the branch is known, all of it
/// is dropped, and it begins again. The addresses of branches alone determine which branches those are.
/// Instructions come as fetch.hpp describes, if the machine states a cache of them. On a wrong path, they are there.
/// Blind to: execution ports, decoding, what a wrong path fetches that meets no right one, branches that are guessed
/// wrongly on a wrong path, the time within the kernel. Blind to write-combining buffers apart from fill buffers, as
/// AMD's cores have them.
/// Source: J. E. Smith, A. R. Pleszkun, "Implementing Precise Interrupts in Pipelined Processors", IEEE Transactions on
/// Computers 37(5), 1988 (reorder buffer); R. M. Tomasulo, "An Efficient Algorithm for Exploiting Multiple Arithmetic
/// Units", IBM Journal 11(1), 1967 (starts by operands); Intel, event L1D_PEND_MISS.FB_FULL, and AMD, event PMCx041
/// (LsMabAlloc) of family 17h, which count loads and stores that take the same buffers; O. Mutlu, H. Kim, D. N.
/// Armstrong, Y. N. Patt, "Understanding the Effects of Wrong-Path Memory References on Processor Performance", WMPI
/// 2004 (wrong paths that meet the right one fetch what it needs); S. Eyerman et al., "Simulating Wrong-Path
/// Instructions in Decoupled Functional-First Simulation", ISPASS 2023 (their addresses are those of the right path).
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "simulate/entries.hpp"
#include "simulate/fetch.hpp"
#include "simulate/flow.hpp"
#include "simulate/guesses.hpp"
#include "simulate/kept_steps.hpp"
#include "simulate/machine.hpp"
#include "simulate/operations.hpp"
#include "simulate/placement.hpp"
#include "simulate/starts.hpp"

namespace tierscope::simulate {

/// The work of a pipeline since it was made or reset.
struct Work {
  std::uint64_t instructions = 0, branches = 0, wrong_guesses = 0, loads = 0, stores = 0, forwarded = 0, far_loads = 0;
};

class Pipeline {
 public:
  /// `placement` states where objects are, and gets the time that waits for each.
  Pipeline(Machine& machine, unsigned cpu, Placement& placement);
  /// Run one block in detail.
  void run(const flow::Step& step);
  /// Run one block that a decoder of the same blocks has decoded.
  void run(const flow::Step& step, const OperationsOf& operations);
  /// Run one block without its time: only the caches, the TLBs and the predictor change.
  void warm(const flow::Step& step);
  /// Leave a block out: another machine warms the caches with it.
  void skip(const flow::Step& step) noexcept {
    expect(step);
    before_ = &step.block->back();
  }
  /// Take what the core of the other machine knows of instructions, which ran the steps that were left out here.
  void learn(const Pipeline& from) {
    if (fetch_.on()) fetch_.copy(from.fetch_);
  }
  /// Warm the caches by lines that the program used in a gap, of data and of instructions.
  void use(const flow::Step& step);
  /// Return when an instruction that has begun next uses a cache or a memory; NEVER: all have ended.
  [[nodiscard]] Time pending() const noexcept { return starts_.soonest(); }
  /// Advance by this one step, so that others that share the machine can act in between.
  void advance() { pump(); }
  /// End all that has begun, and return when it ends.
  Time drain();
  /// Leave a wrong path, and run what was kept meanwhile: nobody knows yet how the program continues.
  void catch_up() { go_on(true); }
  /// Start the next instruction no earlier than `at`: another thread had to do something first.
  void wait_until(Time at) {
    catch_up();
    dispatched_ = std::max(dispatched_, at);
    fetch_.begin(dispatched_);
    before_ = nullptr;
  }
  /// Return when it will next use a cache or a memory, if its reorder buffer is full, or no integer register is free,
  /// since nearly each instruction takes one; else the time of the last dispatch.
  [[nodiscard]] Time next() const noexcept {
    if (fork_.branch != NOBODY) return now();
    const bool full = instructions_ - retired_instructions_ >= core_.reorder || lacks(TAKES_INTEGER);
    return full && !starts_.empty() ? std::max(dispatched_, starts_.soonest()) : dispatched_;
  }
  /// From now on, watch when the last instruction so far retires.
  void mark() noexcept {
    marked_instruction_ = given_;
    marked_ = retired_instructions_ == given_ ? last_retirement_ : UNKNOWN;
  }
  /// Return when it retired: the time of the last dispatch if it did not, as that of a thread that stopped there.
  [[nodiscard]] Time marked() const noexcept { return marked_ == UNKNOWN ? now() : marked_; }
  /// Return the time of the last dispatch on the right path.
  [[nodiscard]] Time now() const noexcept { return fork_.branch != NOBODY ? fork_.dispatched : dispatched_; }
  [[nodiscard]] const Work& work() const noexcept { return work_; }

 private:
  using Seq = std::uint64_t;
  static constexpr Seq NOBODY = ~Seq{0};
  static constexpr unsigned SOURCES = 16;      // of one operation, at most
  static constexpr Seq STORE = Seq{1} << 63U;  // marks the number of a store that waits for a buffer
  static constexpr std::uint32_t LAST_LINK = ~std::uint32_t{0};

  /// An operation that was not finished when it was dispatched.
  struct Op {
    Time ready = 0, latency = 0;
    Seq seq = 0;
    std::uint64_t address = 0;
    std::uint32_t waiters = LAST_LINK;
    std::uint32_t bytes = 0;
    Object object = REST;
    std::uint8_t pending = 0;
    Does does = Does::compute;
    bool begun = false, nontemporal = false, forwarded = false;
  };
  static constexpr Time UNKNOWN = INT64_MAX;                      // when an operation is done
  static constexpr std::uint8_t LOADS = 1, STORES = 2, ENDS = 4;  // of an operation; the last one of its instruction
  /// The times of instructions at full width: whole ticks, whose mean is exactly a cycle over the width.
  class Slots {
   public:
    Slots(Time cycle, unsigned width) noexcept : whole_(cycle / width), rest_(cycle % width), width_(width) {}
    Time next() noexcept {
      owed_ += rest_;
      if (owed_ < width_) return whole_;
      owed_ -= width_;
      return whole_ + 1;
    }

   private:
    Time whole_, rest_, width_, owed_ = 0;
  };
  [[nodiscard]] Op& op(Seq seq) noexcept { return ops_[seq & mask_]; }
  [[nodiscard]] Time& done(Seq seq) noexcept { return done_[seq & mask_]; }
  /// 0 for an instruction that never existed: numbers wrap to entries that are not written yet.
  [[nodiscard]] Time retired_at(std::uint64_t instruction) const noexcept {
    return retirements_[instruction & (retirements_.size() - 1)];
  }
  [[nodiscard]] Time cycles(unsigned count) const noexcept { return static_cast<Time>(count) * cycle_; }
  void bring(const flow::Step& step);
  Path path_to(const flow::Step& step);
  void wait_for_branch();
  Time decided(Seq branch);
  void begin_behind(Time at);
  void run(const flow::Block& block, const OperationsOf& operations);
  void await(const flow::Instruction& one);
  void come_to(const flow::Block& block);
  // wrong_path.cpp
  [[nodiscard]] bool branch_waits() noexcept;
  void go_on(bool all);
  void leave_path();
  bool follow(const OperationsOf& operations);
  bool enter(const Operation& operation);
  void come_back();
  /// Note the branch at the end of a block that is not timed.
  void expect(const flow::Step& step) noexcept {
    branch_ = decides(step.block->back().kind) ? &step.block->back() : nullptr;
    branch_op_ = NOBODY;
  }
  /// Return whether an instruction that takes these must wait for another one to retire.
  [[nodiscard]] bool lacks(unsigned takes) const noexcept {
    for (std::size_t e = 0; e < TAKES; ++e)
      if ((takes >> e & 1U) != 0 && entries_[e].full(retired_instructions_)) return true;
    return false;
  }
  [[nodiscard]] Time given_back(unsigned takes) const noexcept;
  void take(unsigned takes) noexcept {
    for (std::size_t e = 0; e < TAKES; ++e)
      if ((takes >> e & 1U) != 0) entries_[e].take(instructions_);
  }
  [[nodiscard]] std::array<Entries::Mark, TAKES> marks() const noexcept {
    std::array<Entries::Mark, TAKES> all{};
    for (std::size_t e = 0; e < TAKES; ++e) all[e] = entries_[e].mark();
    return all;
  }
  void begin(const Operation& operation);
  const std::uint32_t* dispatch(const Operation& operation, const std::uint32_t* distances);
  void record(const Operation& operation, const std::uint32_t* distances, Seq seq, Time ready);
  void end(bool ordered);
  void make_place_for_store();
  bool full(unsigned takes);
  void started(Op& op);
  void finish(Op& op, Time done);
  void retire() {
    if (retired_ < next_ && done(retired_) != UNKNOWN) retire_all();
  }
  void retire_all();
  void pump();
  void pump_until(Time at);
  void settle();
  /// Line fill buffers, as the times until which each is taken, and those that wait for one, in order.
  struct Buffers {
    Buffers(unsigned count, bool only_stores) : taken(count, 0), of_stores(only_stores) {}
    std::vector<Time> taken;
    std::deque<Seq> waiting;  // loads, and numbers of stores with STORE
    bool of_stores;           // alone
    bool releasing = false;   // their release is among the starts
  };
  struct Stored;
  [[nodiscard]] Buffers& buffers_of_stores() noexcept { return core_.shared ? buffers_ : store_buffers_; }
  void load(Op& op, Time at);
  Time fetch(Op& op, Time at);
  void store(std::uint64_t number, Time at);
  Time write(Stored& stored, bool there, Time at);
  void drained(Stored& stored, Time at) noexcept;
  [[nodiscard]] bool there(const Stored& stored) const;
  void wait(Buffers& buffers, Seq what, Time at);
  void release(Buffers& buffers, Time at);
  /// The bytes that an access touches, and their object.
  struct Bytes {
    std::uint64_t address;
    std::uint32_t bytes;
    Object object;
  };
  static Bytes bytes_of(const Op& op) noexcept { return {op.address, op.bytes, op.object}; }
  Time reach(const Bytes& what, Kind kind, Time at);
  [[nodiscard]] bool near(const Bytes& what) const;
  /// As `reach`, if `near`; else change nothing and return NEVER.
  Time reach_near(const Bytes& what, Kind kind, Time at);

  Machine* machine_;
  unsigned cpu_;
  Placement* placement_;
  Time cycle_, near_latency_, bypass_;
  std::uint64_t meets_;  // share of branches, of 2^53
  Slots dispatches_, retires_;
  CoreLimits core_;
  Fetch fetch_;
  const flow::Instruction* before_ = nullptr;  // the last one of the block before; null: not known
  Predictor predictor_;                        // of steps without a guess
  Decoder decoder_;                            // of steps that are not decoded
  Operations decoded_;
  Work work_;

  std::vector<Op> ops_;               // those that had to wait for something
  std::vector<Time> done_;            // by operation
  std::vector<std::uint8_t> traits_;  // the same
  std::uint64_t mask_;
  bool waits_ = false;  // an operation of the last instruction is not done yet
  std::vector<std::uint32_t> links_;
  Seq next_ = 0, retired_ = 0;
  Seq first_ = 0;       // operation of the last instruction
  Seq begun_ = NOBODY;  // no operation from this one on begins or retires, while its instruction is being dispatched
  std::uint64_t instructions_ = 0;      // dispatched
  std::vector<Time> retirements_;       // of the instructions in the reorder buffer
  std::array<Entries, TAKES> entries_;  // in the order of the bits of what an instruction takes
  std::uint64_t retired_instructions_ = 0;
  std::uint64_t given_ = 0,
                marked_instruction_ = 0;  // to run, on the right path; of these, the last one that is marked
  Time marked_ = 0;
  Time dispatched_ = 0, last_retirement_ = 0, redirect_ = 0;
  const flow::Instruction* branch_ = nullptr;  // the branch that the next block decides
  Seq branch_op_ = NOBODY;

  /// A wrong path, and the state of the core at its branch.
  struct Fork {
    Seq branch = NOBODY;  // its operation; NOBODY: the core is on the right path
    Seq first = NOBODY;   // operation behind it: from this one on, none retires
    std::uint64_t instructions = 0, stores = 0;
    std::array<Entries::Mark, TAKES> entries{};
    Time dispatched = 0;
    Slots slots;
    Work work{};
    std::size_t followed = 0;  // kept steps on the wrong path
  } fork_;
  std::vector<Seq> awaited_;  // operations before the branch for which some of the wrong path wait
  KeptSteps kept_;            // from the branch on

  Starts starts_;
  Buffers buffers_, store_buffers_;
  std::uint64_t waiting_stores_ = 0;
  struct Stored {
    Bytes what;
    bool nontemporal;
    Time drained;
  };
  [[nodiscard]] Stored& stored(std::uint64_t number) noexcept { return buffer_[number & (buffer_.size() - 1)]; }
  std::vector<Stored> buffer_;  // of stores
  std::uint64_t stores_ = 0, retired_stores_ = 0, drained_stores_ = 0;
  Time last_drain_ = 0;
  std::uint64_t nontemporal_line_ = ~std::uint64_t{0};
};

}  // namespace tierscope::simulate
