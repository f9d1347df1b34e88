/// Writes JSON, in order, without a tree: the core only emits flat lines, so no library is linked.
/// Source: T. Bray (ed.), RFC 8259, "The JavaScript Object Notation (JSON) Data Interchange Format", 2017.
#pragma once
#include <charconv>
#include <cmath>
#include <concepts>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tierscope::json {

inline std::string quoted(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
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

inline std::string value(std::string_view text) { return quoted(text); }
inline std::string value(const char* text) { return quoted(text); }
inline std::string value(const std::string& text) { return quoted(text); }
inline std::string value(bool truth) { return truth ? "true" : "false"; }
template <std::integral Number>
std::string value(Number number) {
  return std::to_string(number);
}
/// The shortest text that reads back to the same number; null for what JSON cannot say.
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

/// Objects and other ready JSON in a list.
inline std::string list(const std::vector<std::string>& ready) {
  std::string out = "[";
  for (const auto& element : ready) out += (out.size() > 1 ? "," : "") + element;
  return out + "]";
}

template <class Key, class Number>
std::string object(const std::map<Key, Number>& numbers) {
  Object out;
  for (const auto& [key, number] : numbers) out.add(std::to_string(key), number);
  return out.str();
}

}  // namespace tierscope::json
