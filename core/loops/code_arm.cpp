/// AArch64. Registers: x0 the frame, x10 iterations left, x2 to x9 the cursors (x2: the sum, the state), x11 a result
/// that is not used, x12 x13 x14 the frame's numbers, x15 the condition of a branch, x16 a distance.
/// Source of encodings: Arm, "Arm Architecture Reference Manual for A-profile architecture", C6.
#if defined(__aarch64__)
#include <utility>

#include "loops/code.hpp"

namespace tierscope::loops {
namespace {

constexpr std::uint32_t FRAME = 0, CURSOR = 2, LEFT = 10, WASTE = 11, ADDS = 12, TIMES = 13, MASK = 14, GOES_BY = 15,
                        FAR = 16;
constexpr std::uint32_t NUMBERS = CHAINS * 8, LINES = 128;  // places in the frame
constexpr std::uint32_t NOP = 0xD503201F;
constexpr std::size_t ALIGNED = 64;  // the alignment of the loop: one line of code

std::uint32_t load(std::uint32_t to, std::uint32_t base, std::uint32_t place) {
  return 0xF9400000U | place / 8 << 10U | base << 5U | to;
}
std::uint32_t store(std::uint32_t from, std::uint32_t base, std::uint32_t place) {
  return 0xF9000000U | place / 8 << 10U | base << 5U | from;
}
std::uint32_t add(std::uint32_t to, std::uint32_t left, std::uint32_t right) {
  return 0x8B000000U | right << 16U | left << 5U | to;
}

class Assembler {
 public:
  void put(std::uint32_t word) {
    for (unsigned b = 0; b < 4; ++b) code.push_back(static_cast<std::byte>(word >> 8 * b));
  }
  /// A load from base + distance; the distance is put together in a register.
  void look(std::uint32_t base, std::uint64_t distance) {
    put(0xD2800000U | static_cast<std::uint32_t>(distance & 0xFFFFU) << 5U | FAR);         // movz
    put(0xF2A00000U | static_cast<std::uint32_t>(distance >> 16U & 0xFFFFU) << 5U | FAR);  // movk, lsl 16
    put(0xF8606800U | FAR << 16U | base << 5U | WASTE);                                    // ldr x11, [base, x16]
  }
  void step(const Step& step, const Shape& shape);
  std::vector<std::byte> code;
  std::size_t top = 0;
};

void Assembler::step(const Step& step, const Shape& shape) {
  const auto cursor = CURSOR + step.chain;
  switch (step.does) {
    case Does::hop:
      return put(load(cursor, cursor, 0));
    case Does::look:
      return look(cursor, shape.distance * (step.which + 1));
    case Does::nop:
      return put(NOP);
    case Does::integer:
      return put(0x91000400U | ADDS << 5U | WASTE);  // add x11, x12, #1
    case Does::result:
      return put(add(WASTE, ADDS, TIMES));
    case Does::vector:
      return put(0x4EA08401U);  // add v1.4s, v0.4s, v0.4s
    case Does::sum:
      return put(add(CURSOR, CURSOR, ADDS));
    case Does::load:
      return put(load(WASTE, FRAME, LINES + 64 * step.which));
    case Does::store:
      return put(store(ADDS, FRAME, LINES + 64 * step.which));
    case Does::draw:
      return put(0x9B000000U | TIMES << 16U | ADDS << 10U | CURSOR << 5U | CURSOR);  // madd
    case Does::mask:
      return put(0xEA000000U | MASK << 16U | CURSOR << 5U | GOES_BY);  // ands
    case Does::turn:
      return put(0x54000044U);  // b.mi over one instruction
    case Does::count:
      return put(0xF1000400U | LEFT << 5U | LEFT);  // subs x10, x10, #1
    case Does::back: {
      const auto words = static_cast<std::uint32_t>((top - code.size()) / 4);
      return put(0x54000001U | (words & 0x7FFFFU) << 5U);  // b.ne
    }
  }
}

}  // namespace

const char* lacking() noexcept { return ""; }

std::vector<std::byte> assemble(const Shape& shape) {
  Assembler to;
  to.put(0xAA0103E0U | LEFT);  // mov x10, x1
  to.put(0x4F000400U);         // movi v0.4s, #0
  for (std::uint32_t n = 0; n < 3; ++n) to.put(load(ADDS + n, FRAME, NUMBERS + 8 * n));
  for (std::uint32_t c = 0; c < CHAINS; ++c) to.put(load(CURSOR + c, FRAME, 8 * c));
  while (to.code.size() % ALIGNED != 0) to.put(NOP);
  to.top = to.code.size();
  for (const auto& step : steps_of(shape)) to.step(step, shape);
  for (std::uint32_t c = 0; c < CHAINS; ++c) to.put(store(CURSOR + c, FRAME, 8 * c));
  to.put(0xD65F03C0U);  // ret
  static_assert(TIMES == ADDS + 1 && MASK == ADDS + 2);
  return std::move(to.code);
}

}  // namespace tierscope::loops
#endif
