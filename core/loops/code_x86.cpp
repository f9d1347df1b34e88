/// x86-64. Registers: rdi the frame, r10 iterations left, rax rcx rdx rbx rbp rsi r8 r9 the cursors (rax: the sum, the
/// state). Other registers: r11 a result that is not used, r12 r13 r14 the frame's numbers, r15 the condition of a
/// branch.
/// A sum and a result add a register, because some cores remove the addition of a constant by renaming.
/// Source: A. Fog, "The microarchitecture of Intel, AMD and VIA CPUs", 2024; encodings: Intel, "64 and IA-32
/// Architectures Software Developer's Manual", volume 2.
#if defined(__x86_64__)
#include <initializer_list>

#include <utility>

#include "loops/code.hpp"

namespace tierscope::loops {
namespace {

constexpr std::array<unsigned, CHAINS> CURSORS{0, 1, 2, 3, 5, 6, 8, 9};
constexpr unsigned RDI = 7, R11 = 11, R12 = 12, R13 = 13, R14 = 14;
constexpr std::uint32_t NUMBERS = CHAINS * 8, LINES = 128;  // places in the frame
constexpr std::size_t ALIGNED = 64;                         // the alignment of the loop: one line of code

class Assembler {
 public:
  void bytes(std::initializer_list<unsigned> all) {
    for (const auto one : all) code.push_back(static_cast<std::byte>(one));
  }
  void word(std::uint32_t value) {
    for (unsigned b = 0; b < 4; ++b) code.push_back(static_cast<std::byte>(value >> 8 * b));
  }
  /// Encode mov reg, [base + place], or the reverse. @pre base is neither rsp nor r12
  void move(bool load, unsigned reg, unsigned base, std::uint32_t place) {
    bytes({0x48U | (reg >> 3U) << 2U | base >> 3U, load ? 0x8BU : 0x89U, 0x80U | (reg & 7U) << 3U | (base & 7U)});
    word(place);
  }
  void step(const Step& step, const Shape& shape);
  std::vector<std::byte> code;
  std::size_t top = 0;
};

void Assembler::step(const Step& step, const Shape& shape) {
  const auto cursor = CURSORS[step.chain];
  switch (step.does) {
    case Does::hop:
      return move(true, cursor, cursor, 0);
    case Does::look:
      return move(true, R11, cursor, static_cast<std::uint32_t>(shape.distance * (step.which + 1)));
    case Does::nop:
      return bytes({0x90});
    case Does::integer:
      return bytes({0x4D, 0x8D, 0x5C, 0x24, 0x01});  // lea r11, [r12 + 1]
    case Does::result:
      return bytes({0x4F, 0x8D, 0x1C, 0x2C});  // lea r11, [r12 + r13]
    case Does::vector:
      return bytes({0x66, 0x0F, 0x70, 0xC8, 0xB1});  // pshufd xmm1, xmm0
    case Does::sum:
      return bytes({0x4C, 0x01, 0xE0});  // add rax, r12
    case Does::load:
      return move(true, R11, RDI, LINES + 64 * step.which);
    case Does::store:
      return move(false, R12, RDI, LINES + 64 * step.which);
    case Does::draw:
      return bytes({0x49, 0x0F, 0xAF, 0xC5, 0x4C, 0x01, 0xE0});  // imul rax, r13; add rax, r12
    case Does::mask:
      return bytes({0x49, 0x89, 0xC7, 0x4D, 0x21, 0xF7});  // mov r15, rax; and r15, r14
    case Does::turn:
      return bytes({0x78, 0x01});  // js over one byte
    case Does::count:
      return bytes({0x49, 0xFF, 0xCA});  // dec r10
    case Does::back:
      bytes({0x0F, 0x85});  // jnz
      return word(static_cast<std::uint32_t>(top - (code.size() + 4)));
  }
}

}  // namespace

const char* lacking() noexcept { return ""; }

std::vector<std::byte> assemble(const Shape& shape) {
  Assembler to;
  to.bytes({0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57});  // push rbx rbp r12 r13 r14 r15
  to.bytes({0x49, 0x89, 0xF2, 0x66, 0x0F, 0xEF, 0xC0});                    // mov r10, rsi; pxor xmm0, xmm0
  for (unsigned n = 0; n < 3; ++n) to.move(true, R12 + n, RDI, NUMBERS + 8 * n);
  for (unsigned c = 0; c < CHAINS; ++c) to.move(true, CURSORS[c], RDI, 8 * c);
  while (to.code.size() % ALIGNED != 0) to.bytes({0x90});
  to.top = to.code.size();
  for (const auto& step : steps_of(shape)) to.step(step, shape);
  for (unsigned c = 0; c < CHAINS; ++c) to.move(false, CURSORS[c], RDI, 8 * c);
  to.bytes({0x41, 0x5F, 0x41, 0x5E, 0x41, 0x5D, 0x41, 0x5C, 0x5D, 0x5B, 0xC3});  // pop all; ret
  static_assert(R13 == R12 + 1 && R14 == R12 + 2);
  return std::move(to.code);
}

}  // namespace tierscope::loops
#endif
