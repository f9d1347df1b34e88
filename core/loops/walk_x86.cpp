/// x86-64. Registers: rdi the frame, rsi iterations left, rax the sum, rdx what is added.
/// Source of encodings: Intel, "64 and IA-32 Architectures Software Developer's Manual", volume 2.
#if defined(__x86_64__)
#include <array>
#include <utility>

#include "loops/steps.hpp"
#include "loops/walk.hpp"

namespace tierscope::loops {
namespace {

constexpr std::array<unsigned, FILLED> NOP{0x0F, 0x1F, 0x84, 0, 0, 0, 0, 0};
constexpr std::array<unsigned, 3> ADD{0x48, 0x01, 0xD0};                                        // add rax, rdx
constexpr std::array<unsigned, 3> LESS{0x48, 0xFF, 0xCE};                                       // dec rsi
constexpr std::array<unsigned, 8> ENTRY{0x48, 0x8B, 0x07, 0x48, 0x8B, 0x57, CHAINS * 8, 0xE9};  // two loads; jump
constexpr std::array<unsigned, 4> LEAVE{0x48, 0x89, 0x07, 0xC3};                                // mov [rdi], rax; ret
constexpr std::array<unsigned, 1> JUMP{0xE9};
constexpr std::array<unsigned, 2> AGAIN{0x0F, 0x85};  // jnz

class Writer {
 public:
  explicit Writer(std::size_t bytes) : code(bytes) {}
  void to(std::size_t place) { at_ = place; }
  template <std::size_t N>
  void put(const std::array<unsigned, N>& all) {
    for (const auto one : all) code[at_++] = static_cast<std::byte>(one);
  }
  /// The distance of a jump to `place`, from its own end.
  void distance(std::size_t place) {
    const auto far = static_cast<std::uint32_t>(place - (at_ + 4));
    for (unsigned b = 0; b < 4; ++b) code[at_++] = static_cast<std::byte>(far >> 8 * b);
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
  to.put(ENTRY);
  to.distance(place(0));
  for (std::size_t n = 0; n < runs.size(); ++n) {
    to.to(place(n));
    for (std::uint64_t f = 0; f < runs[n].fillers(); ++f) to.put(NOP);
    to.put(ADD);
    const bool last = n + 1 == runs.size();
    if (last) {
      to.put(LESS);
      to.put(AGAIN);
    } else {
      to.put(JUMP);
    }
    to.distance(place(last ? 0 : n + 1));
    if (last) to.put(LEAVE);
  }
  return std::move(to.code);
}

}  // namespace tierscope::loops
#endif
