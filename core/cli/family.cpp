#include "cli/family.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "base/error.hpp"
#include "cli/json.hpp"
#include "cli/relative.hpp"

namespace tierscope {
namespace {

constexpr int UNSTARTED = 125, UNFOUND = 127;  // status, like timeout(1) and env(1)
constexpr int BY_SIGNAL = 128;                 // added to the number of a signal, as shells do
constexpr unsigned long FAMILY_STOPS =
    PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
constexpr auto LONGEST_LEAVE = std::chrono::seconds(5);  // until a process stops, which is then left
constexpr useconds_t LEAVE_STEP_US = 500;

using SteadyClock = std::chrono::steady_clock;

double seconds_in(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

long ask_kernel(int request, pid_t pid, unsigned long data = 0) {
  return ::ptrace(static_cast<__ptrace_request>(request), pid, nullptr, data);
}

/// The program and all processes that it starts, which stop where something is to be noted.
class Family {
 public:
  explicit Family(pid_t root) : root_(root), began_(SteadyClock::now()) { add(root, "", nullptr); }

  /// Note what happens until the program has ended. @returns its wait status.
  int follow() {
    while (true) {
      siginfo_t found{};
      if (::waitid(P_ALL, 0, &found, WEXITED | WSTOPPED | WNOWAIT | __WALL) != 0) {
        if (errno == EINTR) continue;
        if (errno == ECHILD) return status_;  // no process is left
        throw SystemError("wait for a process that is followed (Linux 4.7 or later)", errno);
      }
      takes(found);
      if (whole_s_) return status_;
    }
  }

  /// Note what still runs when the program has ended, and release it.
  void leave() {
    siginfo_t found{};  // first those that have ended, too
    while (::waitid(P_ALL, 0, &found, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 && found.si_pid != 0) {
      takes(found);
      found = {};
    }
    for (const auto& [pid, one] : known_) {
      const auto so_far = charged_of(pid);
      one->charged = {std::max(so_far.user_s - one->before.user_s, 0.0),
                      std::max(so_far.system_s - one->before.system_s, 0.0)};
    }
    leaving_ = true;
    for (const auto& [pid, one] : known_) interrupt(pid);
    for (const auto& [pid, process] : threads_) interrupt(pid);
    for (const auto until = SteadyClock::now() + LONGEST_LEAVE; !followed_.empty() && SteadyClock::now() < until;) {
      int status = 0;
      const auto pid = ::waitpid(-1, &status, __WALL | WNOHANG);
      if (pid < 0 && errno != EINTR) break;
      if (pid <= 0)
        waits();
      else if (WIFSTOPPED(status))
        stops(pid, status);
      else
        followed_.erase(pid);
    }
    for (const auto pid : std::set<pid_t>(held_)) go_on(pid);
  }

  [[nodiscard]] const std::deque<Relative>& all() const { return all_; }
  /// Return the seconds since the begin of the program; until its end when it has ended.
  [[nodiscard]] double wall_s() const {
    return whole_s_.value_or(std::chrono::duration<double>(SteadyClock::now() - began_).count());
  }

 private:
  /// Note the end or the stop of a process, which still waits for us.
  void takes(const siginfo_t& found) {
    const auto pid = found.si_pid;
    const bool ended = found.si_code == CLD_EXITED || found.si_code == CLD_KILLED || found.si_code == CLD_DUMPED;
    const auto children = ended && known_.contains(pid) ? children_of(pid) : Charged{};  // before it is gone
    int status = 0;
    rusage usage{};
    if (::wait4(pid, &status, __WALL, &usage) != pid) return;
    if (ended)
      ends(pid, status, usage, children);
    else if (WIFSTOPPED(status))
      stops(pid, status);
  }

  /// Wait for a stop. A thread that became another program has the number of its process: the kernel reports no end.
  void waits() {
    std::erase_if(followed_, [](pid_t pid) { return ask_kernel(PTRACE_INTERRUPT, pid) != 0 && errno == ESRCH; });
    ::usleep(LEAVE_STEP_US);
  }

  void interrupt(pid_t pid) {
    if (!held_.contains(pid) && ask_kernel(PTRACE_INTERRUPT, pid) == 0) followed_.insert(pid);
  }

  /// Let a process that has stopped run; without us if we leave.
  void go_on(pid_t pid, int signal = 0) {
    held_.erase(pid);
    followed_.erase(pid);
    ask_kernel(leaving_ ? PTRACE_DETACH : PTRACE_CONT, pid, static_cast<unsigned long>(signal));
  }

  void add(pid_t pid, std::string number, Relative* parent) {
    all_.push_back({});
    auto& one = all_.back();
    one.pid = pid;
    one.number = std::move(number);
    one.parent = parent;
    one.begin_s = wall_s();
    known_[pid] = &one;
  }

  /// ticks: CPU time of the children that it waited for, as the kernel states it.
  void ends(pid_t pid, int status, const rusage& usage, const Charged& ticks) {
    held_.erase(pid);
    threads_.erase(pid);
    const auto at = known_.find(pid);
    if (at == known_.end()) return;  // a thread
    auto& one = *at->second;
    one.end_s = wall_s();
    if (pid == root_) {
      status_ = status;
      whole_s_ = one.end_s;
    }
    const Charged every{seconds_in(usage.ru_utime), seconds_in(usage.ru_stime)};
    const auto children = waited_for(ticks, one.of_children);
    one.charged = {std::max(every.user_s - children.user_s - one.before.user_s, 0.0),
                   std::max(every.system_s - children.system_s - one.before.system_s, 0.0)};
    if (one.parent != nullptr) {
      one.parent->of_children.user_s += every.user_s;
      one.parent->of_children.system_s += every.system_s;
    }
    known_.erase(at);  // another process may get its number
  }

  void stops(pid_t pid, int status) {
    const auto event = status >> 16;
    const auto signal = WSTOPSIG(status);
    switch (event) {
      case PTRACE_EVENT_FORK:
      case PTRACE_EVENT_VFORK:
      case PTRACE_EVENT_CLONE:
        starts(pid);
        break;
      case PTRACE_EVENT_EXEC:
        if (!leaving_) becomes(pid);
        break;
      case PTRACE_EVENT_STOP:
        if (leaving_) break;
        if (signal != SIGTRAP) return void(ask_kernel(PTRACE_LISTEN, pid));                    // stopped until SIGCONT
        if (!known_.contains(pid) && !threads_.contains(pid)) return void(held_.insert(pid));  // its parent is first
        break;
      default:
        return go_on(pid, signal);
    }
    go_on(pid);
  }

  /// A process has a child or a further thread; `pid` is one of its threads.
  void starts(pid_t pid) {
    unsigned long message = 0;
    if (::ptrace(PTRACE_GETEVENTMSG, pid, nullptr, &message) != 0) return;
    const auto made = static_cast<pid_t>(message);
    if (leaving_) return held_.contains(made) ? go_on(made) : void(followed_.insert(made));
    const auto process = threads_.contains(pid) ? threads_[pid] : pid;
    const auto as_thread = "/proc/" + std::to_string(process) + "/task/" + std::to_string(made);
    if (::access(as_thread.c_str(), F_OK) == 0) {
      threads_[made] = process;
    } else if (const auto at = known_.find(process); at != known_.end()) {
      threads_.erase(made);  // the number of a thread that has ended
      auto& parent = *at->second;
      add(made, parent.number + (parent.number.empty() ? "" : ".") + std::to_string(++parent.children), &parent);
    }
    if (held_.contains(made)) go_on(made);
  }

  void becomes(pid_t pid) {
    const auto at = known_.find(pid);
    if (at == known_.end()) return;
    auto& one = *at->second;
    one.file = file_of(pid);
    one.words = words_of(pid);
    if (one.programs++ > 0) return;
    one.first_file = one.file;
    one.first = one.words;
    if (pid == root_)
      began_ = SteadyClock::now();
    else
      one.before = ticks_of(pid);
    one.begin_s = wall_s();
  }

  pid_t root_;
  SteadyClock::time_point began_;
  int status_ = 0;
  std::optional<double> whole_s_;  // when the program has ended
  bool leaving_ = false;
  std::deque<Relative> all_;          // in the order of their starts
  std::map<pid_t, Relative*> known_;  // that run
  std::map<pid_t, pid_t> threads_;    // but the first ones, and their processes
  std::set<pid_t> held_;              // that stopped before the stop of their parent
  std::set<pid_t> followed_;          // that are to stop, since we leave
};

/// Start the command, which waits until it is followed. @returns its process, or -1 with errno.
pid_t start_held(std::vector<std::string>& words, int ready) {
  std::vector<char*> command;
  for (auto& word : words) command.push_back(word.data());
  command.push_back(nullptr);
  const auto parent = ::getpid();
  const auto child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  char byte = 0;
  if (::getppid() != parent || ::read(ready, &byte, 1) != 1) ::_exit(UNSTARTED);
  ::execvp(command[0], command.data());
  ::dprintf(STDERR_FILENO, "%s: %s\n", command[0], std::strerror(errno));
  ::_exit(UNFOUND);
}

void write_whole(int to, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(to, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw SystemError("write what processes a program starts", errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

int own_descriptor(const std::string& word) {
  int number = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size() || number < 0)
    throw BadPlan("family: '" + word + "' is not a descriptor; it is started by tierscope alone");
  return number;
}

}  // namespace

int family(const std::vector<std::string>& words) {
  if (words.size() < 2) throw BadPlan("family takes FD COMMAND...; it is started by tierscope alone");
  const auto to = own_descriptor(words[0]);
  ::fcntl(to, F_SETFD, FD_CLOEXEC);
  int ready[2];
  if (::pipe2(ready, O_CLOEXEC) != 0) throw SystemError("make a pipe", errno);
  std::vector<std::string> command(words.begin() + 1, words.end());
  const auto child = start_held(command, ready[0]);
  if (child < 0) throw SystemError("start " + command[0], errno);
  if (::ptrace(PTRACE_SEIZE, child, nullptr, FAMILY_STOPS) != 0) {
    const std::string why = std::strerror(errno);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    write_whole(to, json::Object().add("fact", "refused").add("message", why).str() + "\n");
    return UNSTARTED;
  }
  Family found(child);
  write_whole(ready[1], "1");
  const auto status = found.follow();
  found.leave();
  const auto wall = found.wall_s();
  std::string text;
  for (const auto& one : found.all()) text += described(one) + "\n";
  const int ended = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  write_whole(to, text + json::Object().add("fact", "ended").add("status", ended).add("wall_s", wall).str() + "\n");
  return ended < 0 ? BY_SIGNAL - ended : ended;
}

}  // namespace tierscope
