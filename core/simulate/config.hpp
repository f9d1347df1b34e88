/// A simulated machine in words: a TOML file, ours or the user's, under `key=value` words that replace its values.
///     optane100,memory.pmem.buffer.0.size=24KiB,noise=2
/// Numbers with units are strings ("16KiB", "132.3ns", "6.4GB/s"), counts are numbers. Whoever reads a section names
/// each of its keys once; `refuse_rest` then finds those that nobody knows.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/access.hpp"

namespace tierscope::simulate {

/// One table of the tree. Cheap to copy; all copies know which keys were read. Every reader @throws BadPlan with the
/// file and the key where a value is absent, of another type, or out of range.
class Section {
 public:
  struct Node;
  explicit Section(std::shared_ptr<Node> node) : node_(std::move(node)) {}
  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] std::string word(std::string_view key, const char* otherwise = nullptr) const;
  /// @throws BadPlan as well if it is none of `known`
  [[nodiscard]] std::string choice(std::string_view key, const std::vector<std::string>& known,
                                   const char* otherwise = nullptr) const;
  [[nodiscard]] std::uint64_t bytes(std::string_view key, const char* otherwise = nullptr) const;
  /// Not negative.
  [[nodiscard]] Time time(std::string_view key, const char* otherwise = nullptr) const;
  /// Bytes/s, as "6.4GB/s"; above 0.
  [[nodiscard]] double rate(std::string_view key, const char* otherwise = nullptr) const;
  [[nodiscard]] std::uint64_t count(std::string_view key, std::uint64_t least, std::uint64_t most,
                                    const char* otherwise = nullptr) const;
  [[nodiscard]] double real(std::string_view key, double least, double most, const char* otherwise = nullptr) const;
  [[nodiscard]] bool flag(std::string_view key, bool otherwise) const;
  [[nodiscard]] Section section(std::string_view key) const;
  /// The tables of an array of tables, or of a table of tables by name; none if there is no such key.
  [[nodiscard]] std::vector<Section> sections(std::string_view key) const;
  /// Its own key below its parent: "pmem" of memory.pmem.
  [[nodiscard]] std::string name() const;
  /// @throws BadPlan naming the file, the key and why
  [[noreturn]] void refuse(std::string_view key, const std::string& why) const;
  /// @throws BadPlan for a key, here or below, that was never read
  void refuse_rest() const;

 private:
  std::shared_ptr<Node> node_;
};

/// A word behind `sim:` without and with its `memory=NAME`: which machine, and which of its memories ("": the default).
struct Place {
  std::string machine, memory;
};
/// What follows `sim:` in a word. @throws BadPlan for a word that does not begin so
std::string machine_word(const std::string& word);
Place parse_place(const std::string& where);

/// A preset that is built in, as its file states it.
struct Preset {
  std::string name, summary, source;
};
std::vector<Preset> presets();
/// The word behind `sim:`: PRESET or a path that ends in .toml, then key=value words. @throws BadPlan, Unsupported
Section read_config(const std::string& word);
/// "" or why this build cannot read any.
const char* lacking();

}  // namespace tierscope::simulate
