/// Every variant of a kernel against scalar code, on small buffers: the tests run it for each ISA.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace tierscope {

struct SelfCheck {
  std::string kernel, isa;  // empty: all
  std::uint64_t operations = 512;
  std::uint64_t passes = 2;
  std::uint64_t seed = 1995;
};

/// Emit one JSON line per variant that runs here; return how many had a wrong answer.
std::size_t selfcheck(const SelfCheck& what, const std::function<void(const std::string&)>& emit);

}  // namespace tierscope
