/// A kernel that writes down what it was asked to do: the order of steps is tested without any clock.
/// It stores a line of its own per operation, so that an operation left out, or done twice, shows.
#pragma once
#include <vector>

#include "base/registry.hpp"
#include "kernels/kernel.hpp"

namespace tierscope::tests::spy {

struct Call {
  std::uint64_t begin, end, repeats, distance = 0;
  bool operator==(const Call&) const = default;
};

/// The calls of one thread at a time; the last test's calls stay until `calls().clear()`.
inline std::vector<Call>& calls() {
  static std::vector<Call> list = [] {
    std::vector<Call> room;
    room.reserve(1 << 16U);  // nothing may allocate within a block
    return room;
  }();
  return list;
}

template <unsigned STREAMS>
std::uint64_t walk(kernels::Pass& pass) noexcept {
  if (calls().size() < calls().capacity()) calls().push_back({pass.begin, pass.end, pass.repeats, pass.distance});
  for (unsigned stream = 0; stream < (pass.distance > 0 ? STREAMS : 1); ++stream)
    for (std::uint64_t line = pass.begin + stream * pass.distance; line < pass.end + stream * pass.distance; ++line)
      for (std::size_t i = 0; i < kernels::LINE; i += 8)
        *reinterpret_cast<std::uint64_t*>(pass.operand[0] + line * kernels::LINE + i) =
            *reinterpret_cast<const std::uint64_t*>(pass.operand[1] + line * kernels::LINE + i) + 1;
  return 0;
}
inline std::uint64_t pass(kernels::Pass& pass) noexcept { return walk<1>(pass); }

inline constexpr kernels::KernelInfo info{.name = "spy",
                                          .summary = "writes down its calls",
                                          .source = "this file",
                                          .operands = {{{.lines = 1, .stores = true}, {.lines = 1, .loads = true}}},
                                          .store = kernels::Store::plain};
inline constexpr kernels::Variant variants[] = {{{.streams = 1, .unroll = 1}, &pass},
                                                {{.streams = 2, .unroll = 4}, &walk<2>},
                                                {{.streams = 4, .unroll = 1, .paged = true}, &walk<4>}};
inline kernels::Table table() noexcept { return variants; }
inline kernels::Function reference() noexcept { return &pass; }
inline constexpr kernels::KernelEntry entry{"spy/scalar",          "spy",  "scalar",  0, "", &info,
                                            kernels::Store::plain, &table, &reference};

/// The same kernel, built for no processor.
inline constexpr kernels::KernelEntry elsewhere{
    "spy/warp", "spy", "warp", 9, "warp_drive", &info, kernels::Store::plain, &table, &reference};
/// The same kernel under another name on three ISAs that run everywhere; the best is between the others.
inline constexpr kernels::KernelEntry ranked[]{
    {"ranked/a", "ranked", "a", 1, "", &info, kernels::Store::plain, &table, &reference},
    {"ranked/b", "ranked", "b", 2, "", &info, kernels::Store::plain, &table, &reference},
    {"ranked/c", "ranked", "c", 0, "", &info, kernels::Store::plain, &table, &reference}};
/// The same kernel where the ISA has no such store: an empty table.
inline kernels::Table no_table() noexcept { return {}; }
inline constexpr kernels::KernelEntry empty{"spy_nt/scalar", "spy_nt",           "scalar",  0,         "",
                                            &info,           kernels::Store::nt, &no_table, &reference};

}  // namespace tierscope::tests::spy
