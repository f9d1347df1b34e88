#ifdef TIERSCOPE_TOML
#define TOML_IMPLEMENTATION
#include "simulate/document.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "simulate/presets.hpp"

namespace tierscope::simulate {
namespace {

constexpr std::size_t MOST_TEXT = 1 << 20U;  // bytes of a file
constexpr std::size_t DEEPEST = 16;          // keys in one dotted path
constexpr std::uint64_t LONGEST_LIST = 256;  // entries of a list that overrides may make

/// Split "a.b.0.c" into its keys.
std::vector<std::string> keys_of(const std::string& path) {
  std::vector<std::string> keys;
  std::istringstream parts(path);
  for (std::string key; std::getline(parts, key, '.');) keys.push_back(key);
  return keys;
}

bool numeric(const std::string& key) {
  return !key.empty() && key.size() <= 3 && std::ranges::all_of(key, [](char c) { return c >= '0' && c <= '9'; });
}

/// Put the value of a `key=value` option: a whole number, true, false, or text.
void put(toml::node& parent, const std::string& key, const std::string& word) {
  std::int64_t number = 0;
  const auto* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, number);
  const auto set = [&](auto value) {
    if (auto* table = parent.as_table()) {
      table->insert_or_assign(key, value);
    } else if (auto* array = parent.as_array(); array != nullptr && std::stoul(key) < array->size()) {
      array->replace(array->cbegin() + static_cast<std::ptrdiff_t>(std::stoul(key)), value);
    }
  };
  if (error == std::errc{} && rest == end) {
    set(number);
  } else if (word == "true" || word == "false") {
    set(word == "true");
  } else {
    set(word);
  }
}

/// Return the node under `key`, made if it is absent: a list if the next key is a number, else a table.
toml::node* descend(toml::node& at, const std::string& key, bool list) {
  if (auto* table = at.as_table()) {
    if (auto* found = table->get(key)) return found;
    if (list) {
      table->insert(key, toml::array{});
    } else {
      table->insert(key, toml::table{});
    }
    return table->get(key);
  }
  auto* array = at.as_array();
  if (array == nullptr || !numeric(key)) return nullptr;
  const auto index = std::stoul(key);
  if (index == array->size() && index < LONGEST_LIST) array->push_back(toml::table{});
  return index < array->size() ? array->get(index) : nullptr;
}

void replace(toml::table& root, const std::string& where, const std::string& path, const std::string& value) {
  const auto keys = keys_of(path);
  if (keys.empty() || keys.size() > DEEPEST)
    throw BadPlan("'" + path + "' of target sim:" + where + " is not a key such as cache.0.size");
  toml::node* at = &root;
  for (std::size_t k = 0; k + 1 < keys.size(); ++k) {
    at = descend(*at, keys[k], numeric(keys[k + 1]));
    if (at == nullptr || !(at->is_table() || at->is_array()))
      throw BadPlan("key " + path + " of target sim:" + where + ": there is no table " + keys[k] +
                    " to put it in; lists count from 0 without a gap");
  }
  if (at->is_array() && !(numeric(keys.back()) && std::stoul(keys.back()) < at->as_array()->size()))
    throw BadPlan("key " + path + " of target sim:" + where + " names no entry of that list");
  put(*at, keys.back(), value);
}

/// @throws BadPlan
std::string read_text(const std::string& name) {
  errno = 0;
  std::ifstream file(name, std::ios::binary);
  std::string text(MOST_TEXT, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad() || (file.fail() && !file.eof()))
    throw BadPlan(name + " cannot be read: " + std::strerror(errno));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() == MOST_TEXT) throw BadPlan(name + " is not a file of a simulated machine: it has over 1 MiB");
  return text;
}

/// As of version 3.3, the parser leaves the language if it looks for blanks and finds letters beyond ASCII, which no
/// key has. Such letters are allowed only in comments and in strings of one line. @throws BadPlan
void refuse_odd_letters(const std::string& name, const std::string& text) {
  unsigned line = 1;
  char quote = 0;
  bool comment = false, escaped = false;
  for (const char c : text) {
    if (c == '\n') {
      ++line;
      quote = 0;
      comment = escaped = false;
    } else if (comment) {
      continue;
    } else if (quote != 0) {
      if (c == quote && !escaped) quote = 0;
      escaped = quote == '"' && c == '\\' && !escaped;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      comment = true;
    } else if (static_cast<unsigned char>(c) > 127) {
      throw BadPlan(name + ", line " + std::to_string(line) +
                    ": a letter beyond ASCII is outside of comments and of strings of one line");
    }
  }
}

toml::table parse(const std::string& name) {
  try {
    if (name.ends_with(".toml")) {
      const auto text = read_text(name);
      refuse_odd_letters(name, text);
      return toml::parse(text, name);
    }
    for (const auto& preset : PRESETS)
      if (preset.name == name) return toml::parse(preset.text, std::string(name));
  } catch (const toml::parse_error& error) {
    std::ostringstream text;
    text << name << ", line " << error.source().begin.line << ": " << error.description();
    throw BadPlan(text.str());
  } catch (const std::logic_error& error) {
    throw BadPlan(name + " " + error.what() + "; look for keys that are empty or contain odd characters");
  }
  std::string known;
  std::vector<std::string_view> names;
  for (const auto& preset : PRESETS) {
    known += (known.empty() ? "" : ", ") + std::string(preset.name);
    names.push_back(preset.name);
  }
  throw BadPlan("unknown simulated machine '" + name + "'" + did_you_mean(name, names) + " (known: " + known +
                ", or a path that ends in .toml)");
}

}  // namespace

Document read_document(const std::string& word) {
  if (std::ranges::any_of(word, [](unsigned char c) { return c < ' '; }))
    throw BadPlan("the text after sim: contains bytes that are not letters; write sim:PRESET or sim:PATH.toml");
  Document tree;
  std::istringstream parts(word);
  std::getline(parts, tree.file, ',');
  tree.root = parse(tree.file);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto equals = part.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == part.size())
      throw BadPlan("'" + part + "' of target sim:" + word + " is not of the form key=value");
    const auto key = part.substr(0, equals);
    replace(tree.root, word, key == "noise" ? "noise.scale" : key, part.substr(equals + 1));
  }
  return tree;
}

}  // namespace tierscope::simulate
#endif
