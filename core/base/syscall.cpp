#include "base/syscall.hpp"

#include <linux/futex.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace tierscope::sys {
namespace {
constexpr int POLICY_BIND = 2;    // MPOL_BIND, uapi/linux/mempolicy.h
constexpr unsigned NODES = 1024;  // bits of the node mask: the kernel's own upper limit
constexpr unsigned CPUS = 8192;   // the same of CPUs: NR_CPUS of a large kernel
constexpr unsigned WORD = 8 * sizeof(unsigned long);
}  // namespace

int mbind(std::span<std::byte> bytes, unsigned node) noexcept {
  if (node >= NODES) {
    errno = EINVAL;
    return -1;
  }
  std::array<unsigned long, NODES / WORD> mask{};
  mask[node / WORD] = 1UL << (node % WORD);
  return static_cast<int>(syscall(SYS_mbind, bytes.data(), bytes.size(), POLICY_BIND, mask.data(), NODES + 1, 0));
}

int bind_thread(int node) noexcept {
  if (node < 0) return static_cast<int>(syscall(SYS_set_mempolicy, 0, nullptr, 0));
  const auto number = static_cast<unsigned>(node);
  if (number >= NODES) {
    errno = EINVAL;
    return -1;
  }
  std::array<unsigned long, NODES / WORD> mask{};
  mask[number / WORD] = 1UL << (number % WORD);
  return static_cast<int>(syscall(SYS_set_mempolicy, POLICY_BIND, mask.data(), NODES + 1));
}

void give_back_freed() noexcept {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

int page_nodes(std::span<void*> pages, std::span<int> status) noexcept {
  return static_cast<int>(syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, status.data(), 0));
}

unsigned current_cpu() noexcept {
  unsigned cpu = 0;
  syscall(SYS_getcpu, &cpu, nullptr, nullptr);
  return cpu;
}

int pin(unsigned cpu) noexcept { return pin({&cpu, 1}); }

int pin(std::span<const unsigned> cpus) noexcept {
  std::array<unsigned long, CPUS / WORD> mask{};
  for (const unsigned cpu : cpus) {
    if (cpu >= CPUS) {
      errno = EINVAL;
      return -1;
    }
    mask[cpu / WORD] |= 1UL << (cpu % WORD);
  }
  return static_cast<int>(syscall(SYS_sched_setaffinity, 0, sizeof mask, mask.data())) < 0 ? -1 : 0;
}

std::vector<unsigned> allowed_cpus() {
  std::array<unsigned long, CPUS / WORD> mask{};
  std::vector<unsigned> cpus;
  if (syscall(SYS_sched_getaffinity, 0, sizeof mask, mask.data()) < 0) return cpus;
  for (unsigned cpu = 0; cpu < CPUS; ++cpu)
    if ((mask[cpu / WORD] >> (cpu % WORD) & 1UL) != 0) cpus.push_back(cpu);
  return cpus;
}

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t), "the kernel reads the word itself");

void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake_one(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

std::uint64_t context_switches() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_nivcsw) + static_cast<std::uint64_t>(usage.ru_nvcsw);
}

void raise_file_limit() noexcept {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == files.rlim_max) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

int perf_event_open(perf_event_attr& attributes, int leader, int cpu) noexcept {
  const int process = cpu < 0 ? 0 : -1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, process, cpu, leader, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace tierscope::sys
