// SPDX-License-Identifier: GPL-2.0-or-later
#include "chosen.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <utility>

namespace tierscope::tracer {
namespace {

constexpr int HIGH = 700;  // descriptors below are those that programs name

/// Return the inode of a pipe; 0 if the descriptor is none.
ino_t pipe_of(int descriptor) {
  struct stat found{};
  return ::fstat(descriptor, &found) == 0 && S_ISFIFO(found.st_mode) ? found.st_ino : 0;
}

/// Return the same pipe where a program hardly opens or closes it; the descriptor itself where that cannot be.
int out_of_the_way(int descriptor) {
  if (descriptor >= HIGH) return descriptor;
  const auto high = ::fcntl(descriptor, F_DUPFD_CLOEXEC, HIGH);
  if (high < 0) return descriptor;
  ::close(descriptor);
  return high;
}

}  // namespace

std::string_view text_behind(std::span<char*> words, std::string_view name) {
  for (const std::string_view word : words)
    if (word.starts_with(name) && word.substr(name.size(), 1) == "=") return word.substr(name.size() + 1);
  return {};
}

std::uint64_t number_of(std::span<char*> words, std::string_view name, std::uint64_t otherwise) {
  const auto text = text_behind(words, name);
  std::uint64_t number = 0;
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), number);
  return bad == std::errc{} && end == text.data() + text.size() ? number : otherwise;
}

void Chosen::open(std::span<char*> words, int descriptor) {
  process_ = text_behind(words, "process");
  at_ = text_behind(words, "at");
  children_ = static_cast<unsigned>(number_of(words, "children", 0));
  descriptor_ = out_of_the_way(static_cast<int>(number_of(words, "to", static_cast<unsigned>(descriptor))));
  ::fcntl(descriptor_, F_SETFD, FD_CLOEXEC);
  root_ = static_cast<pid_t>(number_of(words, "root", static_cast<std::uint64_t>(::getpid())));
  root_descriptor_ = static_cast<int>(number_of(words, "from", static_cast<unsigned>(descriptor_)));
  inode_ = number_of(words, "pipe", pipe_of(descriptor_));
}

bool Chosen::ahead() const {
  return here() || at_.empty() || (process_.starts_with(at_) && process_.substr(at_.size(), 1) == ".");
}

void Chosen::in_the_child() {
  at_ += (at_.empty() ? "" : ".") + std::to_string(std::exchange(children_, 0));
  forked_ = true;
}

int Chosen::pipe() {
  if (inode_ == 0 || pipe_of(descriptor_) == inode_) return descriptor_;
  const auto path = "/proc/" + std::to_string(root_) + "/fd/" + std::to_string(root_descriptor_);
  const auto again = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
  if (again < 0 || pipe_of(again) != inode_) {
    if (again >= 0) ::close(again);
    return -1;
  }
  ::fcntl(again, F_SETFL, 0);
  return descriptor_ = out_of_the_way(again);
}

std::string Chosen::state() const {
  std::string text = ",at=" + at_;
  for (const auto& [name, value] : {std::pair<const char*, std::uint64_t>{"children", children_},
                                    {"to", descriptor_},
                                    {"root", root_},
                                    {"from", root_descriptor_},
                                    {"pipe", inode_}})
    text += std::string(",") + name + "=" + std::to_string(value);
  return text;
}

}  // namespace tierscope::tracer
