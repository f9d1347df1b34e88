/// SVE where the kernel grants vectors of 128 bits.
/// Build: Sve128, rank 2, on aarch64 arm64, features "sve128"
/// Flags: -march=armv8.2-a+sve -msve-vector-bits=128
#pragma once
#include "isa/sve/fixed.hpp"

namespace tierscope::isa {

struct Sve128 : sve::Fixed<128> {};
static_assert(Isa<Sve128>);

}  // namespace tierscope::isa
