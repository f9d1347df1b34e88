/// `command`: a command line of the user, whole, from its start to its end. The core starts itself once more as a
/// guard (cli/guard.hpp) that runs the line and leaves nothing of it behind; by posix_spawn, since a fork would copy
/// the page tables of the measured memory. So the time of a task includes two programs' starts: 0.8 ms on an idle core
/// of a Xeon of 2023 whatever memory the core has, where the shell alone takes 0.4 ms. A line of less than 0.1 s is a
/// poor victim. Blind to whether the output is right, beyond its being there; the last line is kept for the reader.
#include "victims/command.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "victims/last_line.hpp"
#include "victims/victim.hpp"

namespace tierscope::command {
namespace {

/// Both ends are closed by exec, and with the object.
class Pipe {
 public:
  /// @throws SystemError
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) throw SystemError("a pipe for the output of a victim", errno);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(ends_[0]);
    close_writer();
  }
  void close_writer() noexcept {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }
  [[nodiscard]] int reader() const noexcept { return ends_[0]; }
  [[nodiscard]] int writer() const noexcept { return ends_[1]; }
  /// Takes what is there now. @returns false at the end.
  bool read_into(LastLine& line) const {
    std::array<char, 1U << 16U> chunk;
    const auto size = read(reader(), chunk.data(), chunk.size());
    if (size > 0) line.take({chunk.data(), static_cast<std::size_t>(size)});
    return size > 0 || (size < 0 && errno == EINTR);
  }
  /// Reads the rest, up to what is there; it does not wait for other holders of the pipe.
  void drain_into(LastLine& line) const {
    fcntl(reader(), F_SETFL, O_NONBLOCK);
    while (read_into(line)) {
    }
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

/// posix_spawn's two lists: a fresh set of signals; standard output, error and the ending on their descriptors.
class Start {
 public:
  Start(const Pipe& output, const Pipe& error, const Pipe& ending) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, output.writer(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, error.writer(), STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, ending.writer(), command::ENDING_DESCRIPTOR);
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setsigmask(&attributes_, &all);  // the guard waits for signals, from its first instruction on
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;
  ~Start() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  /// @throws SystemError
  [[nodiscard]] pid_t program(const char* path, std::vector<std::string> words) const {
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int failed = posix_spawn(&child, path, &actions_, &attributes_, arguments.data(), environ);
    if (failed != 0) throw SystemError(std::string("start of ") + path + " (the guard of a victim command)", failed);
    return child;
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

class CommandVictim final : public Victim {
 public:
  explicit CommandVictim(const VictimOptions& options)
      : line_(options.command),
        node_(options.node < 0 ? "any" : std::to_string(options.node)),
        limit_s_(options.limit_s > 0 ? options.limit_s : command::DEFAULT_LIMIT_S) {
    for (const auto cpu : options.cpus) cpus_ += (cpus_.empty() ? "" : ",") + std::to_string(cpu);
  }
  void run() noexcept override {
    if (!failure_.empty()) return;
    try {
      LastLine output, error;
      const auto ending = attempt(output, error);
      failure_ = fault_of(ending, output.text(), error.text());
      last_ = output.text();
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
  }
  [[nodiscard]] std::string failure() const override { return failure_; }
  [[nodiscard]] double check() const override { return 0; }
  [[nodiscard]] std::size_t memory_bytes() const override { return 0; }
  [[nodiscard]] std::string detail() const override { return last_; }

 private:
  /// Starts the guard, reads all that is printed, and returns when the guard has ended.
  Ending attempt(LastLine& output, LastLine& error) const {
    Pipe out, err, end;
    const auto guard =
        Start(out, err, end)
            .program("/proc/self/exe", {"tierscope-core", "guard", std::to_string(getpid()), std::to_string(limit_s_),
                                        cpus_.empty() ? "all" : cpus_, node_, line_});
    for (auto* pipe : {&out, &err, &end}) pipe->close_writer();
    follow(out, output, err, error, end);
    Ending ending;
    if (read(end.reader(), &ending, sizeof ending) != sizeof ending) ending = {};
    out.drain_into(output);
    err.drain_into(error);
    while (waitpid(guard, nullptr, 0) < 0 && errno == EINTR) {
    }
    return ending;
  }
  /// Until the guard has written its ending, or is gone.
  static void follow(const Pipe& out, LastLine& output, const Pipe& err, LastLine& error, const Pipe& end) {
    std::array polled{pollfd{end.reader(), POLLIN, 0}, pollfd{out.reader(), POLLIN, 0},
                      pollfd{err.reader(), POLLIN, 0}};
    while (polled[0].revents == 0) {
      if (poll(polled.data(), polled.size(), -1) < 0) continue;  // EINTR
      if (polled[1].revents != 0 && !out.read_into(output)) polled[1].fd = -1;
      if (polled[2].revents != 0 && !err.read_into(error)) polled[2].fd = -1;
    }
  }
  /// "" or what is wrong with an ending, and what to try.
  [[nodiscard]] std::string fault_of(const Ending& ending, const std::string& output, const std::string& error) const {
    const auto who = "victim command '" + line_ + "' ";
    const auto said = error.empty() ? std::string() : ": " + error;
    const auto number = std::to_string(ending.value);
    switch (ending.kind) {
      case Ending::EXIT:
        if (ending.value != 0) return who + "ended with status " + number + said + "; run it by itself first";
        if (!output.empty()) return "";
        return who + "printed nothing: nothing shows that it did its work; let it print its result";
      case Ending::SIGNAL:
        return who + "was ended by signal " + number + " (" + strsignal(ending.value) + ")" + said +
               "; run it by itself first";
      case Ending::LIMIT:
        return who + "ran longer than its limit of " + shown(limit_s_) +
               " s and was ended; allow it more time, or give it" + " less to do";
      case Ending::NOT_STARTED:
        return who + "was not started" + (cpus_.empty() ? "" : " on CPUs " + cpus_) +
               (node_ == "any" ? "" : " with the memory of node " + node_) + ": " + strerror(ending.value);
      case Ending::TOLD_TO_END:
        return who + "was ended by a signal from outside; measure again";
      default:
        return who + "lost its guard" + said + "; was it killed from outside, or did memory run out?";
    }
  }
  static std::string shown(double seconds) {
    auto text = std::to_string(seconds);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  }
  std::string line_, node_, cpus_;
  double limit_s_;
  std::string failure_, last_;
};

std::unique_ptr<Victim> make(const VictimOptions& options) {
  if (options.command.find_first_not_of(" \t\n") == std::string::npos)
    throw BadPlan("kernel command needs a command, as command=make%20-j2 (a line for /bin/sh, percent-encoded)");
  if (!(options.limit_s >= 0 && options.limit_s <= 1e6))
    throw BadPlan("limit of victim command: at most 1e6 s, and not below 0");
  return std::make_unique<CommandVictim>(options);
}

constexpr VictimEntry entry{.name = "command",
                            .summary = "a command line of yours, from its start to its end",
                            .source = "/bin/sh -c, IEEE Std 1003.1",
                            .lacking = "",
                            .make = &make,
                            .starts_processes = true};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::command
