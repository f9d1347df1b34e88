#include "loops/code.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace tierscope::loops {

Code::Code(const std::vector<std::byte>& code) {
  constexpr std::size_t PAGE = 4096;
  if (const std::string why = lacking(); !why.empty()) throw Unsupported(why);
  const auto size = (code.size() + PAGE - 1) / PAGE * PAGE;
  void* const at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw SystemError("map " + std::to_string(size) + " bytes for a loop of instructions", errno);
  ::madvise(at, size, MADV_NOHUGEPAGE);  // as the code of most programs; a system without large pages refuses it
  memory_ = {static_cast<std::byte*>(at), size};
  std::ranges::copy(code, memory_.begin());
  if (::mprotect(at, size, PROT_READ | PROT_EXEC) != 0) {
    const std::string reason = std::strerror(errno);
    ::munmap(at, size);
    throw Unsupported("the system lets no process run instructions that it wrote: " + reason +
                      "; a security policy may allow it (SELinux: execmem)");
  }
  auto* const first = static_cast<char*>(at);
  __builtin___clear_cache(first, first + size);
}

Code::~Code() { ::munmap(memory_.data(), memory_.size()); }

}  // namespace tierscope::loops
