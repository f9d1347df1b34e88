/// The files of core/simulate/presets/, built into the program.
#pragma once
#include <span>
#include <string_view>

namespace tierscope::simulate {

struct PresetText {
  std::string_view name, text;
};
extern const std::span<const PresetText> PRESETS;

}  // namespace tierscope::simulate
