/// The exception of an action as text, so that a test can look for words in a message.
#pragma once
#include <string>

#include "base/error.hpp"

namespace tierscope::tests {

/// "BadPlan: ..." or, where nothing was thrown, "".
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return std::string(error.kind()) + ": " + error.what();
  }
  return "";
}

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace tierscope::tests
