/// Whether an instruction runs here, found by trying it: an emulator, a hypervisor or a kernel may promise instructions
/// that it does not run.
#pragma once
#include <array>
#include <csetjmp>
#include <csignal>
#include <cstddef>

namespace tierscope::cpu {

/// Runs `instruction(page)` on an aligned page of its own; SIGILL means no. For one thread, before others start.
inline bool runs(void (*instruction)(void* page)) {
  static sigjmp_buf back;
  struct sigaction mine{};
  struct sigaction before{};
  mine.sa_handler = [](int) { siglongjmp(back, 1); };
  sigemptyset(&mine.sa_mask);
  if (sigaction(SIGILL, &mine, &before) != 0) return false;
  alignas(4096) std::array<std::byte, 4096> page{};
  volatile bool ran = false;
  if (sigsetjmp(back, 1) == 0) {
    instruction(page.data());
    ran = true;
  }
  sigaction(SIGILL, &before, nullptr);
  return ran;
}

}  // namespace tierscope::cpu
