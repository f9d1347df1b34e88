/// The file behind a simulated machine's word as toml++ reads it, with the values that `key=value` words replace.
/// Only for units that are built where toml++ is (docs/decisions/0014-presets-in-toml.md).
#pragma once
#include <stdexcept>

namespace tierscope::simulate {
/// Text that toml++ takes for a fault of its own: what would end the process there.
[[noreturn]] inline void no_toml() { throw std::logic_error("is no TOML that toml++ can read"); }
}  // namespace tierscope::simulate

#define TOML_HEADER_ONLY 0  // its code is compiled once, in document.cpp
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0  // it is only read
#define TOML_ASSERT(truth) ((truth) ? void() : tierscope::simulate::no_toml())
#include <toml++/toml.h>

#include <set>
#include <string>

namespace tierscope::simulate {

struct Document {
  toml::table root;
  std::string file;
  std::set<std::string> read;  // full paths of the keys that were asked for
};

/// @throws BadPlan naming the file and the line, or the key
Document read_document(const std::string& word);

}  // namespace tierscope::simulate
