#include "simulate/lackey.hpp"

#include <charconv>

#include "base/error.hpp"

namespace tierscope::simulate {
namespace {

constexpr std::uint64_t LARGEST = 4096;  // bytes of one access: XSAVE's areas are under 3 KiB

/// @throws BadPlan
Traced parse(const std::string& line, std::uint64_t number) {
  Traced traced;
  const auto refuse = [&](const char* why) {
    throw BadPlan("trace, line " + std::to_string(number) + ": '" + line.substr(0, 60) + "' " + why +
                  "; it takes what `valgrind --tool=lackey --trace-mem=yes` writes");
  };
  if (line.size() < 4) refuse("is no access");
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
    refuse("is no access");
  }
  const char* const end = line.data() + line.size();
  const auto [comma, bad] = std::from_chars(line.data() + 3, end, traced.address, 16);
  if (bad != std::errc{} || comma == end || *comma != ',') refuse("has no address and size");
  const auto [rest, wrong] = std::from_chars(comma + 1, end, traced.size, 10);
  if (wrong != std::errc{} || rest != end || traced.size == 0 || traced.size > LARGEST) refuse("has no size in bytes");
  return traced;
}

}  // namespace

bool Lackey::next(Traced& traced) {
  while (std::getline(from_, line_)) {
    ++lines_;
    if (from_.eof())  // a line without its end: the trace was cut short in the middle of it
      throw BadPlan("trace, line " + std::to_string(lines_) + ": '" + line_.substr(0, 60) +
                    "' has no end, so the trace was cut short; trace the program again");
    if (line_.empty() || line_.starts_with("==") || line_.starts_with("--")) continue;
    traced = parse(line_, lines_);
    return true;
  }
  return false;
}

}  // namespace tierscope::simulate
