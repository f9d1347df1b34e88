/// Reads a program's accesses in the format of Valgrind's tool lackey with --trace-mem=yes:
///
///     I  04016a80,3      an instruction of 3 bytes
///      L 1ffefffe58,8    a load;  " S" a store;  " M" a load and a store of the same bytes
///
/// Addresses are hexadecimal and below 2^48, sizes decimal. Lines that begin with "==" are Valgrind's own messages.
/// Source: Valgrind user manual, "Lackey: an example tool", 2022.
#pragma once
#include <istream>
#include <string>

#include "simulate/access.hpp"

namespace tierscope::simulate {

struct Traced {
  enum class What : std::uint8_t { instruction, load, store, modify } what = What::instruction;
  std::uint64_t address = 0, size = 0;  // bytes
};

class Lackey {
 public:
  explicit Lackey(std::istream& from) : from_(from) {}
  /// Read the next access; return false at the end. @throws BadPlan naming a line that is incomplete or none of these;
  /// SystemError
  bool next(Traced& traced);
  [[nodiscard]] std::uint64_t lines() const noexcept { return lines_; }

 private:
  bool line();
  std::istream& from_;
  std::string line_;
  std::uint64_t lines_ = 0;
};

}  // namespace tierscope::simulate
