// SPDX-License-Identifier: GPL-2.0-or-later
#include "follow.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tierscope::tracer {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t LONGEST_WORD = 128U << 10U, MOST_WORDS = 1U << 20U;  // the kernel's own limits are near
constexpr unsigned DEEPEST = 4;                                            // scripts whose interpreter is a script
constexpr std::size_t HEAD_BYTES = 256;                                    // of a file, which the kernel looks at
constexpr std::size_t MACHINE_AT = 18;
constexpr unsigned char CLASS_64 = 2, X86_64 = 62;

/// Copy memory of the program, whose addresses are QEMU's own; return the bytes that could be read.
std::size_t copy(std::uint64_t from, void* to, std::size_t bytes) {
  const iovec own{to, bytes}, other{reinterpret_cast<void*>(from), bytes};
  const auto got = ::process_vm_readv(::getpid(), &own, 1, &other, 1, 0);
  return got < 0 ? 0 : static_cast<std::size_t>(got);
}

std::optional<std::string> text_at(std::uint64_t address) {
  std::string text;
  std::array<char, 256> piece{};
  while (text.size() < LONGEST_WORD) {
    const auto to_boundary = piece.size() - (address + text.size()) % piece.size();  // the next page may not be there
    const auto got = copy(address + text.size(), piece.data(), to_boundary);
    if (got == 0) return std::nullopt;
    const auto length = ::strnlen(piece.data(), got);
    text.append(piece.data(), length);
    if (length < got) return text;
  }
  return std::nullopt;
}

std::optional<Words> texts_at(std::uint64_t address) {
  Words found;
  while (address != 0 && found.size() < MOST_WORDS) {
    std::uint64_t next = 0;
    if (copy(address + found.size() * sizeof next, &next, sizeof next) != sizeof next) return std::nullopt;
    if (next == 0) return found;
    auto text = text_at(next);
    if (!text) return std::nullopt;
    found.push_back(std::move(*text));
  }
  return address == 0 ? std::optional(found) : std::nullopt;
}

std::string head_of(const std::string& path) {
  struct stat found{};
  if (path.starts_with("/proc/") || ::access(path.c_str(), X_OK) != 0 || ::stat(path.c_str(), &found) != 0) return "";
  if (!S_ISREG(found.st_mode) || (found.st_mode & (S_ISUID | S_ISGID)) != 0) return "";
  std::ifstream file(path, std::ios::binary);
  std::string head(HEAD_BYTES, 0);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

bool is_program(std::string_view head) {
  return head.starts_with(
             "\x7f"
             "ELF") &&
         head.size() > MACHINE_AT + 1 && head[4] == CLASS_64 && head[MACHINE_AT] == X86_64 && head[MACHINE_AT + 1] == 0;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view BLANK = " \t\r";
  const auto first = text.find_first_not_of(BLANK);
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(BLANK) - first + 1);
}

/// A path, and the words that its program gets; a script becomes its interpreter, as the kernel does it.
struct Target {
  std::string path;
  Words words;
};
std::optional<Target> target_of(Target asked) {
  for (unsigned depth = 0; depth <= DEEPEST; ++depth) {
    const auto head = head_of(asked.path);
    if (is_program(head)) return asked;
    if (!head.starts_with("#!")) return std::nullopt;
    const auto line = trimmed(std::string_view(head).substr(2, head.find('\n') - 2));
    const auto end = std::min(line.find_first_of(" \t"), line.size());
    Words words{std::string(line.substr(0, end))};
    if (const auto option = trimmed(line.substr(end)); !option.empty()) words.emplace_back(option);
    words.push_back(asked.path);
    if (!asked.words.empty()) words.insert(words.end(), asked.words.begin() + 1, asked.words.end());
    asked = {words.front(), std::move(words)};
  }
  return std::nullopt;
}

/// The words of this QEMU up to the plug-in with its arguments, which `state` follows instead of an older state.
Words own_words(const std::string& state) {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  Words words;
  for (std::string word; std::getline(file, word, '\0');) {
    const bool plugin = !words.empty() && words.back() == "-plugin";
    words.push_back(plugin ? word.substr(0, word.find(",first=")) + "," + state : word);
    if (plugin) return words;
  }
  return {};
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// What the program loads is not for QEMU: `-E` sets it for the program alone. It splits at commas.
void keep_from_qemu(Words& words, Words& environment) {
  const bool objects = std::ranges::any_of(words, [](const auto& word) { return word.starts_with("LD_PRELOAD="); });
  std::erase_if(environment, [&](const std::string& one) {
    if (!one.starts_with("LD_") || one.find(',') != one.npos) return false;
    if (!objects || !one.starts_with("LD_PRELOAD=")) words.insert(words.end(), {"-E", one});
    return true;
  });
}

std::vector<char*> pointers(Words& words) {
  std::vector<char*> found;
  for (auto& word : words) found.push_back(word.data());
  found.push_back(nullptr);
  return found;
}

/// FNV-1a: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm", IETF draft, 2012.
std::string digests_of(const Words& words) {
  constexpr std::size_t MOST = 256;
  std::string text;
  for (const auto& word : std::span(words).first(std::min(words.size(), MOST))) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char letter : word) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
    std::array<char, 18> digits{};
    std::snprintf(digits.data(), digits.size(), " %016llx", static_cast<unsigned long long>(hash));
    text += digits.data();
  }
  return text;
}

}  // namespace

void follow(const Execve& asked, const std::string& state, int descriptor,
            const std::function<void(const Followed&)>& before) {
  const auto file = text_at(asked.path);
  auto given = texts_at(asked.words), around = texts_at(asked.environment);
  if (!file || !given || !around) return;
  const auto target = target_of({*file, std::move(*given)});
  auto command = own_words(state);
  std::array<char, PATH_MAX> emulator{};
  if (!target || command.empty() || ::readlink("/proc/self/exe", emulator.data(), emulator.size() - 1) < 0) return;
  keep_from_qemu(command, *around);
  if (!target->words.empty() && name_of(target->words.front()) != name_of(target->path))
    command.insert(command.end(), {"-0", target->words.front()});
  command.push_back(target->path);
  if (!target->words.empty()) command.insert(command.end(), target->words.begin() + 1, target->words.end());
  before({target->path, digests_of(target->words)});
  ::fcntl(descriptor, F_SETFD, 0);
  ::execve(emulator.data(), pointers(command).data(), pointers(*around).data());
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

}  // namespace tierscope::tracer
