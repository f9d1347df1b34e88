/// The TOML file of a simulated machine as toml++ reads it, with the values that `key=value` options replace. Only for
/// units whose build has toml++ (docs/decisions/0014-presets-in-toml.md).
#pragma once
#include <stdexcept>

namespace tierscope::simulate {
/// Throw for text that toml++ would take for its own fault, and then end the process.
[[noreturn]] inline void no_toml() { throw std::logic_error("is not TOML that toml++ can read"); }
}  // namespace tierscope::simulate

#define TOML_HEADER_ONLY 0  // its code is compiled only in document.cpp
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
  std::set<std::string> read;  // full paths of the keys that were read
};

/// @throws BadPlan naming the file and the line, or the key
Document read_document(const std::string& word);

}  // namespace tierscope::simulate
