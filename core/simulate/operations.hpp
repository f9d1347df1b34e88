/// The instructions of a traced thread as operations: loads, what is computed, stores. Each operation names the earlier
/// ones that it waits for by their distance, so that this is found once for all cores that replay the thread.
///   Decoder decoder;
///   decoder.decode(step, operations);   // adds to what is there
///   pipeline.run(step, operations);
/// Source: J. E. Smith, G. S. Sohi, "The Microarchitecture of Superscalar Processors", Proceedings of the IEEE 83(12),
/// 1995 (registers are renamed once, by the last operation that writes each).
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "simulate/flow.hpp"

namespace tierscope::simulate {

enum class Does : std::uint8_t { compute, load, store };

/// Parts of a core: an instruction takes an entry of each that it needs, until it retires.
constexpr std::uint8_t TAKES_LOAD = 1, TAKES_INTEGER = 2, TAKES_VECTOR = 4;
constexpr std::size_t TAKES = 3;

struct Operation {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  Object object = REST;
  std::uint8_t cycles = 0;       // from operands to result, of `compute`
  std::uint8_t unit_cycles = 0;  // the same on a core where each kind of operation takes one cycle
  std::uint8_t sources = 0;      // number of distances
  Does does = Does::compute;
  std::uint8_t takes = 0;             // of its instruction, which it begins
  bool begins = false, ends = false;  // the first, the last one of its instruction
  bool ordered = false;               // of an instruction that waits for all before it, and all behind it wait for it
  bool nontemporal = false;
  bool forwarded = false;  // a load of bytes that the operation at its last distance stored
  bool decides = false;    // its instruction is a branch that depends on data, which it ends
};

/// Operations of one or several steps, in their order, and the distances of all of them.
struct Operations {
  std::vector<Operation> list;
  std::vector<std::uint32_t> distances;
  void clear() noexcept {
    list.clear();
    distances.clear();
  }
};

/// A part of them.
struct OperationsOf {
  std::span<const Operation> list;
  const std::uint32_t* distances = nullptr;
};

/// Decodes the steps of one thread. A step that is left out changes nothing: nobody waits for its results.
class Decoder {
 public:
  /// The distance of an operation that no core still has; it is left out.
  static constexpr std::uint64_t FARTHEST = 1U << 20U;
  Decoder();
  void decode(const flow::Step& step, Operations& to);

 private:
  using Number = std::uint64_t;
  static constexpr Number NOBODY = ~Number{0};
  static constexpr std::size_t LOADS = 8;  // of one instruction; others are left out
  struct Stored {
    std::uint64_t word = ~std::uint64_t{0};
    Number by = NOBODY;
  };
  void decode(const flow::Instruction& instruction, std::span<const flow::Access> accesses, Operations& to);
  Number load(const flow::Instruction& instruction, const flow::Access& access, Operations& to);
  void store(const flow::Instruction& instruction, const flow::Access& access, Number result, Operations& to);
  Number add(const Operation& operation, Operations& to);
  bool wait_for(Number producer, Operations& to);
  void wait_for(std::span<const std::uint8_t> registers, Operations& to);
  Number next_ = 0;                                // of an operation
  std::array<Number, flow::REGISTERS> writers_{};  // the last operation that wrote each
  std::vector<Stored> stored_;                     // the last store to a word
};

}  // namespace tierscope::simulate
