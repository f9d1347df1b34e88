#include "bench/plan.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/registry.hpp"
#include "bench/task.hpp"
#include "team/topology.hpp"

namespace tierscope {
namespace {

constexpr double MOST_BYTES = 0x1p56;  // all that five levels of page tables address: sums of sizes cannot wrap

void set_target(GroupPlan& plan, const std::string&, const std::string& word) {
  const auto colon = word.find(':');
  plan.target = word.substr(0, colon);
  plan.where = colon == std::string::npos ? "" : word.substr(colon + 1);
}

void set_shared(GroupPlan& plan, const std::string& key, const std::string& word) {
  if (word != "0" && word != "1") throw BadPlan(key + "=" + word + " is neither 0 nor 1");
  plan.shared = word == "1";
}

std::string shared_of(const GroupPlan& plan) { return plan.shared ? "1" : "0"; }

void set_cpus(GroupPlan& plan, const std::string&, const std::string& word) { plan.cpus = topology::parse_list(word); }

std::string target_of(const GroupPlan& plan) { return plan.target + (plan.where.empty() ? "" : ":" + plan.where); }

std::string cpus_of(const GroupPlan& plan) {
  std::string list;
  for (const auto cpu : plan.cpus) list += (list.empty() ? "" : ",") + std::to_string(cpu);
  return list;
}

/// The keys that every group takes.
constexpr Key<GroupPlan> KEYS[]{
    text_key<GroupPlan, &GroupPlan::kernel>("kernel"),
    text_key<GroupPlan, &GroupPlan::isa>("isa"),
    {"target", set_target, target_of},
    text_key<GroupPlan, &GroupPlan::source>("source"),
    text_key<GroupPlan, &GroupPlan::pages>("pages"),
    {"cpus", set_cpus, cpus_of},
    {"shared", set_shared, shared_of},
    count_key<GroupPlan, &GroupPlan::pace>("pace"),
    bytes_key<GroupPlan, &GroupPlan::burst>("burst"),
    count_key<GroupPlan, &GroupPlan::seed>("seed"),
    count_key<GroupPlan, &GroupPlan::per_block>("per_block"),
};

std::string joined(const std::set<std::string>& names) {
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

[[noreturn]] void refuse_key(const std::string& key) {
  std::set<std::string> known;
  for (const auto& one : KEYS) known.insert(one.name);
  for (const Task* task : Registry<Task>::entries())
    for (auto& name : task->work()->keys()) known.insert(std::move(name));
  throw BadPlan("unknown key '" + key + "' (known: " + joined(known) + ")");
}

/// Reads a key of other tasks: its value must be valid there, and is kept if the kernel would have to obey it.
void read_other(GroupPlan& plan, const std::string& key, const std::string& word) {
  bool known = false;
  for (const Task* task : Registry<Task>::entries()) {
    const auto work = task->work();
    if (!work->read(key, word)) continue;
    known = true;
    Words words;
    work->add_words(words);
    for (const auto& [name, kept] : words) plan.others[name] = kept;
    if (words.empty()) plan.others.erase(key);
  }
  if (!known) refuse_key(key);
}

/// A key of some task.
void read_work(GroupPlan& plan, const std::string& key, const std::string& word) {
  if (plan.task == nullptr || !plan.work.get()->read(key, word)) read_other(plan, key, word);
}

/// Sets the task of the plan's kernel. Its work takes over the keys that the earlier task shares, or all
/// keys if there was no kernel before.
void settle_work(GroupPlan& plan) {
  const auto* const task = task_of(plan.kernel);
  if (task == plan.task) return;
  const auto others = std::exchange(plan.others, {});
  Words words;
  if (plan.task != nullptr) plan.work.get()->add_words(words);
  const bool first = std::exchange(plan.task, task) == nullptr;
  plan.work = HeldWork(task == nullptr ? nullptr : task->work());
  for (const auto& [key, word] : words)
    if (task != nullptr) plan.work.get()->read(key, word);
  for (const auto& [key, word] : others)
    if (first) read_work(plan, key, word);
}

/// Returns where the comment starts: at a '#' at the beginning of a word, since a path may contain one.
std::size_t comment(std::string_view text) {
  auto at = text.find('#');
  while (at != std::string_view::npos && at > 0 && text[at - 1] != ' ' && text[at - 1] != '\t')
    at = text.find('#', at + 1);
  return at;
}

}  // namespace

Line parse_line(std::string_view text) {
  Line line;
  std::istringstream words{std::string(text.substr(0, comment(text)))};
  words >> line.command;
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw BadPlan("'" + word + "' is not of the form key=value in: " + std::string(text));
    if (!line.words.emplace(word.substr(0, equals), word.substr(equals + 1)).second)
      throw BadPlan("key '" + word.substr(0, equals) + "' twice in: " + std::string(text));
  }
  return line;
}

std::uint64_t parse_bytes(const std::string& key, const std::string& word) {
  const double value = quantity::bytes(key, word);
  if (value != std::floor(value) || value > MOST_BYTES)
    throw BadPlan(key + "=" + word + " is not a whole number of bytes up to 64 PiB");
  return static_cast<std::uint64_t>(value);
}

std::string percent_decoded(const std::string& key, const std::string& word) {
  std::string text;
  for (std::size_t i = 0; i < word.size(); ++i) {
    unsigned code = 0;
    const char* const at = word.data() + i + 1;
    if (word[i] != '%') {
      text += word[i];
    } else if (word.size() - i > 2 && std::from_chars(at, at + 2, code, 16).ptr == at + 2 && code != 0) {
      text += static_cast<char>(code);
      i += 2;
    } else {
      throw BadPlan(key + "=" + word + " has a '%' without two hexadecimal digits after it; write %25 for '%' itself");
    }
  }
  return text;
}

std::string percent_encoded(const std::string& text) {
  constexpr const char* digits = "0123456789ABCDEF";
  std::string word;
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (code > ' ' && letter != '%')
      word += letter;
    else
      word += {'%', digits[code / 16], digits[code % 16]};
  }
  return word;
}

double parse_seconds(const std::string& key, const std::string& word) { return quantity::seconds(key, word); }

std::string seconds_word(double seconds) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), seconds).ptr;
  return std::string(digits.data(), end) + "s";
}

std::uint64_t parse_count(const std::string& key, const std::string& word) {
  std::uint64_t value = 0;
  const auto [at, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || at != word.data() + word.size() || value > (std::uint64_t{1} << 62U))
    throw BadPlan(key + "=" + word + " is not a whole number");
  return value;
}

bool simulated(const GroupPlan& plan) { return plan.target == "sim" || plan.source.starts_with("sim:"); }

std::string words_of(const GroupPlan& plan) {
  Words words = plan.others;
  add_words<GroupPlan>(KEYS, plan, words);
  if (plan.work.get() != nullptr) plan.work.get()->add_words(words);
  std::string line;
  for (const auto& [name, word] : words) line += (line.empty() ? "" : " ") + name + "=" + word;
  return line;
}

void read_words(const Words& words, GroupPlan& plan) {
  if (const auto kernel = words.find("kernel"); kernel != words.end()) plan.kernel = kernel->second;
  settle_work(plan);
  for (const auto& [key, word] : words) {
    if (!read_key<GroupPlan>(KEYS, plan, key, word)) read_work(plan, key, word);
  }
}

void require_known(const GroupPlan& plan) {
  if (plan.task == nullptr) refuse_kernel(plan.kernel);
  if (plan.others.empty()) return;
  std::set<std::string> taken;
  for (auto& key : plan.work.get()->keys()) taken.insert(std::move(key));
  const auto& [key, word] = *plan.others.begin();
  throw BadPlan("kernel " + plan.kernel + " does not take " + key + "=" + word +
                "; of the keys that depend on the kernel " +
                (taken.empty() ? "it takes none" : "it takes " + joined(taken)));
}

}  // namespace tierscope
