// SPDX-License-Identifier: GPL-2.0-or-later
/// Which process of a program is recorded: the program itself, or one that it starts. A process has the number of its
/// parent, a dot, and its own number among the children of that parent: `1.2` is the second one that the first one of
/// the program started, and the program itself has the number "". Processes on the way to the recorded one stay in QEMU
/// and write nothing; all others run without QEMU from the program on that they become.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tierscope::tracer {

/// The text behind "NAME=" of one of the arguments of the plug-in; "" if none has that name.
std::string_view text_behind(std::span<char*> words, std::string_view name);
/// The number behind "NAME="; `otherwise` if none has that name, or if the text is not a number.
std::uint64_t number_of(std::span<char*> words, std::string_view name, std::uint64_t otherwise);

class Chosen {
 public:
  /// words: arguments of the plug-in, with those that `state` added. descriptor: of the pipe.
  void open(std::span<char*> words, int descriptor);
  /// Whether this process is recorded.
  [[nodiscard]] bool here() const { return at_ == process_; }
  /// Whether this process is recorded from the program on that it becomes.
  [[nodiscard]] bool next() const { return here() && forked_; }
  /// Whether the recorded process is this one, or may be one that it starts.
  [[nodiscard]] bool ahead() const;
  void before_a_fork() { ++children_; }
  void in_the_child();
  /// Return the descriptor of the pipe, opened again where the program has closed it; -1 where that cannot be.
  int pipe();
  /// Arguments of the next plug-in of this process.
  [[nodiscard]] std::string state() const;

 private:
  std::string process_, at_;
  unsigned children_ = 0;
  bool forked_ = false;  // this process has not become another program yet
  int descriptor_ = -1, root_descriptor_ = -1;
  pid_t root_ = 0;  // the program itself
  ino_t inode_ = 0;
};

}  // namespace tierscope::tracer
