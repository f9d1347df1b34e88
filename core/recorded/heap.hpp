/// Heaps of structures in volatile memory, which replace malloc in this executable while one is in use: the places of
/// blocks follow from the calls alone, not from what the process did before. As in malloc, blocks begin 8 bytes behind
/// a multiple of 16 that contains their size, and a block that is freed is the next one returned for this size. Unlike
/// malloc's, blocks are neither split nor joined. An empty heap begins again.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tierscope::recorded::heap {

constexpr std::uint64_t NOWHERE = ~std::uint64_t{0};

/// @throws SystemError where addresses are scarce (ulimit -v); std::logic_error on another thread than the first one's
void use(unsigned number);
void leave() noexcept;
/// Return the place of an address in one of them; else NOWHERE.
std::uint64_t place(std::uintptr_t at) noexcept;

}  // namespace tierscope::recorded::heap
