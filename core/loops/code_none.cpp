/// For processors without an assembler here.
#if !defined(__x86_64__) && !defined(__aarch64__)
#include "loops/code.hpp"
#include "loops/walk.hpp"

namespace tierscope::loops {

const char* lacking() noexcept {
  return "kernel loop is made of instructions of x86-64 or AArch64, and this processor is another";
}
std::vector<std::byte> assemble(const Shape&) { return {}; }
std::vector<std::byte> assemble(const Walk&) { return {}; }

}  // namespace tierscope::loops
#endif
