/// `tierscope-core guard PARENT LIMIT_S CPUS LINE`: runs LINE by /bin/sh for the victim `command`, on CPUS (as 0,2, or
/// `all` that it may use already), and leaves no process of it behind: not when it ends, not after LIMIT_S seconds, not
/// when PARENT dies, be it by SIGKILL. Orphans of LINE become children of the guard (PR_SET_CHILD_SUBREAPER), so a
/// daemon is found, too. Started by the core alone (victims/command.cpp).
#pragma once
#include <string>
#include <vector>

namespace tierscope {

/// Writes its Ending (victims/command.hpp) to descriptor 3. @returns the status of LINE, 128 + signal, 124 after the
/// limit, 125 where nothing was started. @throws BadPlan for wrong words
int guard(const std::vector<std::string>& words);

}  // namespace tierscope
