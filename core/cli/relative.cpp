#include "cli/relative.hpp"

#include <unistd.h>

#include <array>
#include <climits>
#include <cmath>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/json.hpp"

namespace tierscope {
namespace {

constexpr std::size_t MOST_DIGESTS = 256, MOST_SHOWN = 40, LONGEST_SHOWN = 200;
constexpr int USER_FIELD = 14;  // of /proc/PID/stat, counted from 1; proc(5)
constexpr int CHILDREN_FIELD = 16;

std::string proc_of(pid_t pid) { return "/proc/" + std::to_string(pid); }

/// Return two fields of /proc/PID/stat that follow each other, as seconds. The name may contain any letter.
Charged charged_in(pid_t pid, int field) {
  std::ifstream file(proc_of(pid) + "/stat", std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bracket = text.rfind(')');
  if (bracket == std::string::npos) return {};
  std::istringstream rest(text.substr(bracket + 1));
  std::string skipped;
  for (int i = 3; i < field; ++i) rest >> skipped;
  double user = 0, system = 0;
  rest >> user >> system;
  const auto per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return {user / per_second, system / per_second};
}

}  // namespace

std::string digest_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  constexpr char DIGITS[] = "0123456789abcdef";
  std::string out(16, '0');
  for (auto at = out.rbegin(); at != out.rend(); ++at, hash >>= 4U) *at = DIGITS[hash & 15U];
  return out;
}

std::string file_of(pid_t pid) {
  std::array<char, PATH_MAX> path{};
  const auto length = ::readlink((proc_of(pid) + "/exe").c_str(), path.data(), path.size());
  return length < 0 ? "" : std::string(path.data(), static_cast<std::size_t>(length));
}

CommandWords words_of(pid_t pid) {
  std::ifstream file(proc_of(pid) + "/cmdline", std::ios::binary);
  CommandWords found;
  for (std::string word; std::getline(file, word, '\0'); ++found.count) {
    if (found.count < MOST_DIGESTS) found.digests.push_back(digest_of(word));
    if (found.count < MOST_SHOWN) found.shown.push_back(word.substr(0, LONGEST_SHOWN));
  }
  return found;
}

Charged ticks_of(pid_t pid) { return charged_in(pid, USER_FIELD); }

Charged charged_of(pid_t pid) {
  const auto ticks = ticks_of(pid);
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return ticks;
  const auto every = static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  const auto counted = ticks.user_s + ticks.system_s;
  const auto user = counted > 0 ? every * ticks.user_s / counted : every;
  return {user, every - user};
}

Charged children_of(pid_t pid) { return charged_in(pid, CHILDREN_FIELD); }

Charged waited_for(const Charged& ticks, const Charged& ended) {
  const auto tick = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto one = [&](double rounded, double exact) { return std::abs(exact - rounded) < 2 * tick ? exact : rounded; };
  return {one(ticks.user_s, ended.user_s), one(ticks.system_s, ended.system_s)};
}

std::string described(const Relative& one) {
  json::Object fact;
  fact.add("fact", "process")
      .add("number", one.number)
      .add("programs", one.programs)
      .add("file", one.file)
      .add("words", one.words.shown);
  fact.add("first_file", one.first_file).add("first_digests", one.first.digests).add("first_count", one.first.count);
  fact.add("begin_s", one.begin_s);
  if (one.end_s) fact.add("end_s", *one.end_s);
  fact.add("before_s", one.before.user_s + one.before.system_s);
  fact.add("user_s", one.charged.user_s).add("system_s", one.charged.system_s);
  return fact.str();
}

}  // namespace tierscope
