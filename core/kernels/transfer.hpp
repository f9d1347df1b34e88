/// Transfers: one thread chases pointers through lines that a second thread has in its cache, in a known state. Before
/// each block the first sends a request, and the second prepares every line; only then is the clock read. One operation
/// is therefore the load of one line from another core's cache, and no time includes its preparation.
/// The first line is the token of both. The data follow at every second line, so that a prefetcher of adjacent lines
/// fetches nothing that is read. The order is one random cycle.
/// Blind to: which level of the other core's caches, or which agent between them, sends the line.
/// Source: D. Molka et al., "Memory Performance and Cache Coherency Effects on an Intel Nehalem Multiprocessor System",
/// PACT 2009 (lines prepared in a coherence state, then chased); the same, ICPP 2015.
#pragma once
#include <atomic>

#include "kernels/kernel.hpp"

namespace tierscope::kernels::transfer {

constexpr std::uint64_t PATIENCE = 10'000;      // reads without an answer, about 10 us: the partner may have ended
constexpr std::uint64_t READER = 0, OWNER = 1;  // `state` of a pass

constexpr KernelInfo info_of(std::string_view name, std::string_view summary) noexcept {
  return {.name = name,
          .summary = summary,
          .source =
              "D. Molka et al., \"Memory Performance and Cache Coherency Effects on an Intel Nehalem Multiprocessor "
              "System\", PACT 2009",
          .check = Check::recomputed,
          .operands = {{{.lines = 1, .loads = true, .stores = true}}},
          .content = Content::cycle,
          .operation = "transfer",
          .program_bytes = 8,
          .bus_bytes = 64};
}

/// A line contains the next node of the chase, and the number of the owner's stores to it.
struct Node {
  std::uint64_t next;
  std::uint64_t stored;
};
inline Node* node(const Pass& pass, std::uint64_t number) noexcept {
  return reinterpret_cast<Node*>(pass.operand[0] + number * pass.element);
}
inline std::atomic_ref<std::uint64_t> token(const Pass& pass) noexcept {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(pass.operand[0]));
}

/// Run the reader. Without `repeats`, it sends a request and waits until the lines are prepared; `cursor` counts these
/// by twos. Otherwise it makes `repeats` hops from node 1. `written` counts chases of the whole cycle that did not end
/// where they began.
inline void read(Pass& pass) noexcept {
  if (pass.repeats == 0) {
    token(pass).store(pass.cursor + 1, std::memory_order_release);
    while (token(pass).load(std::memory_order_acquire) != pass.cursor + 2) {
    }
    pass.cursor += 2;
    return;
  }
  const auto first = reinterpret_cast<std::uint64_t>(node(pass, 1));
  auto at = first;
  for (auto left = pass.repeats; left > 0; --left) at = reinterpret_cast<const volatile Node*>(at)->next;
  if (at != first) ++pass.written;
}

/// Run the owner: prepare the lines at each request, until no request comes for a while.
template <class State>
inline void own(Pass& pass) noexcept {
  for (std::uint64_t waited = 0; waited < PATIENCE; ++waited) {
    if (token(pass).load(std::memory_order_acquire) != pass.cursor + 1) continue;
    State::prepare(pass);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    pass.cursor += 2;
    token(pass).store(pass.cursor, std::memory_order_release);
    return;
  }
}

template <class State>
inline std::uint64_t pass(Pass& pass) noexcept {
  if (pass.state == READER)
    read(pass);
  else
    own<State>(pass);
  return 0;
}

}  // namespace tierscope::kernels::transfer
