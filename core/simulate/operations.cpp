#include "simulate/operations.hpp"

#include <algorithm>

#include "simulate/guesses.hpp"

namespace tierscope::simulate {
namespace {

using flow::Class;

constexpr std::uint8_t LOCKED = 18, KERNEL = 100;  // cycles
constexpr std::size_t RECENT = 1024;               // stores that a load can take bytes from
constexpr std::uint64_t WORD = 8;                  // bytes

/// Return the cycles from operands to result.
/// Source: A. Fog, "Instruction tables", 2022: typical of most cores of the last ten years.
std::uint8_t latency_of(Class kind) {
  switch (kind) {
    case Class::multiply:
      return 3;
    case Class::divide:
      return 18;
    case Class::fp_add:
    case Class::fp_multiply:
    case Class::fp_multiply_add:
    case Class::convert:
      return 4;
    case Class::fp_divide:
      return 13;
    case Class::fp_square_root:
      return 18;
    case Class::move:
    case Class::nop:
    case Class::prefetch:
      return 0;
    default:
      return 1;
  }
}

bool orders_all(const flow::Instruction& instruction) {
  return (instruction.flags & flow::ATOMIC) != 0 || instruction.kind == Class::mfence ||
         instruction.kind == Class::serialize || instruction.kind == Class::system;
}

/// Return the cycles that an instruction takes in addition to its operation.
std::uint8_t more_of(const flow::Instruction& instruction) {
  return static_cast<std::uint8_t>((orders_all(instruction) ? LOCKED : 0) +
                                   (instruction.kind == Class::system ? KERNEL : 0));
}

/// Return the register file that gets the result of an instruction in this register.
std::uint8_t file_of(std::uint8_t written) { return written <= flow::FLAGS ? TAKES_INTEGER : TAKES_VECTOR; }

/// Return whether a core gives the result another name, instead of a register: a copy within a file, and zero.
/// Source: A. Fog, "The microarchitecture of Intel, AMD and VIA CPUs", 2024 (elimination of moves).
bool is_renamed(const flow::Instruction& instruction, bool in_memory) {
  const bool copies = instruction.kind == Class::move && !in_memory && instruction.written[0] != flow::NO_REGISTER &&
                      instruction.data_registers[0] != flow::NO_REGISTER &&
                      file_of(instruction.data_registers[0]) == file_of(instruction.written[0]);
  return copies || (instruction.flags & flow::ZERO) != 0;
}

}  // namespace

Decoder::Decoder() : stored_(RECENT) { writers_.fill(NOBODY); }

void Decoder::decode(const flow::Step& step, Operations& to) {
  const auto& block = *step.block;
  std::size_t a = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const std::size_t first = a;
    while (a < step.accesses.size() && step.accesses[a].instruction <= i) ++a;
    decode(block[i], step.accesses.subspan(first, a - first), to);
  }
}

void Decoder::decode(const flow::Instruction& instruction, std::span<const flow::Access> accesses, Operations& to) {
  const auto begin = to.list.size();
  std::array<Number, LOADS> loads{};
  std::size_t loaded = 0;
  bool stores = false;
  for (const auto& access : accesses) {
    stores = stores || access.store;
    if (!access.store && loaded != loads.size()) loads[loaded++] = load(instruction, access, to);
  }
  Number result = loaded != 0 ? loads[loaded - 1] : NOBODY;
  if (instruction.kind != Class::move || (loaded == 0 && !stores)) {
    const std::uint8_t more = more_of(instruction), latency = latency_of(instruction.kind);
    result = add({.cycles = static_cast<std::uint8_t>(latency + more),
                  .unit_cycles = static_cast<std::uint8_t>(1 + more),
                  .decides = decides(instruction.kind)},
                 to);
    wait_for(instruction.data_registers, to);
    if (accesses.empty()) wait_for(instruction.address_registers, to);
    for (std::size_t l = 0; l < loaded; ++l) wait_for(loads[l], to);
  }
  for (const auto& access : accesses)
    if (access.store) store(instruction, access, result, to);
  std::uint8_t takes = 0;
  for (const auto written : instruction.written) {
    if (written == flow::NO_REGISTER) break;
    const bool pointer = written == flow::STACK_POINTER && (instruction.flags & flow::STACK) != 0;
    writers_[written] = pointer ? NOBODY : result;
    if (!pointer) takes |= file_of(written);
  }
  if (is_renamed(instruction, !accesses.empty())) takes = 0;
  to.list[begin].takes = static_cast<std::uint8_t>(takes | (loaded != 0 ? TAKES_LOAD : 0));
  to.list[begin].begins = to.list.back().ends = true;
  to.list[begin].ordered = orders_all(instruction);
}

Decoder::Number Decoder::load(const flow::Instruction& instruction, const flow::Access& access, Operations& to) {
  const auto number =
      add({.address = access.address, .bytes = access.bytes, .object = access.object, .does = Does::load}, to);
  wait_for(instruction.address_registers, to);
  const auto& last = stored_[access.address / WORD % RECENT];
  if (last.word == access.address / WORD) to.list.back().forwarded = wait_for(last.by, to);
  return number;
}

void Decoder::store(const flow::Instruction& instruction, const flow::Access& access, Number result, Operations& to) {
  const auto number = add({.address = access.address,
                           .bytes = access.bytes,
                           .object = access.object,
                           .does = Does::store,
                           .nontemporal = (instruction.flags & flow::NONTEMPORAL) != 0},
                          to);
  wait_for(instruction.address_registers, to);
  if (result != NOBODY)
    wait_for(result, to);
  else
    wait_for(instruction.data_registers, to);
  for (auto word = access.address / WORD; word <= (access.address + access.bytes - 1) / WORD; ++word)
    stored_[word % RECENT] = {word, number};
}

Decoder::Number Decoder::add(const Operation& operation, Operations& to) {
  to.list.push_back(operation);
  return next_++;
}

/// Let the last operation wait for another one, once. Return whether it is near enough.
bool Decoder::wait_for(Number producer, Operations& to) {
  if (producer == NOBODY || next_ - 1 - producer > FARTHEST) return false;
  const auto distance = static_cast<std::uint32_t>(next_ - 1 - producer);
  auto& last = to.list.back();
  const auto known = std::span(to.distances).last(last.sources);
  if (std::ranges::find(known, distance) == known.end()) {
    to.distances.push_back(distance);
    ++last.sources;
  }
  return true;
}

void Decoder::wait_for(std::span<const std::uint8_t> registers, Operations& to) {
  for (const auto one : registers) {
    if (one == flow::NO_REGISTER) break;
    wait_for(writers_[one], to);
  }
}

}  // namespace tierscope::simulate
