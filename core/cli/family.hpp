/// `tierscope-core family FD COMMAND...`: runs COMMAND, and writes to descriptor FD which processes it starts, each
/// with its command, its place among the others and its time. The kernel stops a process where it starts another one,
/// where it becomes another program (exec), and where it gets a signal (ptrace). It runs freely otherwise, so that
/// static programs are served and no root is needed. A process has the number of its parent, a dot, and its own number
/// among the children of that parent: `1.2` is the second process that the first process of the program started. The
/// program itself has the number "". Blind to: a program with the rights of another user (setuid), which the kernel
/// then runs without them; a program that is a debugger. Source: Linux manual page ptrace(2).
#pragma once
#include <string>
#include <vector>

namespace tierscope {

/// Write a JSON line for each process, in the order of their starts, and then one for the whole program. A process that
/// still runs when the program has ended continues without us, and has no end; its time is that so far. If we are
/// killed before, the kernel kills all processes of the program.
/// @returns the status of COMMAND, 128 + signal, or 125 if it was not started, and the line then has the reason.
/// @throws BadPlan for wrong arguments
int family(const std::vector<std::string>& words);

}  // namespace tierscope
