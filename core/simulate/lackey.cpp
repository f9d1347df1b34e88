#include "simulate/lackey.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "base/error.hpp"

namespace tierscope::simulate {
namespace {

constexpr std::uint64_t LARGEST = 4096;                     // bytes of one access: XSAVE's areas are under 3 KiB
constexpr std::uint64_t HIGHEST = std::uint64_t{1} << 48U;  // above all addresses of programs, x86-64 and AArch64
constexpr std::size_t LONGEST = 4096;                       // bytes of a line; Valgrind's own messages are included

/// @throws BadPlan
Traced parse(const std::string& line, std::uint64_t number) {
  Traced traced;
  const auto refuse = [&](const char* why) {
    throw BadPlan("trace, line " + std::to_string(number) + ": '" + line.substr(0, 60) + "' " + why +
                  "; it takes what `valgrind --tool=lackey --trace-mem=yes` writes");
  };
  if (line.size() < 4) refuse("is not an access");
  const auto kind = line.substr(0, 3);
  if (kind == "I  ") {
    traced.what = Traced::What::instruction;
  } else if (kind == " L ") {
    traced.what = Traced::What::load;
  } else if (kind == " S ") {
    traced.what = Traced::What::store;
  } else if (kind == " M ") {
    traced.what = Traced::What::modify;
  } else {
    refuse("is not an access");
  }
  const char* const end = line.data() + line.size();
  const auto [comma, bad] = std::from_chars(line.data() + 3, end, traced.address, 16);
  if (bad != std::errc{} || comma == end || *comma != ',') refuse("has no address and size");
  const auto [rest, wrong] = std::from_chars(comma + 1, end, traced.size, 10);
  if (wrong != std::errc{} || rest != end || traced.size == 0 || traced.size > LARGEST) refuse("has no size in bytes");
  if (traced.what != Traced::What::instruction && traced.address > HIGHEST - traced.size)
    refuse("is above all memory of programs (2^48)");
  return traced;
}

}  // namespace

bool Lackey::next(Traced& traced) {
  while (line()) {
    if (line_.empty() || line_.starts_with("==") || line_.starts_with("--")) continue;
    traced = parse(line_, lines_);
    return true;
  }
  return false;
}

/// Read the next line into `line_`, whatever the length of the input. @throws BadPlan, SystemError
bool Lackey::line() {
  errno = 0;
  line_.resize(LONGEST);
  from_.getline(line_.data(), static_cast<std::streamsize>(LONGEST));
  if (from_.bad()) throw SystemError("read the trace after line " + std::to_string(lines_), errno);
  const auto got = static_cast<std::size_t>(from_.gcount());
  if (from_.eof() && got == 0) return false;
  ++lines_;
  const auto refuse = [&](std::size_t size, const char* why) {
    throw BadPlan("trace, line " + std::to_string(lines_) + ": '" + line_.substr(0, std::min<std::size_t>(size, 60)) +
                  "' " + why);
  };
  if (from_.eof()) refuse(got, "has no end, so the trace was cut short; trace the program again");
  if (from_.fail()) refuse(got, "does not end; this is not a trace of Valgrind's lackey");
  line_.resize(got - 1);  // without the end of the line
  return true;
}

}  // namespace tierscope::simulate
