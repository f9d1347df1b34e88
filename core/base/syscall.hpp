/// Thin, typed wrappers of the system calls that the C library does not offer without libnuma.
#pragma once
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

struct perf_event_attr;  // of linux/perf_event.h

namespace tierscope::sys {

/// mbind(2), MPOL_BIND to one node, before the pages are touched. 0, or -1 with errno.
int mbind(std::span<std::byte> bytes, unsigned node) noexcept;
/// set_mempolicy(2): the node of pages that the calling thread touches first; -1: any node. 0, or -1 with errno.
int bind_thread(int node) noexcept;
/// Returns memory that malloc keeps after a free to the system, so that it is not used again on another node.
void give_back_freed() noexcept;
/// move_pages(2) with no target: status[i] becomes the node of pages[i], or -errno.
int page_nodes(std::span<void*> pages, std::span<int> status) noexcept;
/// The CPU this thread runs on now.
unsigned current_cpu() noexcept;
/// Pin the calling thread to one CPU, or to several. 0, or -1 with errno.
int pin(unsigned cpu) noexcept;
int pin(std::span<const unsigned> cpus) noexcept;
/// The CPUs this process may run on.
std::vector<unsigned> allowed_cpus();
/// futex(2): sleeps while `word` has this value. May return early, so the caller looks again.
void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;
/// Wakes one thread that sleeps on `word`.
void wake_one(std::atomic<std::uint32_t>& word) noexcept;
/// Context switches of the calling thread so far, involuntary and voluntary.
std::uint64_t context_switches() noexcept;
/// Raises the limit of open files from the usual 1024 to the allowed maximum: an event takes one on each thread.
void raise_file_limit() noexcept;
/// perf_event_open(2), closed when a program is started. leader: the leader of the events that are counted together,
/// -1: none. cpu: of all that happens there, -1: of the calling thread on any CPU. Returns the file, or -1 with errno.
int perf_event_open(perf_event_attr& attributes, int leader, int cpu) noexcept;

}  // namespace tierscope::sys
