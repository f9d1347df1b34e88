#include "base/fault.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

namespace tierscope::fault {
namespace {

constinit thread_local Watch* watching = nullptr;  // plain data: a handler may read it

/// A fault without a watch occurs again once the handler is gone, and then ends the process.
void on_fault(int signal, siginfo_t* info, void* context) {
  if (info->si_code == BUS_MCEERR_AO) return;  // reported ahead of any access; the access will raise it again
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (watching == nullptr || info->si_code <= 0 ||
      !watching->take(address, info->si_code, static_cast<ucontext_t*>(context)->uc_sigmask)) {
    std::signal(signal, SIG_DFL);
    if (info->si_code <= 0) std::raise(signal);  // sent by a process: there is no access that would be repeated
  }
}

}  // namespace

/// Does not save the signal mask, which would cost a system call; `take` restores it.
bool Watch::run(After after, const std::function<void()>& action) {
  after_ = after;
  address_ = 0;
  watching = this;
  if (sigsetjmp(back_, 0) == 0) action();  // NOLINT(cert-err52-cpp): no exception can leave a signal's handler
  watching = nullptr;
  return !hit();
}

bool Watch::take(std::uintptr_t address, int code, const sigset_t& mask) noexcept {
  for (const auto range : ranges_) {
    const auto first = reinterpret_cast<std::uintptr_t>(range.data());
    if (address < first || address >= first + range.size()) continue;
    if (address_ == 0) {
      code_ = code;
      address_ = address;
    }
    if (after_ == After::leave) {
      pthread_sigmask(SIG_SETMASK, &mask, nullptr);
      siglongjmp(back_, 1);  // NOLINT(cert-err52-cpp)
    }
    void* zeros = mmap(range.data(), range.size(), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    return zeros != MAP_FAILED;
  }
  return false;
}

void listen() {
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

const char* reason(int code) noexcept {
  if (code == BUS_MCEERR_AR || code == BUS_MCEERR_AO)
    return "the memory reported an error that it cannot correct; bad blocks of persistent memory: ndctl list -NM, of "
           "DRAM: dmesg";
  return "no memory could be had there: its file was cut short, its file system or the huge pages ran out, or the "
         "medium has a bad block (ndctl list -NM; dmesg)";
}

std::string told(const Watch& watch, std::span<const std::byte> memory) {
  const auto offset = watch.address() - reinterpret_cast<std::uintptr_t>(memory.data());
  return "byte " + std::to_string(offset) + " of its " + std::to_string(memory.size()) +
         " cannot be read or written (SIGBUS): " + reason(watch.code());
}

}  // namespace tierscope::fault
