/// The file behind a simulated machine's word as toml++ reads it, with the values that `key=value` words replace.
/// Only for units that are built where toml++ is (docs/decisions/0014-presets-in-toml.md).
#pragma once
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include <set>
#include <string>

namespace tierscope::simulate {

struct Tree {
  toml::table root;
  std::string file;
  std::set<std::string> read;  // full paths of the keys that were asked for
};

/// @throws BadPlan naming the file and the line, or the key
Tree read_tree(const std::string& word);

}  // namespace tierscope::simulate
