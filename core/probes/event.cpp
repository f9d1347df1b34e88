#include "probes/event.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/error.hpp"

namespace tierscope {
namespace {

using Names = std::map<std::string, std::uint64_t, std::less<>>;

const Names& hardware() {
  static const Names names{{"cycles", PERF_COUNT_HW_CPU_CYCLES},
                           {"cpu-cycles", PERF_COUNT_HW_CPU_CYCLES},
                           {"instructions", PERF_COUNT_HW_INSTRUCTIONS},
                           {"cache-references", PERF_COUNT_HW_CACHE_REFERENCES},
                           {"cache-misses", PERF_COUNT_HW_CACHE_MISSES},
                           {"branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
                           {"branch-misses", PERF_COUNT_HW_BRANCH_MISSES},
                           {"bus-cycles", PERF_COUNT_HW_BUS_CYCLES},
                           {"stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
                           {"stalled-cycles-backend", PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
                           {"ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES}};
  return names;
}

const Names& software() {
  static const Names names{
      {"cpu-clock", PERF_COUNT_SW_CPU_CLOCK},           {"task-clock", PERF_COUNT_SW_TASK_CLOCK},
      {"page-faults", PERF_COUNT_SW_PAGE_FAULTS},       {"minor-faults", PERF_COUNT_SW_PAGE_FAULTS_MIN},
      {"major-faults", PERF_COUNT_SW_PAGE_FAULTS_MAJ},  {"context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES},
      {"cpu-migrations", PERF_COUNT_SW_CPU_MIGRATIONS}, {"alignment-faults", PERF_COUNT_SW_ALIGNMENT_FAULTS}};
  return names;
}

const Names& caches() {
  static const Names names{{"L1-dcache", PERF_COUNT_HW_CACHE_L1D}, {"L1-icache", PERF_COUNT_HW_CACHE_L1I},
                           {"LLC", PERF_COUNT_HW_CACHE_LL},        {"dTLB", PERF_COUNT_HW_CACHE_DTLB},
                           {"iTLB", PERF_COUNT_HW_CACHE_ITLB},     {"branch", PERF_COUNT_HW_CACHE_BPU},
                           {"node", PERF_COUNT_HW_CACHE_NODE}};
  return names;
}

/// Config of an operation on a cache, without the cache.
const Names& operations() {
  constexpr auto config = [](std::uint64_t operation, std::uint64_t result) { return operation << 8U | result << 16U; };
  constexpr std::uint64_t all = PERF_COUNT_HW_CACHE_RESULT_ACCESS, missed = PERF_COUNT_HW_CACHE_RESULT_MISS;
  static const Names names{{"loads", config(PERF_COUNT_HW_CACHE_OP_READ, all)},
                           {"load-misses", config(PERF_COUNT_HW_CACHE_OP_READ, missed)},
                           {"stores", config(PERF_COUNT_HW_CACHE_OP_WRITE, all)},
                           {"store-misses", config(PERF_COUNT_HW_CACHE_OP_WRITE, missed)},
                           {"prefetches", config(PERF_COUNT_HW_CACHE_OP_PREFETCH, all)},
                           {"prefetch-misses", config(PERF_COUNT_HW_CACHE_OP_PREFETCH, missed)}};
  return names;
}

Event numbered(const std::string& word, std::uint32_t type, std::uint64_t config) {
  Event event;
  event.name = word;
  event.type = type;
  event.config = config;
  return event;
}

[[noreturn]] void refuse(const std::string& word) {
  std::string known;
  for (const auto* names : {&software(), &hardware()})
    for (const auto& [name, unused] : *names) known += name + ", ";
  throw BadPlan("unknown event '" + word + "' (known: " + known +
                "a cache L1-dcache, L1-icache, LLC, dTLB, iTLB, branch, node with -loads, -load-misses, -stores, "
                "-store-misses, -prefetches or -prefetch-misses, and cpu/event=0xd1,umask=0x20/)");
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// @throws BadPlan
std::uint64_t number(const std::string& word, std::string_view digits) {
  const bool hexadecimal = digits.starts_with("0x");
  if (hexadecimal) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [at, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc{} || at != digits.data() + digits.size() || digits.empty())
    throw BadPlan("event '" + word + "' has '" + std::string(digits) + "' where a number is needed");
  return value;
}

/// Puts a value into the bits of a field, "config:0-7,32-35". Returns false if it does not fit, or if the kernel's file
/// contains something else.
bool put(Event& event, const std::string& format, std::uint64_t value) {
  const auto colon = format.find(':');
  const auto where = format.substr(0, colon);
  auto* into = where == "config"    ? &event.config
               : where == "config1" ? &event.config1
               : where == "config2" ? &event.config2
                                    : nullptr;
  if (into == nullptr || colon == std::string::npos) return false;
  std::istringstream ranges(format.substr(colon + 1));
  for (std::string range; std::getline(ranges, range, ',');) {
    unsigned first = 0, last = 0;
    const char* const end = range.data() + range.size();
    const auto [at, error] = std::from_chars(range.data(), end, first);
    if (error != std::errc{} || first > 63) return false;
    last = first;
    if (at != end && (*at != '-' || std::from_chars(at + 1, end, last).ec != std::errc{} || last > 63)) return false;
    for (auto bit = first; bit <= last; ++bit, value >>= 1U) *into |= (value & 1U) << bit;
  }
  return value == 0;
}

std::string no_field(const std::string& pmu, const std::string& name, std::uint64_t value) {
  return "PMU " + pmu + " has no field " + name + " that is wide enough for " + std::to_string(value);
}

/// "cpu" is what x86 calls the PMU of its cores; Linux on ARM has "armv8_pmuv3_0", or one for each kind of core. The
/// only one there is meant; of several, none.
std::string core_pmu(const std::string& devices) {
  std::string found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(devices, none)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with("armv")) continue;
    if (!found.empty()) return "cpu";
    found = name;
  }
  return found.empty() ? "cpu" : found;
}

/// A PMU with a list of CPUs counts for the machine, and is asked on one of them: on `place`, "@28", or on the first.
void place_on(Event& event, const std::string& place, const std::string& cpus) {
  if (!event.reason.empty()) return;
  if (cpus.empty()) {
    if (!place.empty()) event.reason = "PMU of " + event.name + " counts for threads, and on no CPU for all of them";
    return;
  }
  const auto first = std::string_view(cpus).substr(0, cpus.find_first_not_of("0123456789"));
  const auto asked = place.empty() ? first : std::string_view(place).substr(1);
  event.cpu = static_cast<int>(number(event.name, asked));
}

/// PMU/field=number,.../ by what sysfs states about the PMU.
Event encoded(const std::string& word, const std::string& root) {
  const auto slash = word.find('/');
  const auto pmu = word.substr(0, slash);
  const auto end = word.rfind('/');
  const auto place = word.substr(end + 1);
  if (slash == end || slash + 1 == end || slash == 0 || pmu.find("..") != std::string::npos) refuse(word);
  if (!place.empty() && (place.front() != '@' || place.size() == 1)) refuse(word);
  auto event = numbered(word, 0, 0);
  const auto devices = std::string(root).append("/sys/bus/event_source/devices/");
  const auto own = pmu == "cpu" && first_line(devices + "cpu/type").empty() ? core_pmu(devices) : pmu;
  const auto folder = devices + own;
  const auto type = first_line(folder + "/type");
  std::istringstream fields(word.substr(slash + 1, end - slash - 1));
  for (std::string field; std::getline(fields, field, ',');) {
    const auto equals = field.find('=');
    const auto name = field.substr(0, equals);
    const auto value = equals == std::string::npos ? 1 : number(word, std::string_view(field).substr(equals + 1));
    if (name.empty() || name.find_first_of("./") != std::string::npos) refuse(word);
    if (!type.empty() && !put(event, first_line(std::string(folder).append("/format/").append(name)), value))
      event.reason = no_field(pmu, name, value);
  }
  if (type.empty()) event.reason = "this machine has no PMU " + pmu;
  if (event.reason.empty()) event.type = static_cast<std::uint32_t>(number(word, type));
  place_on(event, place, first_line(folder + "/cpumask"));
  return event;
}

}  // namespace

std::vector<std::vector<std::string>> event_groups(std::string_view words) {
  std::vector<std::vector<std::string>> groups;
  std::string word;
  bool braces = false, slashes = false, opened = false;
  const auto end_word = [&] {
    if (word.empty()) throw BadPlan("events=" + std::string(words) + " has an empty name or braces that do not fit");
    if (!braces || opened) groups.emplace_back();
    groups.back().push_back(word);
    word.clear();
    opened = false;
  };
  bool closed = false;  // just now: a comma or the end must follow
  for (const char letter : words) {
    if (closed && letter != ',') throw BadPlan("events=" + std::string(words) + " needs a comma after a brace");
    if (letter == '/') slashes = !slashes;
    if (slashes || std::string_view("{},").find(letter) == std::string_view::npos) {
      word += letter;
    } else if (letter == '{' && !braces && word.empty()) {
      braces = opened = true;
    } else if (letter == ',') {
      if (!std::exchange(closed, false)) end_word();
    } else if (letter == '}' && braces) {
      end_word();
      braces = false;
      closed = true;
    } else {
      throw BadPlan("events=" + std::string(words) + " has braces that do not fit");
    }
  }
  if (braces) throw BadPlan("events=" + std::string(words) + " has braces that do not fit");
  if (!closed) end_word();
  return groups;
}

std::vector<std::string> event_names() {
  std::vector<std::string> all;
  for (const auto* names : {&software(), &hardware()})
    for (const auto& [name, unused] : *names) all.push_back(name);
  for (const auto& [cache, number] : caches())
    for (const auto& [operation, config] : operations())
      all.push_back(std::string(cache).append("-").append(operation));
  return all;
}

Event make_event(const std::string& word, const std::string& root) {
  if (word.find('/') != std::string::npos) return encoded(word, root);
  if (const auto found = hardware().find(word); found != hardware().end())
    return numbered(word, PERF_TYPE_HARDWARE, found->second);
  if (const auto found = software().find(word); found != software().end()) {
    auto event = numbered(word, PERF_TYPE_SOFTWARE, found->second);
    event.kernel_only = word == "context-switches" || word == "cpu-migrations";
    event.every_mode = word == "task-clock" || word == "cpu-clock";
    return event;
  }
  for (const auto& [cache, number] : caches()) {
    if (!word.starts_with(cache + "-")) continue;
    if (const auto found = operations().find(word.substr(cache.size() + 1)); found != operations().end())
      return numbered(word, PERF_TYPE_HW_CACHE, number | found->second);
  }
  refuse(word);
}

}  // namespace tierscope
