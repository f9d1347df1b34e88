/// The loop nest that all kernels on vectors share: this file visits the lines, the kernel defines the work on a line.
/// A thread's range is cut into `streams` parallel parts, far apart or one page apart. More streams keep more hardware
/// prefetchers busy; alternate pages keep more DRAM banks open. With non-temporal stores, a few lines are loaded first
/// and then stored back to back. Each store then fills its write-combining buffer immediately, and no load waits behind
/// half a line (6 % on copy, 4 % on triad, docs/method.md, "Bandwidth").
/// Source of both: H. J. Lu, N. Goldstein, "x86: Optimizations for memmove-vec-unaligned-erms", GNU C Library 2.33,
/// 2020.
#pragma once
#include <type_traits>
#include <utility>

#include "kernels/kernel.hpp"
#include "kernels/places.hpp"

namespace tierscope::kernels {

/// Enough accumulators to hide the latency of an add behind two loads a cycle.
constexpr std::size_t ACCUMULATORS = 8;
/// Lines loaded before any of them is stored by non-temporal stores: as many as AVX2 has registers for.
constexpr std::size_t BATCH = 4;

/// Loops whose bodies must be constants to the compiler: `body(std::integral_constant<std::size_t, I>)` for I < N.
template <std::size_t N, class Body>
[[gnu::always_inline]] inline void unrolled(Body body) noexcept {
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    (body(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<N>{});
}

/// The state of a kernel during a pass. The factor is hidden from the compiler, which would drop a product with one.
template <class V>
struct State {
  typename V::Words sum[ACCUMULATORS];
  typename V::Reals real[ACCUMULATORS];
  typename V::Reals factor;
  std::uint64_t row = LINE, plane = LINE;  // of a grid or a matrix, in bytes
  [[gnu::always_inline]] explicit State(double number) noexcept {
    asm("" : "+m"(number));
    factor = V::broadcast(number);
    unrolled<ACCUMULATORS>([&](auto i) __attribute__((always_inline)) {
      sum[i] = V::zero();
      real[i] = V::broadcast(0.0);
    });
  }
  [[gnu::always_inline]] std::uint64_t total() const noexcept {
    std::uint64_t all = 0;
    unrolled<ACCUMULATORS>([&](auto i) __attribute__((always_inline)) { all += V::sum(sum[i]); });
    return all;
  }
  /// Return the sum of the reals, as the bits of a double.
  [[gnu::always_inline]] std::uint64_t reduced() const noexcept {
    double all = 0;
    unrolled<ACCUMULATORS>([&](auto i) __attribute__((always_inline)) { all += V::sum(real[i]); });
    return __builtin_bit_cast(std::uint64_t, all);
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

/// The loaded values of one line that a kernel is going to store: nothing, or the line's vectors.
struct Nothing {};
template <class V>
struct Vectors {
  typename V::Reals part[LINE / V::bytes];
};
/// Call `make(offset)` for each vector of a line, offset in bytes.
template <class V, class Make>
[[gnu::always_inline]] inline Vectors<V> vectors(Make make) noexcept {
  Vectors<V> line;
  unrolled<LINE / V::bytes>([&](auto v) __attribute__((always_inline)) { line.part[v] = make(v * V::bytes); });
  return line;
}
/// Store a line's vectors.
template <class V, class STORE>
[[gnu::always_inline]] inline void put(std::byte* to, const Vectors<V>& line) noexcept {
  unrolled<LINE / V::bytes>(
      [&](auto v) __attribute__((always_inline)) { STORE::template put<V>(to + v * V::bytes, line.part[v]); });
}
/// Add LINES lines up; operation number I starts with another accumulator than I - 1.
template <class V, std::size_t I, std::size_t LINES>
[[gnu::always_inline]] inline void sum_lines(State<V>& state, const std::byte* from) noexcept {
  constexpr std::size_t count = LINES * LINE / V::bytes;
  unrolled<count>([&](auto v) __attribute__((always_inline)) {
    auto& sum = state.sum[(I * count + v) % ACCUMULATORS];
    sum = V::add(sum, V::words(from + v * V::bytes));
  });
}

/// Add the vectors that `make(offset)` returns for one line to the sums of reals; starts as `sum_lines` does.
template <class V, std::size_t I, class Make>
[[gnu::always_inline]] inline void reduce_line(State<V>& state, Make make) noexcept {
  constexpr std::size_t count = LINE / V::bytes;
  unrolled<count>([&](auto v) __attribute__((always_inline)) {
    auto& sum = state.real[(I * count + v) % ACCUMULATORS];
    sum = V::add(sum, make(v * V::bytes));
  });
}
/// The places of the operands of an operation.
using At = std::array<std::byte*, OPERANDS>;
template <class K>
[[gnu::always_inline]] inline At locate(const Pass& pass, std::uint64_t operation) noexcept {
  At at{};
  unrolled<OPERANDS>([&](auto k) __attribute__((always_inline)) {
    constexpr const Operand& operand = K::info.operands[k];  // GCC 13.2 fails on a copy
    if constexpr (operand.scattered())
      at[k] = pass.operand[k];
    else if constexpr (operand.tiled())
      at[k] = pass.operand[k] + tile_at(operand, operation, pass.row, pass.plane);
    else if constexpr (operand.lines > 0)
      at[k] = pass.operand[k] + operation * LINE * operand.lines;
  });
  return at;
}

template <class K, class V, Shape SHAPE>
[[gnu::always_inline]] inline void prefetch(const Pass& pass, const At& at) noexcept {
  unrolled<OPERANDS>([&](auto k) __attribute__((always_inline)) {
    constexpr const Operand& operand = K::info.operands[k];  // GCC 13.2 fails on a copy
    const auto step = operand.tiled() ? pass.row : LINE;
    unrolled<operand.scattered() ? 0 : operand.lines>([&](auto l) __attribute__((always_inline)) {
      if constexpr (SHAPE.prefetch && operand.loads) V::prefetch(at[k] + l * step + pass.prefetch);
      if constexpr (SHAPE.prefetch_write && operand.stores) V::prefetch_write(at[k] + l * step + pass.prefetch_write);
    });
  });
}

/// Return the place of operation number `I` of a step, which is in stream I / unroll.
template <Shape SHAPE, std::size_t I>
constexpr std::uint64_t place(std::uint64_t from, std::uint64_t distance) noexcept {
  return from + I / SHAPE.unroll * distance + I % SHAPE.unroll;
}

/// Run the operations FIRST + J of a step: all loads, then all stores.
template <class K, class V, Shape SHAPE, std::size_t FIRST, std::size_t... J>
[[gnu::always_inline]] inline void batch(State<V>& state, const Pass& pass, std::uint64_t from, std::uint64_t distance,
                                         std::index_sequence<J...>) noexcept {
  const At at[]{locate<K>(pass, place<SHAPE, FIRST + J>(from, distance))...};
  (prefetch<K, V, SHAPE>(pass, at[J]), ...);
  const decltype(K::template load<0>(state, at[0])) line[]{
      K::template load<(FIRST + J) % ACCUMULATORS>(state, at[J])...};
  (K::store(state, at[J], line[J]), ...);
}

template <class K, class V, Shape SHAPE, std::size_t... B>
[[gnu::always_inline]] inline void step(State<V>& state, const Pass& pass, std::uint64_t from, std::uint64_t distance,
                                        std::index_sequence<B...>) noexcept {
  constexpr std::size_t lines = SHAPE.streams * SHAPE.unroll / sizeof...(B);
  (batch<K, V, SHAPE, B * lines>(state, pass, from, distance, std::make_index_sequence<lines>{}), ...);
}

/// Run the batches of one step: the operations of one are loaded together.
template <class K>
constexpr std::size_t batches(Shape shape) noexcept {
  const std::size_t operations = shape.streams * shape.unroll;
  const bool together = K::loads && K::store_kind == Store::nt && operations % BATCH == 0;
  return together ? operations / BATCH : operations;
}

/// Return the operations between two streams of a range of `left`. Far streams are spread evenly over the sets of a
/// first-level cache; there are as many sets as a page has lines. At a multiple of a page, they would all meet in one
/// set, and bandwidth halves (copy, eight streams: 8 instead of 17 GB/s). The rest is the next, shorter range.
constexpr std::uint64_t distance_of(Shape shape, std::uint64_t left) noexcept {
  constexpr std::uint64_t sets = PAGE / LINE;
  if (shape.paged) return sets;
  const std::uint64_t even = left / shape.streams, wanted = sets / shape.streams / shape.unroll * shape.unroll;
  return even < 2 * sets ? even : even - (even - wanted) % sets;
}

/// Run the pass of one kernel in one shape. The range must be a multiple of the shape's granule; that of a burst, of
/// its unrolled lines. Stores that bypass the caches are left unordered: the bench fences once per block, not once per
/// burst.
template <class K, class V, Shape SHAPE>
std::uint64_t walk(Pass& its) noexcept {
  const Pass pass = its;  // a copy that no store can change: it stays in registers
  State<V> state(K::factor);
  state.row = pass.row;
  state.plane = pass.plane;
  for (std::uint64_t r = 0; r < pass.repeats; ++r)
    for (std::uint64_t at = pass.begin; at < pass.end;) {
      const std::uint64_t distance = pass.distance > 0 ? pass.distance : distance_of(SHAPE, pass.end - at);
      const std::uint64_t last = pass.distance > 0 ? pass.end : at + distance;
      for (std::uint64_t off = at; off < last; off += SHAPE.unroll)
        step<K, V, SHAPE>(state, pass, off, distance, std::make_index_sequence<batches<K>(SHAPE)>{});
      at = last + (SHAPE.streams - 1) * distance;
    }
  if constexpr (K::info.sums) return state.total();
  if constexpr (K::info.reduces) return state.reduced();
  return 0;
}

struct Layout {
  unsigned streams, unroll;
  bool paged;
};
/// The layouts worth trying, selected from many more (docs/method.md, "Bandwidth"): for stores that stay in the caches,
/// and for those that bypass them.
inline constexpr Layout CACHED[] = {{1, 1, false}, {1, 4, false},  {4, 1, false}, {8, 1, false},
                                    {8, 2, false}, {12, 1, false}, {4, 1, true}};
inline constexpr Layout STREAMED[] = {{1, 1, false},  {1, 4, false}, {4, 1, false}, {8, 1, false},
                                      {12, 1, false}, {4, 1, true},  {4, 2, true},  {8, 2, true}};
/// Most lines that a step touches. More gained nothing, and the prefetcher of the second-level cache follows 32 streams
/// (Intel, "64 and IA-32 Architectures Optimization Reference Manual", data prefetch to the L2).
constexpr unsigned STEP_LINES = 32;

template <class K>
constexpr std::span<const Layout> layouts() noexcept {
  if (K::store_kind == Store::nt || K::store_kind == Store::direct) return STREAMED;
  return CACHED;
}
template <class K>
constexpr bool fits(const Layout& layout) noexcept {
  return layout.streams * layout.unroll * K::info.lines() <= STEP_LINES;
}
template <class K>
constexpr std::size_t layout_count() noexcept {
  std::size_t count = 0;
  for (const auto& layout : layouts<K>()) count += fits<K>(layout) ? 1 : 0;
  return count;
}
/// Return the `number`th layout that fits kernel K.
template <class K>
constexpr Layout layout_at(std::size_t number) noexcept {
  for (const auto& layout : layouts<K>())
    if (fits<K>(layout) && number-- == 0) return layout;
  return {};
}

/// Return the useful prefetches: none; for the loads if there are any; for plain stores, too. A scattered element has
/// no address before its index is loaded.
template <class K>
constexpr std::size_t prefetch_modes() noexcept {
  return 1 + (K::loads_ahead ? 1 : 0) + (K::stores_ahead ? 1 : 0);
}
template <class K>
constexpr Shape shape_of(const Layout& layout, std::size_t mode) noexcept {
  const bool last = mode + 1 == prefetch_modes<K>();
  return {layout.streams, layout.unroll, layout.paged, mode > 0 && K::loads_ahead, mode > 0 && K::stores_ahead && last};
}

template <class K, class V, std::size_t... I>
constexpr auto variants(std::index_sequence<I...>) noexcept {
  constexpr auto modes = prefetch_modes<K>();
  return std::array<Variant, sizeof...(I)>{Variant{shape_of<K>(layout_at<K>(I / modes), I % modes),
                                                   &walk<K, V, shape_of<K>(layout_at<K>(I / modes), I % modes)>}...};
}

/// A kernel with its own pass, because it is not a loop over lines: it has one loop variant.
template <class K>
concept OwnPass = requires(Pass& its) { K::pass(its); };

/// Every variant of one kernel on one ISA; the reference ISA only visits one line after the other.
template <class K, class V>
struct Variants {
  static constexpr std::size_t count = V::reference ? 1 : layout_count<K>();
  static constexpr auto table = variants<K, V>(std::make_index_sequence<count * prefetch_modes<K>()>{});
};
template <OwnPass K, class V>
struct Variants<K, V> {
  static constexpr std::array<Variant, 1> table{Variant{Shape{}, &K::pass}};
};

/// The meaning of a kernel's operands for its loops; kernels derive from it and may hide `factor`.
template <const KernelInfo& INFO, class STORE>
struct Walked {
  static constexpr const KernelInfo& info = INFO;
  static constexpr Store store_kind = INFO.store == Store::none ? Store::none : STORE::kind;
  static constexpr double factor = 1.0;
  static constexpr bool loads = [] {
    bool any = false;
    for (const auto& operand : INFO.operands) any = any || operand.loads;
    return any;
  }();
  /// Whether there is anything to prefetch: places that are known ahead.
  static constexpr bool loads_ahead = [] {
    bool any = false;
    for (const auto& operand : INFO.operands) any = any || (operand.loads && !operand.scattered());
    return any;
  }();
  static constexpr bool stores_ahead = [] {
    bool any = false;
    for (const auto& operand : INFO.operands) any = any || (operand.stores && !operand.scattered());
    return any && store_kind == Store::plain;
  }();
};

}  // namespace tierscope::kernels
