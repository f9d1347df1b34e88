/// The output of a command, in bounded memory: the last line that contains more than blanks.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tierscope::command {

class LastLine {
 public:
  static constexpr std::size_t MOST = 80;  // letters of a line that are kept

  void take(std::string_view chunk) {
    for (const char letter : chunk) {
      if (letter == '\n' || letter == '\r')
        end_line();
      else if (line_.size() < MOST && !(line_.empty() && letter == ' '))
        line_ += letter >= ' ' && letter <= '~' ? letter : '?';
    }
  }
  /// Printable ASCII; "" if there was none.
  [[nodiscard]] std::string text() const {
    const auto& last = line_.empty() ? last_ : line_;
    return last.substr(0, last.find_last_not_of(' ') + 1);
  }

 private:
  void end_line() {
    if (!line_.empty()) std::swap(line_, last_);
    line_.clear();
  }
  std::string line_, last_;
};

}  // namespace tierscope::command
