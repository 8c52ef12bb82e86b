#include "injector/core/diff.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bellows::injector {

namespace {

constexpr std::size_t kContext = 3;

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// One line of the result: ' ' in both, '-' in the first only, '+' in the second only.
struct Step {
  char sign;
  std::string_view line;
};

/// E. Myers, An O(ND) Difference Algorithm and Its Variations, 1986: the shortest script, by the
/// furthest points that `d` changes reach on each diagonal.
class Script {
 public:
  Script(const Lines& before, const Lines& after)
      : before_(before), after_(after), reach_(2 * (before.size() + after.size()) + 3) {}

  std::vector<Step> steps() {
    const int most = static_cast<int>(before_.size() + after_.size());
    for (int changes = 0; changes <= most; ++changes) {
      history_.push_back(reach_);
      if (advance(changes)) return walk_back(changes);
    }
    return {};
  }

 private:
  int& reach(int diagonal) { return reach_[index(diagonal)]; }
  std::size_t index(int diagonal) const {
    return static_cast<std::size_t>(diagonal) + before_.size() + after_.size() + 1;
  }
  bool takes_from_after(const std::vector<int>& reached, int diagonal, int changes) const {
    if (diagonal == -changes) return true;
    return diagonal != changes && reached[index(diagonal - 1)] < reached[index(diagonal + 1)];
  }

  /// True if both ends are reached.
  bool advance(int changes) {
    for (int diagonal = -changes; diagonal <= changes; diagonal += 2) {
      const bool is_down = takes_from_after(reach_, diagonal, changes);
      int x = is_down ? reach(diagonal + 1) : reach(diagonal - 1) + 1;
      while (is_same(x, x - diagonal)) ++x;
      reach(diagonal) = x;
      if (x >= std::ssize(before_) && x - diagonal >= std::ssize(after_)) return true;
    }
    return false;
  }

  bool is_same(int x, int y) const {
    return x < std::ssize(before_) && y < std::ssize(after_) &&
           before_[static_cast<std::size_t>(x)] == after_[static_cast<std::size_t>(y)];
  }

  std::vector<Step> walk_back(int changes) const {
    std::vector<Step> steps;
    int x = static_cast<int>(before_.size());
    int y = static_cast<int>(after_.size());
    for (; changes >= 0; --changes) {
      const std::vector<int>& reached = history_[static_cast<std::size_t>(changes)];
      const int diagonal = x - y;
      const bool is_down = takes_from_after(reached, diagonal, changes);
      const int from = changes == 0 ? 0 : reached[index(is_down ? diagonal + 1 : diagonal - 1)];
      const int from_y = changes == 0 ? 0 : from - (is_down ? diagonal + 1 : diagonal - 1);
      while (x > from && y > from_y) {
        --x;
        --y;
        steps.push_back({' ', before_[static_cast<std::size_t>(x)]});
      }
      if (changes == 0) break;
      if (is_down) steps.push_back({'+', after_[static_cast<std::size_t>(--y)]});
      if (!is_down) steps.push_back({'-', before_[static_cast<std::size_t>(--x)]});
    }
    std::ranges::reverse(steps);
    return steps;
  }

  const Lines& before_;
  const Lines& after_;
  std::vector<int> reach_;
  std::vector<std::vector<int>> history_;
};

std::string range_text(std::size_t begin, std::size_t count) {
  const std::size_t first = count == 0 ? begin : begin + 1;
  return std::to_string(first) + (count == 1 ? "" : "," + std::to_string(count));
}

/// The steps from `begin` to `end` with their header; `before` and `after`: lines before them.
std::string hunk(const std::vector<Step>& steps, std::size_t begin, std::size_t end,
                 std::size_t before, std::size_t after) {
  std::string lines;
  std::size_t removed = 0;
  std::size_t added = 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (steps[i].sign != '+') ++removed;
    if (steps[i].sign != '-') ++added;
    lines += steps[i].sign + std::string(steps[i].line);
    if (!steps[i].line.ends_with('\n')) lines += "\n\\ No newline at end of file\n";
  }
  return "@@ -" + range_text(before, removed) + " +" + range_text(after, added) + " @@\n" + lines;
}

}  // namespace

std::string unified_diff(std::string_view file, std::string_view before, std::string_view after) {
  if (before == after) return {};
  const Lines old_lines = lines_of(before);
  const Lines new_lines = lines_of(after);
  const std::vector<Step> steps = Script(old_lines, new_lines).steps();
  std::string text = "--- " + std::string(file) + "\n+++ " + std::string(file) + "\n";
  std::size_t at = 0;
  std::size_t old_line = 0;
  std::size_t new_line = 0;
  const auto pass = [&](std::size_t to) {
    for (; at < to; ++at) {
      if (steps[at].sign != '+') ++old_line;
      if (steps[at].sign != '-') ++new_line;
    }
  };
  const auto next_change = [&steps](std::size_t from) {
    while (from < steps.size() && steps[from].sign == ' ') ++from;
    return from;
  };
  for (std::size_t first = next_change(0); first < steps.size(); first = next_change(at)) {
    pass(std::max(at, first - std::min(first, kContext)));
    std::size_t end = first;
    for (std::size_t change = first; change < steps.size() && change <= end + 2 * kContext;
         change = next_change(end)) {
      end = change + 1;
    }
    end = std::min(end + kContext, steps.size());
    text += hunk(steps, at, end, old_line, new_line);
    pass(end);
  }
  return text;
}

}  // namespace bellows::injector
