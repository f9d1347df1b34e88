#include "shadow/stores.hpp"

#include <ucontext.h>
#include <csignal>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "shadow/memory.hpp"

namespace tierscope::shadow {

#if defined(__x86_64__)
namespace {

using Mapping = Stores::Mapping;

constexpr greg_t TRAP_FLAG = 0x100;  // EFLAGS.TF: a trap after the next instruction
constexpr std::size_t LINES = PAGE / LINE;
constexpr std::size_t OPEN = 4;  // pages that one instruction may store to: two, and two more of a scattered store

/// The state of the handlers. They run anywhere, so nothing here allocates or locks but by spinning with all signals
/// off.
struct Watch {
  std::array<Mapping, 64> mappings;
  std::size_t mapping_count;
  std::array<std::size_t, Stores::MOST_PAGES> pages;  // numbers in the file, of `copies`
  std::array<std::array<std::byte, PAGE>, Stores::MOST_PAGES> copies;
  std::size_t page_count;
  std::array<Stored, Stores::MOST> noted;
  std::size_t noted_count;
  std::atomic_flag busy;
  struct sigaction segv, trap;  // the program's own
};
/// Kept once it was there, as are the handlers: a thread may have faulted just before the watch ends.
Watch* the_watch = nullptr;
std::atomic<bool> active{false};

/// Pages that the instruction of this thread has opened; how often it faulted in vain after a watch.
struct Opened {
  std::array<std::uintptr_t, OPEN> at;
  std::size_t count;
  unsigned late;
};
thread_local Opened opened __attribute__((tls_model("initial-exec"))){};
constexpr unsigned MOST_LATE = 3;  // beyond that it is the program's own fault

/// No handler of the program comes between, where it could store and wait for a turn that its own thread has.
class Quiet {
 public:
  Quiet() noexcept {
    sigset_t all;
    sigfillset(&all);
    static_cast<void>(pthread_sigmask(SIG_SETMASK, &all, &before_));
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;
  ~Quiet() { static_cast<void>(pthread_sigmask(SIG_SETMASK, &before_, nullptr)); }

 private:
  sigset_t before_;
};

class Turn {
 public:
  explicit Turn(std::atomic_flag& flag) noexcept : flag_(flag) {
    while (flag_.test_and_set(std::memory_order_acquire)) __builtin_ia32_pause();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag& flag_;
};

const Mapping* mapping_of(const Watch& watch, std::uintptr_t at) noexcept {
  for (std::size_t i = 0; i < watch.mapping_count; ++i)
    if (watch.mappings[i].begin <= at && at < watch.mappings[i].end) return &watch.mappings[i];
  return nullptr;
}

int protect(std::uintptr_t begin, std::size_t size, int protection) noexcept {
  return memory::protect(reinterpret_cast<void*>(begin), size, protection);  // NOLINT(performance-no-int-to-ptr)
}

std::byte* copy_of(Watch& watch, std::size_t page) noexcept {
  for (std::size_t i = 0; i < watch.page_count; ++i)
    if (watch.pages[i] == page) return watch.copies[i].data();
  return nullptr;
}

/// Before the first store to it. False where there is no room: the page stays open, and its stores are not noted.
bool keep_copy(Watch& watch, std::uintptr_t at, std::size_t page) noexcept {
  if (copy_of(watch, page) != nullptr) return true;
  if (watch.page_count == watch.pages.size() || watch.noted_count == watch.noted.size()) return false;
  watch.pages[watch.page_count] = page;
  std::memcpy(watch.copies[watch.page_count++].data(), reinterpret_cast<const void*>(at), PAGE);
  return true;
}

/// Notes the lines of a page that differ from its copy.
void note(Watch& watch, std::uintptr_t at, std::size_t page) noexcept {
  auto* const before = copy_of(watch, page);
  const auto* const now = reinterpret_cast<const std::byte*>(at);
  for (std::size_t i = 0; i < LINES && watch.noted_count < watch.noted.size(); ++i) {
    if (std::memcmp(before + i * LINE, now + i * LINE, LINE) == 0) continue;
    auto& stored = watch.noted[watch.noted_count++];
    stored.line = page * LINES + i;
    std::memcpy(stored.before.data(), before + i * LINE, LINE);
    std::memcpy(before + i * LINE, now + i * LINE, LINE);
    std::memcpy(stored.after.data(), before + i * LINE, LINE);
  }
}

/// Pass a signal on to the handler that the program has for it.
void pass_on(int number, siginfo_t* what, void* context, const struct sigaction& to) noexcept {
  if ((to.sa_flags & SA_SIGINFO) != 0) return to.sa_sigaction(number, what, context);
  if (to.sa_handler != SIG_DFL && to.sa_handler != SIG_IGN) return to.sa_handler(number);
  static_cast<void>(sigaction(number, &to, nullptr));
  if (what->si_code <= 0 || number == SIGTRAP) static_cast<void>(raise(number));  // else it faults again
}

void on_store(int number, siginfo_t* what, void* context) noexcept {
  auto& watch = *the_watch;
  const auto at = reinterpret_cast<std::uintptr_t>(what->si_addr) / PAGE * PAGE;
  const auto* const mapping = what->si_code == SEGV_ACCERR ? mapping_of(watch, at) : nullptr;
  if (mapping == nullptr) return pass_on(number, what, context, watch.segv);
  if (!active) return opened.late++ < MOST_LATE ? void() : pass_on(number, what, context, watch.segv);
  const Turn turn(watch.busy);
  opened.late = 0;
  if (!active) return;  // ended meanwhile: the store is made again, and succeeds
  const auto page = (mapping->offset + (at - mapping->begin)) / PAGE;
  const bool follows = opened.count < OPEN && keep_copy(watch, at, page);
  static_cast<void>(protect(at, PAGE, PROT_READ | PROT_WRITE));
  if (!follows) return;
  opened.at[opened.count++] = at;
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

void on_step(int number, siginfo_t* what, void* context) noexcept {
  auto& watch = *the_watch;
  if (opened.count == 0) return pass_on(number, what, context, watch.trap);
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
  const Turn turn(watch.busy);
  while (opened.count > 0) {
    const auto at = opened.at[--opened.count];
    const auto* const mapping = active ? mapping_of(watch, at) : nullptr;
    if (mapping == nullptr) continue;
    note(watch, at, (mapping->offset + (at - mapping->begin)) / PAGE);
    static_cast<void>(protect(at, PAGE, PROT_READ));
  }
}

void take_over(int number, void (*handler)(int, siginfo_t*, void*) noexcept, struct sigaction& before) {
  struct sigaction ours{}, now{};
  if (sigaction(number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == handler) return;
  ours.sa_sigaction = handler;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&ours.sa_mask);
  static_cast<void>(sigaction(number, &ours, &before));
}

/// The part of the mappings that the program may write: /proc/self/maps, since it may have changed what mmap gave.
void add_writable(Watch& watch, std::span<const Mapping> mappings) {
  std::ifstream lines("/proc/self/maps");
  for (std::string line; std::getline(lines, line);) {
    std::uintptr_t begin = 0, end = 0;  // as in 7f0000000000-7f0000200000 rw-s ...
    const auto* const last = line.data() + line.size();
    const auto first = std::from_chars(line.data(), last, begin, 16);
    if (first.ec != std::errc{} || first.ptr == last) continue;
    const auto second = std::from_chars(first.ptr + 1, last, end, 16);
    if (second.ec != std::errc{} || !std::string_view(second.ptr, last).starts_with(" rw-s")) continue;
    for (const auto& each : mappings) {
      const auto from = std::max(begin, each.begin), to = std::min(end, each.end);
      if (from < to && watch.mapping_count < watch.mappings.size())
        watch.mappings[watch.mapping_count++] = {from, to, each.offset + (from - each.begin)};
    }
  }
}

}  // namespace

bool Stores::begin(std::span<const Mapping> mappings) {
  end();
  const Quiet quiet;
  if (the_watch == nullptr) {
    void* const room = memory::map(nullptr, sizeof(Watch), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) return false;
    the_watch = static_cast<Watch*>(room);  // zeros are what all of it begins with
  }
  auto& watch = *the_watch;
  watch.mapping_count = watch.page_count = watch.noted_count = 0;
  add_writable(watch, mappings);
  take_over(SIGSEGV, on_store, watch.segv);
  take_over(SIGTRAP, on_step, watch.trap);
  active = watching_ = true;
  for (std::size_t i = 0; i < watch.mapping_count; ++i)
    static_cast<void>(protect(watch.mappings[i].begin, watch.mappings[i].end - watch.mappings[i].begin, PROT_READ));
  return true;
}

void Stores::end() noexcept {
  if (!watching_) return;
  watching_ = false;
  auto& watch = *the_watch;
  const Quiet quiet;
  const Turn turn(watch.busy);
  for (std::size_t i = 0; i < watch.mapping_count; ++i)
    static_cast<void>(
        protect(watch.mappings[i].begin, watch.mappings[i].end - watch.mappings[i].begin, PROT_READ | PROT_WRITE));
  active = false;
}

std::vector<Stored> Stores::take() {
  if (the_watch == nullptr) return {};
  const Quiet quiet;
  const Turn turn(the_watch->busy);
  return {the_watch->noted.begin(), the_watch->noted.begin() + std::exchange(the_watch->noted_count, 0)};
}

#else

bool Stores::begin(std::span<const Mapping>) { return false; }
void Stores::end() noexcept {}
std::vector<Stored> Stores::take() { return {}; }

#endif

}  // namespace tierscope::shadow
