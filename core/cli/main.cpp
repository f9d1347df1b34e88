/// tierscope-core: the border. A plan of plain text in, JSON lines out, samples as one .npy file.
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/describe.hpp"
#include "cli/family.hpp"
#include "cli/guard.hpp"
#include "cli/json.hpp"
#include "cli/selfcheck.hpp"
#include "cli/session.hpp"
#include "cli/trace.hpp"

namespace tierscope {
namespace {

enum Exit { GOOD = 0, FAILED = 1, USAGE = 2, CANNOT = 3, INTERNAL = 70 };

constexpr const char* HELP =
    "tierscope-core measures memory and decides nothing.\n"
    "\n"
    "  tierscope-core catalogue                 kernels, ISAs, variants and targets of this build, as JSON\n"
    "  tierscope-core topology [--root DIR | sim:PRESET]\n"
    "                                           CPUs, caches and NUMA nodes, as JSON\n"
    "  tierscope-core run [PLAN] [--samples F]  a plan (file, or standard input) in, JSON lines out, blocks to F.npy\n"
    "  tierscope-core check [kernel=K] [isa=I] [operations=N] [passes=N] [seed=N]\n"
    "                                           every variant against scalar code\n"
    "  tierscope-core trace [--count] sim:PRESET...\n"
    "                                           accesses of a program, as lackey of Valgrind writes them, through\n"
    "                                           simulated caches and memories, as JSON; --count: without times\n"
    "  tierscope-core --help | --version\n"
    "\n"
    "example: echo 'group kernel=triad target=node:0 cpus=0 footprint=768MiB' | tierscope-core run\n"
    "exit status: 0 good, 1 a wrong answer, 2 usage, 3 this machine cannot do it, 70 a fault of the core\n";

void emit(const std::string& line) { std::cout << line << '\n' << std::flush; }

int report(const Error& error) {
  emit(json::Object().add("fact", "error").add("kind", error.kind()).add("message", error.what()).str());
  return std::string_view(error.kind()) == "BadPlan" ? USAGE : CANNOT;
}

/// Errors of a line are answered and the session continues: its owner decides. The first one determines the exit
/// status.
int run(std::istream& plan, const std::string& samples) {
  Session session(samples, emit);
  int status = GOOD;
  const auto guarded = [&](auto&& action) {
    try {
      action();
    } catch (const Error& error) {
      const int its = report(error);
      status = status == GOOD ? its : status;
    }
  };
  for (std::string line; std::getline(plan, line);) guarded([&] { session.execute(line); });
  if (status == GOOD) guarded([&] { session.finish(); });
  return status;
}

/// A core whose owner is gone would continue for nobody, and so would a victim's command. TIERSCOPE_PARENT names the
/// owner that started it. When that process ends, for whatever reason, this one ends, too.
void end_with_parent() {
  const char* const named = std::getenv("TIERSCOPE_PARENT");
  const auto parent = named == nullptr ? 0 : static_cast<pid_t>(std::strtol(named, nullptr, 10));
  if (parent <= 0) return;
  const bool ours = getppid() == parent;
  if (ours) prctl(PR_SET_PDEATHSIG, SIGKILL);
  const bool lost = ours && getppid() != parent;  // a dead process still exists until it is waited for
  if (lost || (kill(parent, 0) != 0 && errno == ESRCH)) std::raise(SIGKILL);
}

int run_command(const std::vector<std::string>& words) {
  end_with_parent();
  std::string plan = "-", samples;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--samples" && i + 1 < words.size())
      samples = words[++i];
    else if (plan == "-" && (words[i] == "-" || !words[i].starts_with('-')))
      plan = words[i];
    else
      throw BadPlan("unknown argument '" + words[i] + "'; see tierscope-core --help");
  }
  if (plan == "-") return run(std::cin, samples);
  std::ifstream file(plan);
  if (!file) throw BadPlan("plan " + plan + " cannot be read");
  return run(file, samples);
}

int check_command(const std::vector<std::string>& words) {
  std::string text = "check";
  for (const auto& word : words) text += " " + word;
  SelfCheck what;
  for (const auto& [key, word] : parse_line(text).words) {
    if (key == "kernel")
      what.kernel = word;
    else if (key == "isa")
      what.isa = word;
    else if (key == "operations")
      what.operations = parse_count(key, word);
    else if (key == "passes")
      what.passes = parse_count(key, word);
    else if (key == "seed")
      what.seed = parse_count(key, word);
    else
      throw BadPlan("unknown key '" + key + "' (known: isa, kernel, operations, passes, seed)");
  }
  return selfcheck(what, emit) == 0 ? GOOD : FAILED;
}

void refuse(const std::vector<std::string>& words) {
  if (!words.empty()) throw BadPlan("unknown argument '" + words[0] + "'; see tierscope-core --help");
}

/// Return the topology of the tree "/", of another one, or of a simulated machine.
std::string topology_of(const std::vector<std::string>& words) {
  if (words.empty()) return describe::topology("/");
  if (words.size() == 1 && words[0].starts_with("sim:")) return describe::simulated_topology(words[0].substr(4));
  if (words.size() != 2 || words[0] != "--root") throw BadPlan("topology takes --root DIR or sim:PRESET, nothing else");
  return describe::topology(words[1]);
}

int dispatch(const std::vector<std::string>& words) {
  const std::string command = words.empty() ? "--help" : words[0];
  const std::vector<std::string> rest(words.begin() + (words.empty() ? 0 : 1), words.end());
  if (command == "--help" || command == "-h") {
    std::cout << HELP;
  } else if (command == "--version") {
    refuse(rest);
    emit(TIERSCOPE_VERSION);
  } else if (command == "catalogue") {
    refuse(rest);
    emit(describe::catalogue());
  } else if (command == "topology") {
    emit(topology_of(rest));
  } else if (command == "run") {
    return run_command(rest);
  } else if (command == "check") {
    return check_command(rest);
  } else if (command == "trace") {
    std::ios::sync_with_stdio(false);  // a trace is long, and would otherwise be read byte by byte
    trace(rest, std::cin, emit);
  } else if (command == "guard") {  // not for people: victims/command.cpp
    return guard(rest);
  } else if (command == "family") {  // not for people: src/tierscope/simulated/family.py
    return family(rest);
  } else {
    throw BadPlan("unknown command '" + command + "' (known: catalogue, check, run, topology, trace)");
  }
  return GOOD;
}

}  // namespace
}  // namespace tierscope

int main(int argc, char** argv) {
  try {
    return tierscope::dispatch({argv + 1, argv + argc});
  } catch (const tierscope::Error& error) {
    return tierscope::report(error);
  } catch (const std::exception& error) {
    std::cerr << "tierscope-core: " << error.what() << '\n';
    return tierscope::INTERNAL;
  }
}
