/// A simulated core over a machine that a test writes as text.
#pragma once
#include <memory>
#include <string>

#include "folder.hpp"
#include "simulate/pipeline.hpp"

namespace tierscope::tests {

struct MadeCore {
  /// @param text  a file of the machine, behind its name, summary and source; words: behind its path
  explicit MadeCore(const std::string& text, const std::string& words = "") {
    folder.write("made.toml", "name = \"made\"\nsummary = \"\"\nsource = \"\"\n" + text);
    machine = std::make_unique<simulate::Machine>(folder.at("made.toml") + words);
    pipeline = std::make_unique<simulate::Pipeline>(*machine, 0, placement);
  }
  Folder folder;
  std::unique_ptr<simulate::Machine> machine;
  simulate::Placement placement{0};
  std::unique_ptr<simulate::Pipeline> pipeline;
};

}  // namespace tierscope::tests
