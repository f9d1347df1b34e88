/// The errors of the core. Set-up throws them; the border turns them into one JSON line and an exit status.
#pragma once
#include <cstring>
#include <stdexcept>
#include <string>

namespace tierscope {

/// Base of all: a message that states what was asked, what came back and what to try.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  [[nodiscard]] virtual const char* kind() const noexcept = 0;
};

/// The system refused; the message ends with its reason.
class SystemError final : public Error {
 public:
  SystemError(const std::string& asked, int number) : Error(asked + ": " + std::strerror(number)) {}
  [[nodiscard]] const char* kind() const noexcept override { return "SystemError"; }
};

/// This machine or this build cannot do it.
class Unsupported final : public Error {
 public:
  using Error::Error;
  [[nodiscard]] const char* kind() const noexcept override { return "Unsupported"; }
};

/// Memory that was mapped can no longer be read or written (SIGBUS).
class Fault final : public Error {
 public:
  using Error::Error;
  [[nodiscard]] const char* kind() const noexcept override { return "Fault"; }
};

/// The plan is wrong.
class BadPlan final : public Error {
 public:
  using Error::Error;
  [[nodiscard]] const char* kind() const noexcept override { return "BadPlan"; }
};

}  // namespace tierscope
