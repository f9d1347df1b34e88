/// The keys that groups of one task take of a plan, in addition to those of every group: how a value is read, and how
/// it is written again. A plan contains one Work. Its class identifies the task (bench/task.hpp) and is defined in the
/// task's own file, so that a new task needs no line elsewhere.
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace tierscope {

using Words = std::map<std::string, std::string>;

/// @throws BadPlan naming the key
std::uint64_t parse_bytes(const std::string& key, const std::string& word);
double parse_seconds(const std::string& key, const std::string& word);
std::uint64_t parse_count(const std::string& key, const std::string& word);
/// Decodes %20 to a space, because a value in a plan cannot contain one. @throws BadPlan for a lone '%'
std::string percent_decoded(const std::string& key, const std::string& word);
std::string percent_encoded(const std::string& text);
std::string seconds_word(double seconds);

/// Each key has both directions, so that no key can be read and then be missing from the words of a plan.
template <class Its>
struct Key {
  const char* name;
  void (*read)(Its& its, const std::string& key, const std::string& word);
  std::string (*word)(const Its& its);
};

/// Keys of fields, by their pointers: `bytes_key<Lines, &Lines::footprint>("footprint")`.
template <class Its, auto FIELD>
constexpr Key<Its> bytes_key(const char* name) {
  return {name, [](Its& its, const std::string& key, const std::string& word) { its.*FIELD = parse_bytes(key, word); },
          [](const Its& its) { return std::to_string(its.*FIELD); }};
}
template <class Its, auto FIELD>
constexpr Key<Its> count_key(const char* name) {
  return {name,
          [](Its& its, const std::string& key, const std::string& word) {
            using Number = std::remove_reference_t<decltype(its.*FIELD)>;
            const auto value = parse_count(key, word);
            if (value > std::numeric_limits<Number>::max()) throw BadPlan(key + "=" + word + " is too large");
            its.*FIELD = static_cast<Number>(value);
          },
          [](const Its& its) { return std::to_string(its.*FIELD); }};
}
template <class Its, auto FIELD>
constexpr Key<Its> text_key(const char* name) {
  return {name, [](Its& its, const std::string&, const std::string& word) { its.*FIELD = word; },
          [](const Its& its) { return its.*FIELD; }};
}
/// One of some names, or none of them: an optional field. NAMES: each name and its value.
template <class Its, auto FIELD, const auto& NAMES>
constexpr Key<Its> choice_key(const char* name) {
  return {name,
          [](Its& its, const std::string& key, const std::string& word) {
            std::string known;
            for (const auto& [its_name, value] : NAMES) {
              if (word == its_name) return void(its.*FIELD = value);
              known += (known.empty() ? "" : ", ") + std::string(its_name);
            }
            throw BadPlan(key + "=" + word + " is not known (known: " + known + ")");
          },
          [](const Its& its) -> std::string {
            for (const auto& [its_name, value] : NAMES)
              if (its.*FIELD == value) return its_name;
            return "";
          }};
}

/// Returns false for a key that is not in the table. @throws BadPlan
template <class Its>
bool read_key(std::span<const Key<Its>> table, Its& its, const std::string& key, const std::string& word) {
  for (const auto& one : table)
    if (one.name == key) return one.read(its, key, word), true;
  return false;
}
/// Adds the keys that are not at their default values.
template <class Its>
void add_words(std::span<const Key<Its>> table, const Its& its, Words& words) {
  const Its usual;
  for (const auto& key : table)
    if (auto word = key.word(its); word != key.word(usual)) words.emplace(key.name, std::move(word));
}

class Work {
 public:
  virtual ~Work() = default;
  [[nodiscard]] virtual std::unique_ptr<Work> copy() const = 0;
  /// Returns false for a key that it does not take. @throws BadPlan naming the key for a value that it cannot read
  virtual bool read(const std::string& key, const std::string& word) = 0;
  /// Adds those that are not at their default values.
  virtual void add_words(Words& words) const = 0;
  [[nodiscard]] virtual std::vector<std::string> keys() const = 0;

 protected:
  Work() = default;
  Work(const Work&) = default;
  Work& operator=(const Work&) = default;
};

/// A Work whose `Its::table()` is the table of its keys.
template <class Its>
class WorkOf : public Work {
 public:
  [[nodiscard]] std::unique_ptr<Work> copy() const override { return std::make_unique<Its>(its()); }
  bool read(const std::string& key, const std::string& word) override {
    return read_key<Its>(Its::table(), static_cast<Its&>(*this), key, word);
  }
  void add_words(Words& words) const override { tierscope::add_words<Its>(Its::table(), its(), words); }
  [[nodiscard]] std::vector<std::string> keys() const override {
    std::vector<std::string> names;
    for (const auto& key : Its::table()) names.emplace_back(key.name);
    return names;
  }

 private:
  [[nodiscard]] const Its& its() const { return static_cast<const Its&>(*this); }
};

/// A Work as a value: copies of a plan do not share it.
class HeldWork {
 public:
  HeldWork() = default;
  explicit HeldWork(std::unique_ptr<Work> work) : work_(std::move(work)) {}
  HeldWork(const HeldWork& other) : work_(other.work_ == nullptr ? nullptr : other.work_->copy()) {}
  HeldWork& operator=(const HeldWork& other) {
    work_ = other.work_ == nullptr ? nullptr : other.work_->copy();
    return *this;
  }
  HeldWork(HeldWork&&) noexcept = default;
  HeldWork& operator=(HeldWork&&) noexcept = default;
  ~HeldWork() = default;
  [[nodiscard]] Work* get() const noexcept { return work_.get(); }

 private:
  std::unique_ptr<Work> work_;
};

}  // namespace tierscope
