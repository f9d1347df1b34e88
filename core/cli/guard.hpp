/// `tierscope-core guard PARENT LIMIT_S CPUS NODE LINE`: runs LINE by /bin/sh for the victim `command`, on CPUS (as
/// 0,2, or `all` that it may use already), with the memory of NODE (a number, or `any`). It leaves no process of LINE
/// behind: not when LINE ends, not after LIMIT_S seconds, not when PARENT dies, even by SIGKILL. Orphans of LINE become
/// children of the guard (PR_SET_CHILD_SUBREAPER), so it also finds a daemon. Only the core starts it
/// (victims/command.cpp).
#pragma once
#include <string>
#include <vector>

namespace tierscope {

/// Writes its Ending (victims/command.hpp) to descriptor 3. @returns the status of LINE, 128 + signal, 124 after the
/// limit, 125 if nothing was started. @throws BadPlan for wrong arguments
int guard(const std::vector<std::string>& words);

}  // namespace tierscope
