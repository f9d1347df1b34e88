// SPDX-License-Identifier: GPL-2.0-or-later
/// Machine code of x86-64 -> Instruction.
#pragma once
#include <cstddef>

#include "instruction.hpp"

namespace tierscope::tracer {

/// What the bytes at `address` do. Bytes that Zydis does not know are Class::other without registers.
[[nodiscard]] Instruction decode(const void* bytes, std::size_t size, std::uint64_t address) noexcept;

}  // namespace tierscope::tracer
