/// A loop as machine code of this processor, in memory that is never writable and executable at the same time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "loops/steps.hpp"
#include "loops/walk.hpp"

namespace tierscope::loops {

/// Run a number of iterations, at least one. Cursors are read from the frame and written back to it.
using Function = void (*)(Frame*, std::uint64_t);

/// Return "", or the reason why this build cannot make code: it knows neither x86-64 nor AArch64.
const char* lacking() noexcept;

/// Return the bytes of a function, for the processor of this build. @pre lacking() returns ""
std::vector<std::byte> assemble(const Shape& shape);

class Code {
 public:
  /// @throws Unsupported if the processor is another, or the system lets no process run what it wrote
  explicit Code(const Shape& shape) : Code(assemble(shape)) {}
  explicit Code(const Walk& walk) : Code(assemble(walk)) {}
  ~Code();
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  [[nodiscard]] Function function() const noexcept { return reinterpret_cast<Function>(memory_.data()); }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return memory_; }

 private:
  explicit Code(const std::vector<std::byte>& code);
  std::span<std::byte> memory_;
};

}  // namespace tierscope::loops
