/// Caches that a test describes, over a memory that keeps what it was asked for.
#pragma once
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "folder.hpp"
#include "simulate/caches.hpp"

namespace tierscope::tests {

using namespace simulate;

constexpr Time READ = 100'000, WRITE = 30'000;

/// A memory without structure that keeps what it was asked for.
struct Plain final : Memory {
  std::vector<std::uint64_t> reads, writes;
  Time read(std::uint64_t address, Time at) override { return reads.push_back(address), at + READ; }
  Time write(std::uint64_t address, Time at) override { return writes.push_back(address), at + WRITE; }
  void count(const std::string&, Counters&) const override {}
  void reset_counters() override {}
};

/// Caches that a text describes, over that memory.
struct Made {
  Plain memory;
  std::unique_ptr<Caches> caches;
  explicit Made(const std::string& text, unsigned cpus = 1, std::uint64_t line = LINE) {
    const Folder folder;
    folder.write("made.toml", text);
    caches = std::make_unique<Caches>(read_config(folder.at("made.toml")).sections("cache"), cpus, 7, memory, line);
  }
  Time access(std::uint64_t line, Kind kind = Kind::load, Time at = 0, unsigned cpu = 0) const {
    return caches->access(cpu, line * LINE, kind, at) - at;
  }
  std::uint64_t count(const std::string& name) const {
    Counters counters;
    caches->count(counters);
    REQUIRE(counters.contains(name));
    return counters[name];
  }
};

inline std::string cache(const std::string& name, const std::string& size, int ways, int ns,
                         const std::string& more = "") {
  return "[[cache]]\nname = \"" + name + "\"\nsize = \"" + size + "\"\nways = " + std::to_string(ways) +
         "\nlatency = \"" + std::to_string(ns) + "ns\"\n" + more + "\n";
}
}  // namespace tierscope::tests
