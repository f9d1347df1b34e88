/// The victim `command`: its report on a command's end, and no process is left behind.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "folder.hpp"
#include "says.hpp"
#include "victims/last_line.hpp"
#include "victims/victim.hpp"

using namespace tierscope;
using tests::error_of;
using tests::Folder;
using tests::holds;

namespace {

std::unique_ptr<Victim> victim(const std::string& name, const VictimOptions& options) {
  return Registry<VictimEntry>::find("victim", name).make(options);
}

/// Return the failure of one run of a command, else its last line.
std::string said(const std::string& line, double limit_s = 60, std::vector<unsigned> cpus = {}) {
  const auto made = victim("command", {.command = line, .limit_s = limit_s, .cpus = std::move(cpus)});
  made->run();
  return made->failure().empty() ? made->detail() : made->failure();
}

/// Processes whose command line contains a mark.
std::size_t running(const std::string& mark) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ostringstream text;
    text << std::ifstream(entry.path() / "cmdline", std::ios::binary).rdbuf();  // stops if the process ends meanwhile
    const bool itself = entry.path().filename() == std::to_string(getpid());
    if (!itself && holds(text.str(), mark)) ++count;
  }
  return count;
}

template <class Truth>
bool soon(Truth truth) {
  for (int i = 0; i < 500 && !truth(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return truth();
}

/// A duration that no other process sleeps for.
std::string mark(const char* number) { return std::string("98") + number + "." + std::to_string(getpid()); }

}  // namespace

TEST_CASE("the last line that is not blank is kept, in bounded memory") {
  const auto last = [](const std::vector<std::string>& chunks) {
    command::LastLine line;
    for (const auto& chunk : chunks) line.take(chunk);
    return line.text();
  };
  CHECK(last({"one\ntwo\n\n  \n"}) == "two");
  CHECK(last({"one\ntw", "o"}) == "two");
  CHECK(last({"10 %\r90 %\rdone \n"}) == "done");
  CHECK(last({" \n"}) == "");
  CHECK(last({"a\x1b[1m\xc3\xa9"}) == "a?[1m??");
  CHECK(last({std::string(1'000'000, 'x')}) == std::string(command::LastLine::MOST, 'x'));
}

TEST_CASE("a command's last line is kept, and its input is empty") {
  CHECK(said("echo first; echo 42 s") == "42 s");
  CHECK(said("cat; echo end") == "end");
  CHECK(said("trap 'echo caught' TERM; kill -TERM $$; :") == "caught");
}

TEST_CASE("a command that fails is named with its output") {
  CHECK(said("false") == "victim command 'false' ended with status 1; run it by itself first");
  CHECK(said("echo why >&2; echo output; exit 3") ==
        "victim command 'echo why >&2; echo output; exit 3' ended with status 3: why; run it by itself first");
  CHECK(holds(said("/no/such/program"), "ended with status 127: "));
  CHECK(holds(said("/no/such/program"), "not found"));
  CHECK(holds(said("echo x; kill -SEGV $$"), "was ended by signal 11 (Segmentation fault); run it by itself"));
}

TEST_CASE("a command that prints nothing has shown nothing") {
  CHECK(said("true") ==
        "victim command 'true' printed nothing: nothing shows that it did its work; let it print its result");
  CHECK(holds(said("echo '  '; echo error >&2"), "printed nothing"));
}

TEST_CASE("a command that is given no line, or a wrong limit, is a wrong plan") {
  CHECK(holds(error_of([] { victim("command", {}); }), "BadPlan: kernel command needs a command"));
  CHECK(holds(error_of([] { victim("command", {.command = " "}); }), "BadPlan: kernel command needs a command"));
  CHECK(holds(error_of([] { victim("command", {.command = "x", .limit_s = -1}); }), "BadPlan: limit"));
  CHECK(holds(error_of([] { victim("command", {.command = "x", .limit_s = NAN}); }), "BadPlan: limit"));
}

TEST_CASE("after a failure a victim runs no more") {
  const Folder folder;
  const auto made = victim("command", {.command = "echo x >>" + folder.at("runs") + "; false"});
  made->run();
  made->run();
  CHECK(folder.read("runs") == "x\n");
}

TEST_CASE("more output than fits in a pipe does not block a command") {
  CHECK(said("head -c 3000000 /dev/zero | tr '\\0' '\\n'; head -c 3000000 /dev/zero >&2; echo done") == "done");
}

TEST_CASE("a command that hangs is ended with its grandchildren, and with those that left its group") {
  const auto line =
      "setsid sleep " + mark("1") + " & (sleep " + mark("2") + " & sleep " + mark("3") + ") & sleep " + mark("4");
  CHECK(holds(said(line, 0.2), "ran longer than its limit of 0.2 s and was ended; allow it more time"));
  for (const auto* number : {"1", "2", "3", "4"}) CHECK(running(mark(number)) == 0);
}

TEST_CASE("a command that will not end is ended") {
  CHECK(holds(said("trap '' TERM; while :; do sleep " + mark("5") + "; done", 0.1), "limit of 0.1 s"));
  CHECK(running(mark("5")) == 0);
}

TEST_CASE("a command may tidy up before it is ended") {
  const Folder folder;
  CHECK(holds(said("trap 'echo tidy >" + folder.at("x") + "; exit' TERM; sleep 100 & wait", 0.1), "limit"));
  CHECK(folder.read("x") == "tidy\n");
}

TEST_CASE("processes that a command leaves running are ended, and not waited for") {
  CHECK(said("sleep " + mark("6") + " & setsid sleep " + mark("7") + " & echo done") == "done");
  CHECK(running(mark("6")) == 0);
  CHECK(running(mark("7")) == 0);
}

TEST_CASE("a command dies with the process that measures, even if that is killed") {
  const auto line = "sleep " + mark("8") + " & setsid sleep " + mark("8") + " & wait";
  const auto child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    said(line);
    _exit(0);
  }
  CHECK(soon([] { return running("sleep " + mark("8")) > 0; }));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK(soon([] { return running(mark("8")) == 0; }));
}

TEST_CASE("a command runs on the CPUs it is given") {
  const auto allowed = "grep Cpus_allowed_list /proc/self/status | tr -dc '0-9,-'";
  CHECK(said(allowed, 60, {0}) == "0");
  CHECK(holds(said(allowed, 60, {9999}), "was not started on CPUs 9999: Invalid argument"));
}

TEST_CASE("a command starts with default signals, whatever this process ignores") {
  std::signal(SIGPIPE, SIG_IGN);
  // the C library's own two signals, 32 and 33, are left out
  const auto masks =
      said("sed -n '/SigBlk\\|SigIgn/s/.*[08]\\([0-9a-f]\\{7\\}\\)$/\\1/p' /proc/self/status | tr '\\n' ' '");
  std::signal(SIGPIPE, SIG_DFL);
  CHECK(masks == "0000000 0000000");
}

TEST_CASE("commands that run at the same time do not affect each other") {
  const auto files = "sleep 0.05; ls -m /proc/self/fd";
  std::vector<std::string> found(8);
  std::vector<std::thread> threads;
  for (auto& text : found) threads.emplace_back([&] { text = said(files); });
  for (auto& thread : threads) thread.join();
  for (const auto& text : found) CHECK(text == "0, 1, 2, 3");  // 3: the folder that ls reads
}
