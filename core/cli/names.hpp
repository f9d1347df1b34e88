/// The names of the border for the values of enumerations.
#pragma once
#include "kernels/kernel.hpp"

namespace tierscope::describe {

/// A value without a name does not compile (-Werror=switch). @throws std::logic_error for a number that is not a value
const char* name_of(kernels::Store store);
const char* name_of(kernels::Flush flush);
const char* name_of(kernels::Check check);
const char* name_of(kernels::Wait wait);
const char* name_of(kernels::Place place);

}  // namespace tierscope::describe
