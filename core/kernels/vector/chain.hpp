/// Chain: one operation is a list of reads and writes on two memories, each at a place that depends on the data of the
/// read before it. A read loads all lines of a region and waits for the last of them. A write stores all lines of a
/// region. If the step asks for it, it then flushes each of them and waits for a full fence. So the steps of an
/// operation follow one another, and so do operations. A write has no data. Behind one without a fence, the next step
/// begins as soon as the read before the write is complete, as in any program. The next place needs the sum of a region
/// and three multiplications: about 45 cycles more than a chase, 65 by Zipf's law, as `read 64 a` on a footprint in the
/// first-level cache shows. They are small compared with an access to memory. Blind to: prefetchers, which may follow
/// the lines of a large region. Source: L. Benson, L. Papke, T. Rabl, "PerMA-Bench: Benchmarking Persistent Memory
/// Access", PVLDB 15(11), 2022.
#pragma once
#include "kernels/chain_steps.hpp"
#include "kernels/line_stores.hpp"
#include "kernels/walk.hpp"

namespace tierscope::kernels::chain {
/// Its bytes are those of `read 64 a`; other chains state their own (core/bench/tasks/chain.cpp).
inline constexpr KernelInfo info{
    .name = "chain",
    .summary = "reads and writes of two memories, each at a place that the data before it decide",
    .source =
        "L. Benson, L. Papke, T. Rabl, \"PerMA-Bench: Benchmarking Persistent Memory Access\", PVLDB 15(11), 2022",
    .check = Check::recomputed,
    .operands = {{{.lines = 1, .loads = true, .stores = true}, {.lines = 1, .loads = true, .stores = true}}},
    .store = Store::plain,
    .operation = "chain",
    .drawn = true,
    .program_bytes = 64,
    .bus_bytes = 64};

/// Return the sum of the words of a region.
template <class V>
[[gnu::always_inline]] inline std::uint64_t read(const std::byte* from, std::uint64_t bytes) noexcept {
  constexpr std::size_t VECTORS = LINE / V::bytes;
  typename V::Words sum[VECTORS];
  unrolled<VECTORS>([&](auto v) __attribute__((always_inline)) { sum[v] = V::words(from + v * V::bytes); });
  for (const auto* const end = from + bytes; (from += LINE) < end;)
    unrolled<VECTORS>([&](auto v)
                          __attribute__((always_inline)) { sum[v] = V::add(sum[v], V::words(from + v * V::bytes)); });
  unrolled<VECTORS - 1>([&](auto v) __attribute__((always_inline)) { sum[0] = V::add(sum[0], sum[v + 1]); });
  return V::sum(sum[0]);
}

template <class V, class STORE>
[[gnu::always_inline]] inline void write(std::byte* to, std::uint64_t bytes, std::uint64_t word) noexcept {
  alignas(LINE) const std::uint64_t line[ELEMENTS]{word, word, word, word, word, word, word, word};
  const auto value = V::words(reinterpret_cast<const std::byte*>(line));
  for (const auto* const end = to + bytes; to < end; to += LINE)
    unrolled<LINE / V::bytes>([&](auto v)
                                  __attribute__((always_inline)) { STORE::template put<V>(to + v * V::bytes, value); });
}

/// Call `flush(at)` for each line of the caches that a region touches.
template <class Flush>
[[gnu::always_inline]] inline void each_line(std::byte* at, std::uint64_t bytes, std::size_t line,
                                             Flush flush) noexcept {
  auto* const end = at + bytes;
  for (at -= reinterpret_cast<std::uintptr_t>(at) % line; at < end; at += line) flush(at);
}

[[gnu::always_inline]] inline void flush(Flush how, [[maybe_unused]] std::byte* at,
                                         [[maybe_unused]] std::uint64_t bytes,
                                         [[maybe_unused]] std::size_t line) noexcept {
  switch (how) {
#if defined(__x86_64__)
    case Flush::clflush:
      return each_line(at, bytes, line, [](std::byte* to) __attribute__((always_inline)) {
        asm volatile("clflush %0" : "+m"(*to) : : "memory");
      });
    case Flush::clflushopt:
      return each_line(at, bytes, line, [](std::byte* to) __attribute__((always_inline)) {
        asm volatile("clflushopt %0" : "+m"(*to) : : "memory");
      });
    case Flush::clwb:
      return each_line(at, bytes, line, [](std::byte* to) __attribute__((always_inline)) {
        asm volatile("clwb %0" : "+m"(*to) : : "memory");
      });
#elif defined(__aarch64__)
    case Flush::civac:
      return each_line(at, bytes, line, [](std::byte* to) __attribute__((always_inline)) {
        asm volatile("dc civac, %0" : : "r"(to) : "memory");
      });
    case Flush::cvac:
      return each_line(at, bytes, line, [](std::byte* to) __attribute__((always_inline)) {
        asm volatile("dc cvac, %0" : : "r"(to) : "memory");
      });
    case Flush::cvap:
      return each_line(at, bytes, line, [](std::byte* to) __attribute__((always_inline)) {
        asm volatile("sys #3, c7, c12, #1, %0" : : "r"(to) : "memory");
      });
    case Flush::cvadp:
      return each_line(at, bytes, line, [](std::byte* to) __attribute__((always_inline)) {
        asm volatile("sys #3, c7, c13, #1, %0" : : "r"(to) : "memory");
      });
#endif
    default:
      return;
  }
}

/// Store a region past the caches: by vectors of the ISA, or by the 16 bytes that the processor has for all ISAs.
template <class V>
[[gnu::always_inline]] inline void write_past(std::byte* to, std::uint64_t bytes, std::uint64_t word) noexcept {
  if constexpr (V::non_temporal) {
    write<V, NonTemporal>(to, bytes, word);
  } else if constexpr (PASSES_CACHES) {
    using Past = std::conditional_t<PASSES_CACHES, lines::NonTemporal, V>;  // a name that depends on V
    for (const auto* const end = to + bytes; to < end; to += LINE) Past::put(to, lines::Part{word, word});
  }
}

template <class V, class DRAW>
[[gnu::always_inline]] inline std::uint64_t repeat(Pass& pass, const Steps& steps) noexcept {
  std::uint64_t state = pass.state, total = 0;
  for (auto left = pass.repeats; left > 0; --left)
    for (std::size_t s = 0; s < steps.count; ++s) {
      const auto& step = steps.first[s];
      state = bytes::next_draw(state);
      auto* const at = step.base + DRAW::region(step, state) * step.bytes;
      if (step.act == Act::read) {
        const auto sum = read<V>(at, step.bytes);
        total += sum;
        state += excess(sum, step.bytes);
        continue;
      }
      const auto word = written_word(pass.written++);
      if (step.act == Act::write)
        write<V, Plain>(at, step.bytes, word);
      else
        write_past<V>(at, step.bytes, word);
      flush(step.flush, at, step.bytes, steps.line);
      if (step.fences) lines::fence_all();
    }
  pass.state = state;
  return total;
}

/// `repeats` operations from `state` on. Return the sum of all words read.
template <class V, class STORE>
struct Kernel : Walked<info, STORE> {
  static std::uint64_t pass(Pass& its) noexcept {
    const auto& steps = *reinterpret_cast<const Steps*>(its.operand[3]);
    return steps.zipf ? repeat<V, Zipfian>(its, steps) : repeat<V, Uniform>(its, steps);
  }
};
}  // namespace tierscope::kernels::chain
