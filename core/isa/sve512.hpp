/// SVE where the kernel grants vectors of 512 bits.
/// Build: Sve512, rank 4, on aarch64 arm64, features "sve512"
/// Flags: -march=armv8.2-a+sve -msve-vector-bits=512
#pragma once
#include "isa/sve/fixed.hpp"

namespace tierscope::isa {

struct Sve512 : sve::Fixed<512> {};
static_assert(Isa<Sve512>);

}  // namespace tierscope::isa
