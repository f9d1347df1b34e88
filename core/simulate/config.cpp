#include "simulate/config.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <system_error>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/quantity.hpp"
#include "simulate/presets.hpp"
#ifdef TIERSCOPE_TOML
#include "simulate/document.hpp"
#endif

namespace tierscope::simulate {

std::string machine_word(const std::string& word) {
  if (!word.starts_with("sim:")) throw BadPlan("'" + word + "' is not a simulated machine; write sim:PRESET");
  return word.substr(4);
}

Place parse_place(const std::string& where) {
  Place place;
  if (where.ends_with(',')) throw BadPlan("sim:" + where + " ends in a comma; key=value follows each comma");
  std::istringstream parts(where);
  for (std::string part; std::getline(parts, part, ',');) {
    if (part.starts_with("memory=")) {
      if (!place.memory.empty()) throw BadPlan("sim:" + where + " names two memories; a target has one memory=NAME");
      place.memory = part.substr(7);
    } else {
      place.machine += (place.machine.empty() ? "" : ",") + part;
    }
  }
  return place;
}

#ifdef TIERSCOPE_TOML

struct Section::Node {
  std::shared_ptr<Document> tree;
  toml::table* table;
  std::string path;  // "memory.pmem", "" of the root

  [[nodiscard]] std::string full(std::string_view key) const {
    return path.empty() ? std::string(key) : path + "." + std::string(key);
  }
  toml::node* find(std::string_view key) {
    tree->read.insert(full(key));
    return table->get(key);
  }
};

bool Section::has(std::string_view key) const { return node_->table->contains(key); }

void Section::refuse(std::string_view key, const std::string& why) const {
  throw BadPlan(node_->tree->file + ", " + node_->full(key) + ": " + why);
}

std::string Section::word(std::string_view key, const char* otherwise) const {
  auto* found = node_->find(key);
  if (found == nullptr && otherwise == nullptr) refuse(key, "is absent; give it a value");
  if (found == nullptr) return otherwise;
  if (const auto text = found->value_exact<std::string>()) return *text;
  if (const auto number = found->value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto number = found->value_exact<double>()) {
    std::ostringstream shown;
    shown << *number;
    return shown.str();
  }
  refuse(key, "is neither text nor a number");
}

std::string Section::choice(std::string_view key, const std::vector<std::string>& known, const char* otherwise) const {
  const auto found = word(key, otherwise);
  if (std::ranges::find(known, found) != known.end()) return found;
  std::string all;
  for (const auto& one : known) all += (all.empty() ? "" : ", ") + one;
  refuse(key, "'" + found + "' is none of " + all);
}

std::uint64_t Section::bytes(std::string_view key, const char* otherwise) const {
  const auto text = word(key, otherwise);
  double found = 0;
  try {
    found = quantity::bytes(std::string(key), text);
  } catch (const BadPlan&) {
    refuse(key, "'" + text + "' is not a size; write one such as \"16KiB\"");
  }
  if (found < 0 || found > 0x1p47) refuse(key, text + " is outside 0 to 128 TiB");
  if (found != std::floor(found)) refuse(key, "'" + text + "' is not a whole number of bytes");
  return static_cast<std::uint64_t>(found);
}

Time Section::time(std::string_view key, const char* otherwise) const {
  const auto text = word(key, otherwise);
  if (text.starts_with('-')) refuse(key, text + " is negative");
  try {
    const double found = quantity::seconds(std::string(key), text);
    if (found >= 0 && found <= 10) return static_cast<Time>(std::llround(found * TICKS_PER_S));
  } catch (const BadPlan&) {
    refuse(key, "'" + text + "' is not a time; write one such as \"80ns\"");
  }
  refuse(key, text + " is outside 0 s to 10 s");
}

double Section::rate(std::string_view key, const char* otherwise) const {
  const auto text = word(key, otherwise);
  try {
    if (text.ends_with("/s")) {
      const double found = quantity::bytes(std::string(key), text.substr(0, text.size() - 2));
      if (found > 0 && found <= 1e15) return found;
    }
  } catch (const BadPlan&) {
  }
  refuse(key, "'" + text + "' is not a rate above 0; write one such as \"6.4GB/s\"");
}

std::uint64_t Section::count(std::string_view key, std::uint64_t least, std::uint64_t most,
                             const char* otherwise) const {
  const auto text = word(key, otherwise);
  std::uint64_t found = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), found);
  if (error == std::errc{} && rest == text.data() + text.size() && found >= least && found <= most) return found;
  refuse(key, "'" + text + "' is not a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

double Section::real(std::string_view key, double least, double most, const char* otherwise) const {
  const auto text = word(key, otherwise);
  double found = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), found);
  if (error == std::errc{} && rest == text.data() + text.size() && found >= least && found <= most) return found;
  std::ostringstream range;
  range << "'" << text << "' is not a number from " << least << " to " << most;
  refuse(key, range.str());
}

bool Section::flag(std::string_view key, bool otherwise) const {
  auto* found = node_->find(key);
  if (found == nullptr) return otherwise;
  if (const auto value = found->value_exact<bool>()) return *value;
  refuse(key, "is neither true nor false");
}

Section Section::section(std::string_view key) const {
  auto* found = node_->find(key);
  if (found == nullptr || found->as_table() == nullptr) refuse(key, "is absent or not a table");
  return Section(std::make_shared<Node>(Node{node_->tree, found->as_table(), node_->full(key)}));
}

std::vector<Section> Section::sections(std::string_view key) const {
  std::vector<Section> all;
  auto* found = node_->find(key);
  const auto add = [&](toml::node& node, const std::string& name) {
    if (node.as_table() == nullptr) refuse(key, "contains something that is not a table");
    all.emplace_back(std::make_shared<Node>(Node{node_->tree, node.as_table(), node_->full(key) + "." + name}));
  };
  if (found == nullptr) return all;
  if (auto* array = found->as_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) add(*array->get(i), std::to_string(i));
  } else if (auto* table = found->as_table()) {
    for (auto&& [name, node] : *table) add(node, std::string(name.str()));
  } else {
    refuse(key, "is not a list of tables");
  }
  return all;
}

std::string Section::name() const { return node_->path.substr(node_->path.rfind('.') + 1); }

namespace {

/// Return the first key below `node` that was never read; "" if there is none.
std::string unread(const toml::node& node, const std::string& path, const std::set<std::string>& read) {
  std::string found;
  const auto look = [&](const toml::node& child, const std::string& key) {
    if (found.empty()) found = unread(child, path.empty() ? key : path + "." + key, read);
  };
  if (const auto* table = node.as_table()) {
    for (auto&& [key, child] : *table) look(child, std::string(key.str()));
  } else if (const auto* array = node.as_array()) {
    for (std::size_t i = 0; i < array->size(); ++i) look(*array->get(i), std::to_string(i));
  } else if (!read.contains(path)) {
    found = path;
  }
  return found;
}

}  // namespace

void Section::refuse_rest() const {
  const auto found = unread(*node_->table, node_->path, node_->tree->read);
  if (found.empty()) return;
  const auto meant = did_you_mean(found, node_->tree->read);
  throw BadPlan(node_->tree->file + ", " + found + ": no such key is known here" + meant);
}

Section read_config(const std::string& word) {
  auto tree = std::make_shared<Document>(read_document(word));
  auto* table = &tree->root;
  return Section(std::make_shared<Section::Node>(Section::Node{std::move(tree), table, ""}));
}

std::vector<Preset> presets() {
  std::vector<Preset> all;
  for (const auto& preset : PRESETS) {
    const auto section = read_config(std::string(preset.name));
    all.push_back({std::string(preset.name), section.word("summary"), section.word("source")});
  }
  return all;
}

const char* lacking() { return ""; }

#else

struct Section::Node {};
namespace {
constexpr const char* WHY =
    "built without toml++; install libtomlplusplus-dev and run ./tierscope of a checkout again, which builds it";
[[noreturn]] void absent() { throw Unsupported(std::string("target sim: ") + WHY); }
}  // namespace

bool Section::has(std::string_view) const { absent(); }
std::string Section::word(std::string_view, const char*) const { absent(); }
std::string Section::choice(std::string_view, const std::vector<std::string>&, const char*) const { absent(); }
std::uint64_t Section::bytes(std::string_view, const char*) const { absent(); }
Time Section::time(std::string_view, const char*) const { absent(); }
double Section::rate(std::string_view, const char*) const { absent(); }
std::uint64_t Section::count(std::string_view, std::uint64_t, std::uint64_t, const char*) const { absent(); }
double Section::real(std::string_view, double, double, const char*) const { absent(); }
bool Section::flag(std::string_view, bool) const { absent(); }
Section Section::section(std::string_view) const { absent(); }
std::vector<Section> Section::sections(std::string_view) const { absent(); }
std::string Section::name() const { absent(); }
void Section::refuse(std::string_view, const std::string&) const { absent(); }
void Section::refuse_rest() const { absent(); }
std::vector<Preset> presets() { return {}; }
Section read_config(const std::string&) { absent(); }
const char* lacking() { return WHY; }

#endif

}  // namespace tierscope::simulate
