/// The word that was probably meant: the known one with the fewest single-letter changes from the typed one.
/// Source: V. I. Levenshtein, "Binary Codes Capable of Correcting Deletions, Insertions, and Reversals", Soviet
/// Physics Doklady 10, 1966.
#pragma once
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace tierscope {

/// Returns the number of letters that are inserted, dropped or replaced between `a` and `b`.
inline std::size_t changes_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, corner + (a[i] == b[j] ? 0 : 1)});
      corner = above;
    }
  }
  return row.back();
}

/// "; did you mean X?" for the nearest of `known` that shares most of its letters with `typed`; "" if none does.
template <class Words>
std::string did_you_mean(std::string_view typed, const Words& known) {
  constexpr std::size_t LONGEST = 64;  // letters: longer words are not typing errors
  std::string nearest;
  auto fewest = std::max<std::size_t>(1, typed.size() / 3) + 1;
  for (const auto& word : known) {
    const auto changes = typed.size() > LONGEST ? fewest : changes_between(typed, std::string_view(word));
    if (changes < fewest) {
      fewest = changes;
      nearest = std::string_view(word);
    }
  }
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

}  // namespace tierscope
