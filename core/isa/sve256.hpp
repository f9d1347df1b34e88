/// SVE where the kernel grants vectors of 256 bits.
/// Build: Sve256, rank 3, on aarch64 arm64, features "sve256"
/// Flags: -march=armv8.2-a+sve -msve-vector-bits=256
#pragma once
#include "isa/sve/fixed.hpp"

namespace tierscope::isa {

struct Sve256 : sve::Fixed<256> {};
static_assert(Isa<Sve256>);

}  // namespace tierscope::isa
