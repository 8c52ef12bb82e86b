#include "config/suggestion.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace bellows::config {

namespace {

/// Returns the canonical spelling: minScale, MIN_SCALE and "min scale" become min-scale.
std::string plain(std::string_view word) {
  std::string text;
  bool after_small = false;
  for (const char letter : word) {
    const bool is_capital = letter >= 'A' && letter <= 'Z';
    if (is_capital && after_small) text += '-';
    after_small = letter >= 'a' && letter <= 'z';
    if (letter == '_' || letter == ' ') {
      text += '-';
    } else {
      text += is_capital ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
  }
  return text;
}

/// Returns the number of letters to replace, insert or delete, or of neighbours to swap, between
/// two words ("optimal string alignment").
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kShort = 5;
  const std::string plain_word = plain(word);
  std::size_t fewest = plain_word.size() <= kShort ? 1 : 2;
  std::string best;
  for (const std::string& candidate : candidates) {
    const std::size_t count = edit_distance(plain_word, plain(candidate));
    if (count > fewest || (count == fewest && !best.empty())) continue;
    fewest = count;
    best = candidate;
  }
  return best;
}

std::string continuation(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string beginning = plain(word) + "-";
  for (const std::string& candidate : candidates) {
    if (candidate.starts_with(beginning)) return candidate;
  }
  return {};
}

}  // namespace bellows::config
