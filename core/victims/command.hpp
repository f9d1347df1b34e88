/// How the victim `command` and its guard speak: words to the guard, one Ending back on a descriptor of its own.
#pragma once

namespace tierscope::command {

/// Where the guard writes its Ending; closed for the command itself.
constexpr int ENDING_DESCRIPTOR = 3;
constexpr double DEFAULT_LIMIT_S = 600;

struct Ending {
  enum Kind : int { EXIT, SIGNAL, LIMIT, NOT_STARTED, TOLD_TO_END, NO_GUARD };
  int kind = NO_GUARD;
  int value = 0;  // of EXIT the status, of SIGNAL its number, of NOT_STARTED errno
};

}  // namespace tierscope::command
