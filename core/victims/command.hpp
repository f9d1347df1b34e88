/// The protocol of the victim `command` and its guard: arguments to the guard, one Ending back on its own descriptor.
#pragma once

namespace tierscope::command {

/// The descriptor to which the guard writes its Ending; closed for the command itself.
constexpr int ENDING_DESCRIPTOR = 3;
constexpr double DEFAULT_LIMIT_S = 600;

struct Ending {
  enum Kind : int { EXIT, SIGNAL, LIMIT, NOT_STARTED, TOLD_TO_END, NO_GUARD };
  int kind = NO_GUARD;
  int value = 0;  // of EXIT the status, of SIGNAL its number, of NOT_STARTED errno
};

}  // namespace tierscope::command
