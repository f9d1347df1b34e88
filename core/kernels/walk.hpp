/// The loop nest that all kernels on vectors share: how lines are walked is here, what is done with a line is the kernel's.
/// A thread's range is cut into `streams` parts walked side by side, far apart or one page apart: more
/// streams keep more hardware prefetchers busy, pages in turn keep more DRAM banks open.
/// Source of page interleave: H. J. Lu, N. Goldstein, "x86: Optimizations for memmove-vec-unaligned-erms", GNU C Library 2.33, 2020.
#pragma once
#include <utility>

#include "kernels/kernel.hpp"

namespace tierscope::kernels {

/// Accumulators enough to hide the latency of an add behind two loads a cycle.
constexpr std::size_t ACCUMULATORS = 8;

/// What a kernel carries through a pass.
template <class V>
struct State {
  typename V::Words sum[ACCUMULATORS];
  [[gnu::always_inline]] explicit State() noexcept {
    for (auto& s : sum) s = V::zero();
  }
  [[gnu::always_inline]] std::uint64_t total() const noexcept {
    std::uint64_t all = 0;
    for (const auto& s : sum) all += V::sum(s);
    return all;
  }
};

/// Store kinds, switched once outside the loop.
struct Plain {
  static constexpr Store kind = Store::plain;
  template <class V, class Value>
  [[gnu::always_inline]] static void put(std::byte* to, Value value) noexcept {
    V::store(to, value);
  }
};
struct NonTemporal {
  static constexpr Store kind = Store::nt;
  template <class V, class Value>
  [[gnu::always_inline]] static void put(std::byte* to, Value value) noexcept {
    V::store_nt(to, value);
  }
};

/// One operation of kernel K at operation number `at`, as accumulator number I.
template <class K, class V, Shape SHAPE, std::size_t I>
[[gnu::always_inline]] inline void operate(State<V>& state, const Pass& pass, std::uint64_t at) noexcept {
  std::byte* line[OPERANDS];
  for (std::size_t k = 0; k < OPERANDS; ++k) {
    const Operand operand = K::info.operands[k];
    if (operand.lines == 0) continue;
    line[k] = pass.operand[k] + at * LINE * operand.lines;
    for (unsigned l = 0; l < operand.lines; ++l) {
      if (SHAPE.prefetch && operand.loads) V::prefetch(line[k] + l * LINE + pass.prefetch);
      if (SHAPE.prefetch_write && operand.stores) V::prefetch_write(line[k] + l * LINE + pass.prefetch_write);
    }
  }
  K::template line<I % ACCUMULATORS>(state, line);
}

template <class K, class V, Shape SHAPE, std::size_t... I>
[[gnu::always_inline]] inline void step(State<V>& state, const Pass& pass, std::uint64_t at, std::uint64_t distance,
                                        std::index_sequence<I...>) noexcept {
  (operate<K, V, SHAPE, I>(state, pass, at + I / SHAPE.unroll * distance + I % SHAPE.unroll), ...);
}

/// The pass of one kernel in one shape. The range must be a multiple of the shape's granule.
template <class K, class V, Shape SHAPE>
std::uint64_t walk(Pass& pass) noexcept {
  State<V> state;
  for (std::uint64_t r = 0; r < pass.repeats; ++r) {
    const std::uint64_t distance = SHAPE.paged ? PAGE / LINE : (pass.end - pass.begin) / SHAPE.streams;
    for (std::uint64_t at = pass.begin; at < pass.end; at += SHAPE.streams * distance)
      for (std::uint64_t off = at; off < at + distance; off += SHAPE.unroll)
        step<K, V, SHAPE>(state, pass, off, distance, std::make_index_sequence<SHAPE.streams * SHAPE.unroll>{});
  }
  if constexpr (K::store == Store::nt) V::fence();
  if constexpr (K::info.sums) return state.total();
  return 0;
}

/// The layouts that are worth trying, found by trying many more on four CPUs (docs/method.md, "Calibration").
struct Layout {
  unsigned streams, unroll;
  bool paged;
};
inline constexpr Layout LAYOUTS[] = {{1, 1, false}, {1, 2, false}, {1, 4, false}, {2, 2, false}, {4, 1, false},
                                     {4, 2, false}, {8, 1, false}, {2, 2, true},  {4, 1, true},  {4, 4, true},
                                     {8, 1, true}};

/// Which prefetches make sense: none; for the loads if there are any; for plain stores too.
template <class K>
constexpr std::size_t prefetch_modes() noexcept {
  return 1 + (K::loads ? 1 : 0) + (K::store == Store::plain ? 1 : 0);
}
template <class K>
constexpr Shape shape_of(const Layout& layout, std::size_t mode) noexcept {
  const bool last = mode + 1 == prefetch_modes<K>();
  return {layout.streams, layout.unroll, layout.paged, mode > 0 && K::loads,
          mode > 0 && K::store == Store::plain && last};
}

template <class K, class V, std::size_t... I>
constexpr auto variants(std::index_sequence<I...>) noexcept {
  constexpr auto modes = prefetch_modes<K>();
  return std::array<Variant, sizeof...(I)>{
      Variant{shape_of<K>(LAYOUTS[I / modes], I % modes), &walk<K, V, shape_of<K>(LAYOUTS[I / modes], I % modes)>}...};
}

/// Every variant of one kernel on one ISA; the reference ISA walks one line after the other only.
template <class K, class V>
struct Variants {
  static constexpr std::size_t layouts = V::reference ? 1 : std::size(LAYOUTS);
  static constexpr auto table = variants<K, V>(std::make_index_sequence<layouts * prefetch_modes<K>()>{});
};

/// What the operands of a kernel mean for its walk; kernels derive from it.
template <const KernelInfo& INFO, class STORE>
struct Walked {
  static constexpr const KernelInfo& info = INFO;
  static constexpr Store store = INFO.store == Store::none ? Store::none : STORE::kind;
  static constexpr bool loads = [] {
    bool any = false;
    for (const auto& operand : INFO.operands) any = any || operand.loads;
    return any;
  }();
};

}  // namespace tierscope::kernels
