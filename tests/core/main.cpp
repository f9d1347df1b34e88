/// The program around the tests of this folder. It is its own guard, as the core is: victims/command.cpp starts
/// /proc/self/exe.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <string_view>

#include "cli/guard.hpp"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "guard") return tierscope::guard({argv + 2, argv + argc});
  return doctest::Context(argc, argv).run();
}
