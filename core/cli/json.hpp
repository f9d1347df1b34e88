/// Writes JSON, in order, without a tree: the core only emits flat lines, so no library is linked.
/// Source: T. Bray (ed.), RFC 8259, "The JavaScript Object Notation (JSON) Data Interchange Format", 2017.
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tierscope::json {

/// Return the bytes of the UTF-8 character that `text` starts with; 0 if it is none. Source: RFC 3629, section 4.
inline std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  const bool over_long = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xF0 && byte(1) < 0x90);
  const bool no_character = (byte(0) == 0xED && byte(1) > 0x9F) || (byte(0) == 0xF4 && byte(1) > 0x8F);
  return over_long || no_character ? 0 : length;
}

/// Quote text. A user's text may contain any byte: what is not UTF-8 becomes U+FFFD.
inline std::string quoted(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out = "\"";
  for (; !text.empty(); text.remove_prefix(std::max<std::size_t>(character(text), 1))) {
    const char c = text.front();
    const auto byte = static_cast<unsigned char>(c);
    if (const auto length = character(text); length != 1) {
      out += length == 0 ? "\\ufffd" : text.substr(0, length);
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += digits[byte >> 4U];
      out += digits[byte & 0xFU];
    } else {
      out += c;
    }
  }
  return out + '"';
}

inline std::string value(std::string_view text) { return json::quoted(text); }
inline std::string value(const char* text) { return json::quoted(text); }
inline std::string value(const std::string& text) { return json::quoted(text); }
inline std::string value(bool truth) { return truth ? "true" : "false"; }
template <std::integral Number>
std::string value(Number number) {
  return std::to_string(number);
}
/// Return the shortest text that reads back to the same number; null for a number that JSON cannot express.
inline std::string value(double number) {
  if (!std::isfinite(number)) return "null";
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, number);
  return {text, end};
}
template <class Element>
std::string value(const std::vector<Element>& list) {
  std::string out = "[";
  for (const auto& element : list) out += (out.size() > 1 ? "," : "") + value(element);
  return out + "]";
}

/// An object under construction; `str()` closes it.
class Object {
 public:
  template <class Value>
  Object& add(std::string_view key, const Value& v) {
    return raw(key, value(v));
  }
  /// `text` is JSON already.
  Object& raw(std::string_view key, std::string_view text) {
    body_ += (body_.empty() ? "" : ",") + quoted(key) + ":" + std::string(text);
    return *this;
  }
  [[nodiscard]] std::string str() const { return "{" + body_ + "}"; }

 private:
  std::string body_;
};

/// Join objects and other ready JSON to a list.
inline std::string list(const std::vector<std::string>& ready) {
  std::string out = "[";
  for (const auto& element : ready) out += (out.size() > 1 ? "," : "") + element;
  return out + "]";
}
/// List the elements as `text` writes each.
template <class Element>
std::string list(const std::vector<Element>& elements, std::string (*text)(const Element&)) {
  std::vector<std::string> ready;
  for (const auto& element : elements) ready.push_back(text(element));
  return list(ready);
}

template <class Key, class Number>
std::string object(const std::map<Key, Number>& numbers) {
  Object out;
  for (const auto& [key, number] : numbers) {
    if constexpr (std::same_as<Key, std::string>) {
      out.add(key, number);
    } else {
      out.add(std::to_string(key), number);
    }
  }
  return out.str();
}

}  // namespace tierscope::json
