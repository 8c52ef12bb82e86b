#include "kubernetes/core/selector.hpp"

#include <algorithm>
#include <utility>

#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

namespace {

using Operator = Selector::Operator;
using Requirement = Selector::Requirement;

bool holds(const Requirement& requirement, const StringMap& labels) {
  const std::string* value = labels.find(requirement.key);
  const auto is_listed = [&] {
    return std::binary_search(requirement.values.begin(), requirement.values.end(), *value);
  };
  switch (requirement.op) {
    case Operator::kIn:
      return value != nullptr && is_listed();
    case Operator::kNotIn:
      return value == nullptr || !is_listed();
    case Operator::kExists:
      return value != nullptr;
    case Operator::kDoesNotExist:
      return value == nullptr;
  }
  return false;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '/';
}

/// Reads the words and signs of a selector in order.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) { skip(); }

  bool at_end() const { return rest_.empty(); }

  bool take(std::string_view sign) {
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(sign.size());
    skip();
    return true;
  }

  /// Reads a key or a value; empty if there is none here.
  std::string word() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_name_character);
    std::string word(rest_.begin(), end);
    rest_.remove_prefix(word.size());
    skip();
    return word;
  }

 private:
  void skip() {
    const auto space = std::min(rest_.find_first_not_of(" \t"), rest_.size());
    rest_.remove_prefix(space);
  }

  std::string_view rest_;
};

/// Reads "(a, b)", in which values may be empty; returns false if it is no list.
bool take_values(Words& words, std::vector<std::string>& values) {
  if (!words.take("(")) return false;
  do {
    values.push_back(words.word());
  } while (words.take(","));
  return words.take(")");
}

/// Reads one requirement; returns nullopt if the text is none.
std::optional<Requirement> take_requirement(Words& words) {
  Requirement requirement;
  if (words.take("!")) {
    requirement.key = words.word();
    requirement.op = Operator::kDoesNotExist;
    return requirement.key.empty() ? std::nullopt : std::optional(requirement);
  }
  requirement.key = words.word();
  if (requirement.key.empty()) return std::nullopt;
  if (words.take("!=")) {
    requirement.op = Operator::kNotIn;
    requirement.values = {words.word()};
  } else if (words.take("==") || words.take("=")) {
    requirement.op = Operator::kIn;
    requirement.values = {words.word()};
  } else if (const std::string word = words.word(); word == "in" || word == "notin") {
    requirement.op = word == "in" ? Operator::kIn : Operator::kNotIn;
    if (!take_values(words, requirement.values)) return std::nullopt;
  } else if (!word.empty()) {
    return std::nullopt;
  }
  return requirement;
}

void append_values(const std::vector<std::string>& values, std::string& text) {
  text += '(';
  for (const std::string& value : values) {
    if (&value != &values.front()) text += ',';
    text += value;
  }
  text += ')';
}

void append_requirement(const Requirement& requirement, std::string& text) {
  const bool has_one = requirement.values.size() == 1;
  switch (requirement.op) {
    case Operator::kIn:
      text += requirement.key + (has_one ? "=" + requirement.values.front() : " in ");
      if (!has_one) append_values(requirement.values, text);
      break;
    case Operator::kNotIn:
      text += requirement.key + (has_one ? "!=" + requirement.values.front() : " notin ");
      if (!has_one) append_values(requirement.values, text);
      break;
    case Operator::kExists:
      text += requirement.key;
      break;
    case Operator::kDoesNotExist:
      text += "!" + requirement.key;
      break;
  }
}

std::optional<Operator> operator_of(std::string_view text) {
  if (text == "In") return Operator::kIn;
  if (text == "NotIn") return Operator::kNotIn;
  if (text == "Exists") return Operator::kExists;
  if (text == "DoesNotExist") return Operator::kDoesNotExist;
  return std::nullopt;
}

}  // namespace

void Selector::add(Requirement requirement) {
  std::sort(requirement.values.begin(), requirement.values.end());
  const auto at =
      std::upper_bound(requirements_.begin(), requirements_.end(), requirement,
                       [](const Requirement& a, const Requirement& b) { return a.key < b.key; });
  requirements_.insert(at, std::move(requirement));
}

Selector Selector::of_map(const StringMap& labels) {
  Selector selector;
  for (const auto& [key, value] : labels) {
    selector.add({.key = key, .op = Operator::kIn, .values = {value}});
  }
  return selector;
}

Result<Selector> Selector::parse(std::string_view text) {
  Selector selector;
  Words words(text);
  bool expects_more = false;
  while (!words.at_end() || expects_more) {
    auto requirement = take_requirement(words);
    expects_more = words.take(",");
    if (!requirement || (!expects_more && !words.at_end())) {
      return fail(ErrorKind::kMalformed, std::string(text),
                  "want a label selector such as \"app=web,tier in (a, b),!canary\"");
    }
    selector.add(*std::move(requirement));
  }
  return selector;
}

Selector Selector::read(const Fields& object) {
  Selector selector = of_map(object.map("matchLabels"));
  object.each("matchExpressions", [&selector](const Fields& from) {
    const auto op = operator_of(from.view("operator"));
    if (!op) return from.invalid("operator", "In, NotIn, Exists or DoesNotExist");
    Requirement requirement{.key = from.text("key"), .op = *op, .values = {}};
    from.each_text("values", [&requirement](std::string_view value) {
      requirement.values.emplace_back(value);
    });
    selector.add(std::move(requirement));
  });
  return selector;
}

bool Selector::matches(const StringMap& labels) const {
  return std::all_of(requirements_.begin(), requirements_.end(),
                     [&labels](const Requirement& one) { return holds(one, labels); });
}

StringMap Selector::pairs() const {
  StringMap::Entries pairs;
  for (const Requirement& each : requirements_) {
    if (each.op == Operator::kIn && each.values.size() == 1) {
      pairs.emplace_back(each.key, each.values.front());
    }
  }
  return StringMap(std::move(pairs));
}

std::string Selector::text() const {
  std::string text;
  for (const Requirement& requirement : requirements_) {
    if (!text.empty()) text += ',';
    append_requirement(requirement, text);
  }
  return text;
}

}  // namespace bellows::kubernetes
