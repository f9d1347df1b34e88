/// AArch64. Registers: x0 the frame, x1 iterations left, x2 the sum, x3 what is added. Two nops are one filler.
/// Source of encodings: Arm, "Arm Architecture Reference Manual for A-profile architecture", C6.
#if defined(__aarch64__)
#include <utility>

#include "loops/steps.hpp"
#include "loops/walk.hpp"

namespace tierscope::loops {
namespace {

constexpr std::uint32_t NOP = 0xD503201F, ADD = 0x8B030042, LESS = 0xF1000421, OVER = 0x54000040, RETURN = 0xD65F03C0;
constexpr std::uint32_t LOAD_SUM = 0xF9400002, STORE_SUM = 0xF9000002, LOAD_ADDED = 0xF9400003U | CHAINS << 10U;

class Writer {
 public:
  explicit Writer(std::size_t bytes) : code(bytes) {}
  void to(std::size_t place) { at_ = place; }
  void put(std::uint32_t word) {
    for (unsigned b = 0; b < 4; ++b) code[at_++] = static_cast<std::byte>(word >> 8 * b);
  }
  void jump(std::size_t place) {
    put(0x14000000U | ((static_cast<std::uint32_t>(place) - static_cast<std::uint32_t>(at_)) / 4 & 0x3FFFFFFU));
  }
  std::vector<std::byte> code;

 private:
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::byte> assemble(const Walk& walk) {
  const auto runs = runs_of(walk);
  const auto place = [&](std::size_t n) { return CODE_PAGE + runs[n].begin; };
  Writer to(CODE_PAGE + walk.bytes);
  to.put(LOAD_SUM);
  to.put(LOAD_ADDED);
  to.jump(place(0));
  for (std::size_t n = 0; n < runs.size(); ++n) {
    to.to(place(n));
    for (std::uint64_t f = 0; f < runs[n].fillers(); ++f) {
      to.put(NOP);
      to.put(NOP);
    }
    to.put(ADD);
    const bool last = n + 1 == runs.size();
    if (last) {
      to.put(LESS);
      to.put(OVER);  // the jump back, after the last iteration
    }
    to.jump(place(last ? 0 : n + 1));
    if (!last) continue;
    to.put(STORE_SUM);
    to.put(RETURN);
  }
  return std::move(to.code);
}

}  // namespace tierscope::loops
#endif
