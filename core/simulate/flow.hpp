/// Reads the stream of the tracer: the blocks of instructions that a program ran, the addresses of their loads and
/// stores, and the registers through which one instruction waits for another. tracer/README.md defines the stream.
///   Flow flow(std::cin);
///   for (flow::Step step; flow.next(step);) ...
/// Blind to: order between threads below one chunk of their events.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <istream>
#include <span>
#include <string>
#include <vector>

#include "simulate/objects.hpp"

namespace tierscope::simulate::flow {

/// x86-64: rax to r15 are 0 to 15; then flags, x87 and MMX as one, 32 vectors, 8 masks.
constexpr unsigned REGISTERS = 58;
constexpr std::uint8_t NO_REGISTER = 255, STACK_POINTER = 4, FLAGS = 16;

enum class Class : std::uint8_t {
  other,
  integer,
  multiply,
  divide,
  fp_add,
  fp_multiply,
  fp_multiply_add,
  fp_divide,
  fp_square_root,
  vector,
  convert,
  move,
  branch,
  jump,
  jump_indirect,
  call,
  call_indirect,
  ret,
  string,
  gather,
  system,
  nop,
  mfence,
  sfence,
  lfence,
  clflush,
  clflushopt,
  clwb,
  prefetch,
  serialize
};
constexpr std::uint8_t ATOMIC = 1, NONTEMPORAL = 2, REPEATED = 4, STACK = 8, INDEPENDENT = 16, ZERO = 32;

struct Instruction {
  std::uint64_t address, target;
  std::uint16_t load_bytes, store_bytes;
  std::uint8_t length;
  Class kind;
  std::uint8_t flags, loads, stores;
  std::array<std::uint8_t, 4> address_registers;
  std::array<std::uint8_t, 8> data_registers, written;
  std::array<std::uint8_t, 3> reserved;
};
static_assert(sizeof(Instruction) == 48);
using Block = std::vector<Instruction>;

/// The content of a line of a gap, in place of the number of an instruction.
constexpr std::uint16_t DATA = 0, CODE = 1;

/// One load or store of a block: of up to 8 bytes, or of a vector in parts that touch.
struct Access {
  std::uint64_t address;
  std::uint32_t bytes;
  std::uint16_t instruction;  // of its block
  bool store;
  Object object = REST;
};

/// Instructions that ran untraced, and how many of the instructions after them serve to warm caches. `stated`: how many
/// of the untraced ones have their lines in the trace.
struct Gap {
  std::uint64_t instructions, warm, stated = 0;
};

/// The program begins a part of its work. `untraced`: instructions before it in its gap, if it is in one.
struct Phase {
  std::uint64_t untraced = 0;
  std::string name;
};

/// Whether the branch at the end of the thread's block before was predicted correctly; unknown: nobody has predicted
/// it.
enum class Guess : std::uint8_t { unknown, right, wrong };

/// One execution of a block, or a gap, or a phase, or lines of a gap before its end.
struct Step {
  std::uint32_t thread = 0;
  const Block* block = nullptr;
  std::span<const Access> accesses;  // in the order of the instructions
  const Gap* gap = nullptr;          // a step with a gap has no block
  const Phase* phase = nullptr;      // a step with a phase has no block
  Guess guess = Guess::unknown;
  bool lines = false;  // whether `accesses` are lines that a gap used; such a step has no block
};

class Flow {
 public:
  /// @throws BadPlan unless the stream begins like one
  explicit Flow(std::istream& from);
  /// Return whether these first bytes are those of such a stream.
  [[nodiscard]] static bool begins(std::string_view bytes) { return bytes.starts_with("TSFLOW01"); }
  /// Read the next block that ran; return false at the end. `step` is valid until the next call.
  /// @throws BadPlan where the stream contradicts itself, naming the byte
  bool next(Step& step);
  /// Return whether the tracer marked the end of the stream; else the program was killed, or another took its place.
  [[nodiscard]] bool whole() const noexcept { return whole_; }
  /// From now on, find the object of each access, which takes time.
  void follow_objects() { follows_ = true; }
  [[nodiscard]] const Objects& objects() const noexcept { return objects_; }
  /// Return the tracer's notes to its user: "fork", "exec".
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

 private:
  using Event = std::uint64_t;
  struct Thread {
    std::vector<Event> events;
    std::size_t at = 0;
  };
  bool chunk();
  bool drain(Step& step);
  static bool take_objects(Thread& thread, Objects& objects);
  bool take_gap(Step& step);
  bool take_lines(Step& step);
  bool take_phase(Step& step);
  void add_phase(std::uint32_t thread, std::span<const char> payload);
  void define(std::span<const char> payload);
  void add_events(std::uint32_t thread, std::span<const char> payload);
  void add_lines(std::uint32_t thread, std::span<const char> payload);
  std::size_t collect(std::span<const Event> events, std::size_t from, const Block& block);
  void refuse(const std::string& why) const;
  std::istream& from_;
  std::uint64_t offset_ = 0;
  bool whole_ = false, ended_ = false;
  std::deque<Block> blocks_;
  std::vector<Thread> threads_;
  std::size_t current_ = 0;  // thread whose events are being read
  std::vector<char> payload_;
  std::vector<Access> accesses_;
  std::vector<std::string> notes_;
  Gap gap_{};
  bool in_gap_ = false;
  Thread lines_;
  std::uint32_t lines_thread_ = 0;
  Phase phase_;
  std::size_t phase_thread_ = 0, phases_ = 0;
  bool in_phase_ = false;
  bool follows_ = false;
  Objects objects_;
};

}  // namespace tierscope::simulate::flow
