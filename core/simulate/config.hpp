/// A simulated machine as text: a TOML file, built in or the user's, with `key=value` options that replace its values.
///     optane100,memory.pmem.buffer.0.size=24KiB,noise=2
/// Numbers with units are strings ("16KiB", "132.3ns", "6.4GB/s"), counts are numbers. The reader of a section names
/// each of its keys once; `refuse_rest` then finds the keys that no reader knows.
#pragma once
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulate/access.hpp"

namespace tierscope::simulate {

/// One table of the tree. It is cheap to copy, and all copies share the set of keys that were read. Every reader
/// @throws BadPlan with the file and the key where a value is absent, of another type, or out of range.
class Section {
 public:
  struct Node;
  explicit Section(std::shared_ptr<Node> node) : node_(std::move(node)) {}
  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] std::string word(std::string_view key, const char* otherwise = nullptr) const;
  /// @throws BadPlan also if the value is not one of `known`
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
  /// Return the tables of an array of tables, or of a table of tables by name; none if there is no such key.
  [[nodiscard]] std::vector<Section> sections(std::string_view key) const;
  /// Return its own key below its parent: "pmem" of memory.pmem.
  [[nodiscard]] std::string name() const;
  /// @throws BadPlan naming the file, the key and the reason
  [[noreturn]] void refuse(std::string_view key, const std::string& why) const;
  /// @throws BadPlan for a key, here or below, that was never read
  void refuse_rest() const;

 private:
  std::shared_ptr<Node> node_;
};

/// The text behind `sim:`, split into the machine without `memory=NAME`, and the name of its memory ("": the default).
struct Place {
  std::string machine, memory;
};
/// Return the text after `sim:`. @throws BadPlan if the argument does not begin with it
std::string machine_word(const std::string& word);
Place parse_place(const std::string& where);

/// A built-in preset, as its file states it.
struct Preset {
  std::string name, summary, source;
};
std::vector<Preset> presets();
/// `word`: the text behind `sim:`: PRESET or a path that ends in .toml, then `key=value` options. @throws BadPlan,
/// Unsupported
Section read_config(const std::string& word);
/// Return "", or the reason why this build cannot read a file.
const char* lacking();

}  // namespace tierscope::simulate
