/// Turns SIGBUS into an error of one action. Memory of a target that is not accessible (a poisoned line, a truncated
/// file, a full file system) stops the action of one thread, not the process.
/// Costs a sigsetjmp without the signal mask for each action, some 10 ns, never one for each block.
/// Blind to: other memory. A fault outside the named ranges ends the process as before.
/// Source: POSIX.1-2017, sigsetjmp, sigaction (SIGBUS); Linux, Documentation/mm/hwpoison.rst.
#pragma once
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tierscope::fault {

/// The action of a thread after a fault.
enum class After : std::uint8_t {
  leave,  // its action ends there; the objects of the action are not destroyed, so they must be plain data
  zeros,  // it continues: zeros replace the whole range, so it may own any objects, but must only read
};

/// Watches some ranges of memory while an action runs on them. Must not be moved while it runs.
class Watch {
 public:
  explicit Watch(std::vector<std::span<std::byte>> ranges = {}) : ranges_(std::move(ranges)) {}
  /// @returns whether the action met no fault. Watches of one thread may not be nested.
  bool run(After after, const std::function<void()>& action);
  [[nodiscard]] bool hit() const noexcept { return address_ != 0; }
  /// The address of the first fault, and the code of the signal.
  [[nodiscard]] std::uintptr_t address() const noexcept { return address_; }
  [[nodiscard]] int code() const noexcept { return code_; }

  /// For the signal's handler; `mask`: of the thread before the signal. @returns false if the address is in no range
  bool take(std::uintptr_t address, int code, const sigset_t& mask) noexcept;

 private:
  std::vector<std::span<std::byte>> ranges_;
  After after_ = After::leave;
  sigjmp_buf back_{};
  volatile std::uintptr_t address_ = 0;
  volatile int code_ = 0;
};

/// Installs the handler; costs a system call, and may be repeated.
void listen();
/// Returns the meaning of a signal's code, and what to try.
const char* reason(int code) noexcept;
/// "byte 524288 of its 1048576 cannot be read or written (SIGBUS): " and the reason; the fault is in `memory`.
std::string told(const Watch& watch, std::span<const std::byte> memory);

}  // namespace tierscope::fault
