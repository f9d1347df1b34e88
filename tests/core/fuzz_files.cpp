/// Any bytes as files that the core reads next to plans: a tree of sysfs, names of performance events with the fields
/// of a PMU, the plan of the library that cuts the power, traces. A mistake ends in an Error of one line or is passed
/// over. The first line states which: "topology", "events", "shadow", "flow" (a stream of the tracer, with objects),
/// "trace" and "counts" (one of the tracer or of lackey, with times and without). For a tree, each further line is
/// PATH=CONTENT, where
/// \n in the content stands for a new line. For events, the first is the words, the others the PMU's files.
/// Source: K. Serebryany, "Continuous Fuzzing with libFuzzer and AddressSanitizer", SecDev 2016.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <system_error>

#include "base/error.hpp"
#include "cli/trace.hpp"
#include "cli/trace_flow.hpp"
#include "folder.hpp"
#include "probes/event.hpp"
#include "shadow/plan.hpp"
#include "team/topology.hpp"

namespace {

using namespace tierscope;

constexpr std::size_t MOST_FILES = 64;

template <class Action>
void guarded(Action action) {
  try {
    action();
  } catch (const Error& error) {
    if (std::string_view(error.what()).empty()) std::abort();
  }
}

/// Below the folder alone.
bool is_tame(const std::string& path) {
  return !path.empty() && path.size() < 200 && path.front() != '/' && path.back() != '/' &&
         path.find("..") == std::string::npos && path.find('\0') == std::string::npos;
}

void write(const tests::Folder& folder, const std::string& line) {
  const auto equals = std::min(line.find('='), line.size());
  const auto path = line.substr(0, equals);
  if (!is_tame(path)) return;
  auto text = line.substr(std::min(equals + 1, line.size()));
  for (std::size_t at = 0; (at = text.find("\\n", at)) != std::string::npos;) text.replace(at, 2, "\n");
  std::error_code none;
  std::filesystem::create_directories((folder.path() / path).parent_path(), none);
  std::ofstream(folder.at(path), std::ios::binary) << text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  const tests::Folder folder(std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp");
  std::string kind, words;
  std::getline(lines, kind);
  if (kind == "shadow") {
    const std::string rest(std::istreambuf_iterator<char>(lines), {});
    folder.write("plan", rest);
    guarded([&] { shadow::read_plan(folder.path()); });
    return 0;
  }
  if (kind == "flow") {
    guarded([&] { trace_flow({"sim:flat"}, {.objects = true}, lines, [](const std::string&) {}); });
    return 0;
  }
  if (kind == "trace" || kind == "counts") {
    std::vector<std::string> asked{"sim:flat"};
    if (kind == "counts") asked.insert(asked.begin(), "--count");
    guarded([&] { trace(asked, lines, [](const std::string&) {}); });
    return 0;
  }
  if (kind == "events") std::getline(lines, words);
  std::size_t files = 0;
  for (std::string line; files < MOST_FILES && std::getline(lines, line); ++files) write(folder, line);
  if (kind == "events") {
    guarded([&] {
      for (const auto& group : event_groups(words))
        for (const auto& word : group) guarded([&] { make_event(word, folder.path()); });
    });
  } else {
    guarded([&] { topology::read(folder.path(), {0, 1, 2, 3}); });
    guarded([&] { topology::parse_list(kind); });
  }
  return 0;
}
