#include "cli/guard.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>

#include "base/error.hpp"
#include "base/syscall.hpp"
#include "victims/command.hpp"

namespace tierscope {
namespace {

using command::Ending;
using Moment = std::chrono::steady_clock::time_point;
using Seconds = std::chrono::duration<double>;

constexpr Seconds GRACE{0.5};     // between SIGTERM and SIGKILL: a command may remove its files
constexpr Seconds PATIENCE{5};    // for processes that outlive SIGKILL: inside the kernel, or another user's
constexpr Seconds STEP{0.001};    // between two looks at what is left
constexpr int NOT_STARTED = 125;  // status, like timeout(1) and env(1); 124, too
constexpr int OVER_LIMIT = 124;

Moment after(Seconds wait) {
  return std::chrono::steady_clock::now() + std::chrono::duration_cast<Moment::duration>(wait);
}

template <class Number>
Number number(const std::string& word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size())
    throw BadPlan("guard: '" + word + "' is not a number; it is started by the core alone");
  return value;
}

std::vector<unsigned> cpus_of(const std::string& word) {
  std::vector<unsigned> cpus;
  for (std::size_t begin = 0; word != "all" && begin <= word.size();) {
    const auto comma = std::min(word.find(',', begin), word.size());
    cpus.push_back(number<unsigned>(word.substr(begin, comma - begin)));
    begin = comma + 1;
  }
  return cpus;
}

sigset_t watched() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&set, signal);
  return set;
}

/// Wait for one of the watched signals; return none at `until`.
std::optional<int> wait_signal(Moment until) {
  const auto left = until - std::chrono::steady_clock::now();
  const auto rest = std::max(std::chrono::nanoseconds(left), std::chrono::nanoseconds(0)).count();
  const timespec wait{static_cast<time_t>(rest / 1'000'000'000), static_cast<long>(rest % 1'000'000'000)};
  const auto set = watched();
  const int signal = sigtimedwait(&set, nullptr, &wait);
  return signal > 0 ? std::optional(signal) : std::nullopt;
}

constexpr int ANY_NODE = -1;

int node_of(const std::string& word) { return word == "any" ? ANY_NODE : number<int>(word); }

/// Start the line in a process group of its own; it dies with the guard.
pid_t start(const std::string& line) {
  const auto guard = getpid();
  const auto child = fork();
  if (child != 0) return child;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guard) _exit(NOT_STARTED);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
  dprintf(STDERR_FILENO, "/bin/sh: %s\n", std::strerror(errno));
  _exit(127);
}

/// All processes that the line started and that still run.
class Children {
 public:
  explicit Children(pid_t main) : main_(main) { setpgid(main, main); }  // parent or child does it first

  /// Collect the dead. @returns the wait status of the main one, once it is there.
  std::optional<int> reap() {
    int status = 0;
    pid_t child = 0;
    while ((child = waitpid(-1, &status, WNOHANG)) > 0)
      if (child == main_) ended_ = status;
    none_ = child < 0 && errno == ECHILD;
    return ended_;
  }
  void ask_to_end() {
    kill(-main_, SIGTERM);
    for (const auto until = after(GRACE); !reap() && std::chrono::steady_clock::now() < until;)
      wait_signal(after(STEP));
  }
  /// End all: children of the dead become ours, level by level, until there are none.
  void end() {
    for (const auto until = after(PATIENCE); reap(), !none_ && std::chrono::steady_clock::now() < until;) {
      if (!ended_) kill(-main_, SIGKILL);  // else the number may already be another's
      kill_own();
      wait_signal(after(STEP));
    }
  }

 private:
  static void kill_own() {
    DIR* folder = opendir("/proc");
    if (folder == nullptr) return;
    while (const dirent* entry = readdir(folder)) {
      const auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
      if (pid > 0 && parent_of(entry->d_name) == getpid()) kill(pid, SIGKILL);
    }
    closedir(folder);
  }
  /// Return the fourth field of /proc/PID/stat, counted from the name's closing bracket: the name may contain any
  /// letter.
  static pid_t parent_of(const std::string& pid) {
    std::ifstream file("/proc/" + pid + "/stat");
    std::string text;
    std::getline(file, text);
    const auto bracket = text.rfind(") ");
    return bracket == std::string::npos || text.size() < bracket + 4
               ? 0
               : static_cast<pid_t>(std::strtol(text.c_str() + bracket + 4, nullptr, 10));
  }
  pid_t main_;
  std::optional<int> ended_;
  bool none_ = false;
};

Ending ending_of(int status) {
  if (WIFSIGNALED(status)) return {Ending::SIGNAL, WTERMSIG(status)};
  return {Ending::EXIT, WEXITSTATUS(status)};
}

/// Wait until the main child has ended, the limit is over, or a signal requests the end.
Ending watch(Children& children, Moment limit) {
  while (true) {
    if (const auto status = children.reap()) return ending_of(*status);
    const auto signal = wait_signal(limit);
    if (signal == SIGCHLD || (!signal && std::chrono::steady_clock::now() < limit)) continue;
    children.ask_to_end();
    return {signal ? Ending::TOLD_TO_END : Ending::LIMIT, 0};
  }
}

/// Close all but what the core passed on: another victim's pipe would never end. The limit of the table bounds the
/// loop if close_range(2), Linux 5.9, is absent.
void close_others() {
  constexpr unsigned FIRST = command::ENDING_DESCRIPTOR + 1;
  fcntl(command::ENDING_DESCRIPTOR, F_SETFD, FD_CLOEXEC);
#ifdef SYS_close_range
  if (syscall(SYS_close_range, FIRST, ~0U, 0U) == 0) return;
#endif
  for (long fd = FIRST; fd < sysconf(_SC_OPEN_MAX); ++fd) close(static_cast<int>(fd));
}

/// Leave the terminal, adopt orphans, and get a signal at the parent's death. @returns false if the parent is dead
/// already.
bool stand_guard(pid_t parent) {
  const auto set = watched();
  sigprocmask(SIG_SETMASK, &set, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  setsid();
  return getppid() == parent;
}

/// All processes of the line inherit the CPUs and the node.
Ending run(pid_t parent, double limit_s, const std::vector<unsigned>& cpus, int node, const std::string& line) {
  const auto limit = after(Seconds(limit_s));
  close_others();
  if (!stand_guard(parent)) return {Ending::TOLD_TO_END, 0};
  if (!cpus.empty() && sys::pin(cpus) != 0) return {Ending::NOT_STARTED, errno};
  if (node != ANY_NODE && sys::bind_thread(node) != 0) return {Ending::NOT_STARTED, errno};
  const auto child = start(line);
  if (child < 0) return {Ending::NOT_STARTED, errno};
  Children children(child);
  const auto ending = watch(children, limit);
  children.end();
  return ending;
}

}  // namespace

int guard(const std::vector<std::string>& words) {
  if (words.size() != 5) throw BadPlan("guard takes PARENT LIMIT_S CPUS NODE LINE; it is started by the core alone");
  const auto ending =
      run(number<pid_t>(words[0]), number<double>(words[1]), cpus_of(words[2]), node_of(words[3]), words[4]);
  if (write(command::ENDING_DESCRIPTOR, &ending, sizeof ending) != sizeof ending) return NOT_STARTED;
  switch (ending.kind) {
    case Ending::EXIT:
      return ending.value;
    case Ending::SIGNAL:
      return 128 + ending.value;
    case Ending::LIMIT:
      return OVER_LIMIT;
    default:
      return NOT_STARTED;
  }
}

}  // namespace tierscope
