// Declared settings bound to the members of a struct: reads layers of text, returns the struct or
// every problem.
#pragma once

#include <concepts>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "config/field.hpp"
#include "config/layer.hpp"

namespace bellows::config {

/// A value, or every problem that was found. Each Error is kInvalidSetting with the origin of the
/// text as culprit: "bellows.yaml:12: target". A program prints all of them and exits with 2.
template <class T>
using Checked = tl::expected<T, std::vector<Error>>;

/// Returns one line per problem, for standard error. Each begins with `command` if there is one:
/// "recommender replay: --policy: ...".
std::string problems_text(const std::vector<Error>& problems, std::string_view command = {});

/// The values of the declared settings in the layers, by the index of the declaration.
struct Resolution {
  struct Setting {
    Value value;
    std::string text;
    std::string origin;
  };
  std::vector<std::optional<Setting>> winners;  ///< from the last layer that has it
  std::vector<bool> broken;                     ///< invalid in some layer
  std::vector<Error> problems;
};

/// Reads every entry of every layer, including overridden ones. Problems: unknown keys (with a
/// suggestion), a setting twice in one layer, invalid values, missing required settings.
Resolution resolve(const std::vector<Declaration>& declarations, std::span<const Layer> layers);

/// Returns a warning for each entry with an earlier name or value; it names the place and the
/// replacement. Such entries are valid.
std::vector<std::string> deprecation_warnings(const std::vector<Declaration>& declarations,
                                              std::span<const Layer> layers);

/// Adds the settings of `below` that no layer has. `below` is a profile of our own and must be
/// valid.
void resolve_below(const std::vector<Declaration>& declarations, const Layer& below,
                   Resolution& resolution);

/// Profiles: each value of one choice selects a layer below all others.
struct Profiles {
  std::string setting;  ///< the name of the choice
  Layer (*layer)(std::string_view profile) = nullptr;
};

/// A changed setting, as text; empty: not set.
struct Change {
  std::string name;
  std::string before;
  std::string after;
  bool operator==(const Change&) const = default;
};

/// Returns "target 10 -> 20, max-scale 8 -> 4".
std::string changes_text(const std::vector<Change>& changes);

/// Returns the declaration with the name, alias or earlier name `key`, or nullptr.
const Declaration* find(const std::vector<Declaration>& declarations, std::string_view key);

/// Returns `declaration` with `prefix` before its name and without aliases; unchanged if `prefix`
/// is empty.
Declaration prefixed(Declaration declaration, const std::string& prefix);

/// A condition on several settings of a struct.
template <class T>
struct Rule {
  std::vector<std::string> settings;  ///< names, the most likely culprit first
  std::function<bool(const T&)> holds;
  std::string want;  ///< completes "want ..."
};

/// Returns the error of a broken rule. Its culprit is the first of `settings` that was set
/// explicitly; the message names the other values with their origins.
Error broken_rule(const std::vector<Declaration>& declarations, const Resolution& resolution,
                  const std::vector<std::string>& settings, const std::string& want);

/// Returns true if one of `settings` is invalid in some layer, so that a rule about it adds no
/// information.
bool any_broken(const std::vector<Declaration>& declarations, const Resolution& resolution,
                const std::vector<std::string>& settings);

/// Reads and prints a type of member. Specialized below for each type of setting.
template <class M>
struct Member;

/// Declares the settings of a `T`. Owner: a function-local static of the `..._schema()` functions.
/// Thread: declare on one thread; apply() on any.
template <class T>
class Schema {
 public:
  /// The defaults are the members of `defaults`.
  explicit Schema(T defaults = T()) : defaults_(std::move(defaults)) {}

  template <class M>
  void add(M T::*member, Declaration declaration) {
    if (declaration.kind != Kind::kPercent) declaration.kind = Member<M>::kKind;
    if constexpr (requires { Member<M>::kMax; }) {
      if (!declaration.bounds.max) declaration.bounds.max = Member<M>::kMax;
    }
    append(
        std::move(declaration),
        {[member](T& settings, const Value& value) { Member<M>::assign(settings.*member, value); },
         [member](const T& settings) { return Member<M>::value(settings.*member); }});
  }

  /// Adds an enum with the names of its values.
  template <class E>
  void add_choice(E T::*member, std::vector<std::pair<std::string, E>> names,
                  Declaration declaration) {
    declaration.kind = Kind::kChoice;
    for (const auto& [name, value] : names) declaration.choices.push_back(name);
    append(std::move(declaration), {[member, names](T& settings, const Value& value) {
                                      for (const auto& [name, choice] : names) {
                                        if (name == std::get<std::string>(value))
                                          settings.*member = choice;
                                      }
                                    },
                                    [member, names](const T& settings) -> Value {
                                      for (const auto& [name, choice] : names) {
                                        if (choice == settings.*member) return name;
                                      }
                                      return {};
                                    }});
  }

  /// Adds all settings and rules of `part` for `member`. The defaults are those of this schema.
  /// With a prefix ("recommender-") the names begin with it and have no aliases.
  template <class Part>
  void include(Part T::*member, const Schema<Part>& part, const std::string& prefix = {}) {
    for (std::size_t i = 0; i < part.declarations_.size(); ++i) {
      append(prefixed(part.declarations_[i], prefix),
             {[member, set = part.bindings_[i].set](T& settings, const Value& v) {
                set(settings.*member, v);
              },
              [member, get = part.bindings_[i].get](const T& settings) {
                return get(settings.*member);
              }});
    }
    if (part.profiles_) profiles_ = part.profiles_;
    for (const auto& rule : part.rules_) {
      std::vector<std::string> names = rule.settings;
      for (std::string& name : names) name.insert(0, prefix);
      add_rule({std::move(names),
                [member, holds = rule.holds](const T& settings) { return holds(settings.*member); },
                rule.want});
    }
  }

  void add_rule(Rule<T> rule) { rules_.push_back(std::move(rule)); }

  /// Makes a declared choice select a layer below all layers of apply().
  void set_profiles(Profiles profiles) { profiles_ = std::move(profiles); }

  /// Sets the heading of the settings added after this call.
  void group(std::string heading) { group_ = std::move(heading); }

  const std::vector<Declaration>& declarations() const { return declarations_; }

  /// Returns the defaults overridden by the layers in order, or every problem in all of them.
  Checked<T> apply(std::span<const Layer> layers) const {
    Resolution resolution = resolve(declarations_, layers);
    if (profiles_)
      resolve_below(declarations_, profiles_->layer(profile_of(resolution)), resolution);
    T settings = defaults_;
    for (std::size_t i = 0; i < bindings_.size(); ++i) {
      if (resolution.winners[i]) bindings_[i].set(settings, resolution.winners[i]->value);
    }
    for (const Rule<T>& rule : rules_) {
      if (any_broken(declarations_, resolution, rule.settings) || rule.holds(settings)) continue;
      resolution.problems.push_back(
          broken_rule(declarations_, resolution, rule.settings, rule.want));
    }
    if (!resolution.problems.empty()) return tl::unexpected(std::move(resolution.problems));
    return settings;
  }

  Checked<T> apply(std::initializer_list<Layer> layers) const {
    return apply(std::span<const Layer>(layers.begin(), layers.size()));
  }

  /// Returns every setting that differs, in the order of the declarations.
  std::vector<Change> changes(const T& before, const T& after) const {
    std::vector<Change> changes;
    for (std::size_t i = 0; i < bindings_.size(); ++i) {
      std::string old = value_text(declarations_[i], bindings_[i].get(before));
      std::string now = value_text(declarations_[i], bindings_[i].get(after));
      if (old != now) changes.push_back({declarations_[i].name, std::move(old), std::move(now)});
    }
    return changes;
  }

  /// Returns name and text of every setting that differs from the defaults and the profile. apply()
  /// of them as one layer returns the same settings. For passing settings to another program.
  std::vector<std::pair<std::string, std::string>> texts(const T& settings) const {
    std::vector<std::pair<std::string, std::string>> texts;
    const std::vector<std::string> below = texts_below(settings);
    for (std::size_t i = 0; i < bindings_.size(); ++i) {
      std::string text = value_text(declarations_[i], bindings_[i].get(settings));
      if (text != below[i]) {
        texts.emplace_back(declarations_[i].name, std::move(text));
      }
    }
    return texts;
  }

 private:
  template <class Whole>
  friend class Schema;

  struct Binding {
    std::function<void(T&, const Value&)> set;
    std::function<Value(const T&)> get;
  };

  std::string profile_of(const Resolution& resolution) const {
    const std::size_t index = profile_index();
    const auto& winner = resolution.winners[index];
    return winner ? std::get<std::string>(winner->value) : declarations_[index].default_text;
  }

  std::size_t profile_index() const {
    return static_cast<std::size_t>(find(declarations_, profiles_->setting) - declarations_.data());
  }

  /// Returns the text of every setting if only the profile is set.
  std::vector<std::string> texts_below(const T& settings) const {
    std::vector<std::string> texts;
    texts.reserve(declarations_.size());
    for (const Declaration& declaration : declarations_) texts.push_back(declaration.default_text);
    if (!profiles_) return texts;
    const std::size_t chosen = profile_index();
    Resolution resolution = resolve(declarations_, {});
    resolve_below(declarations_,
                  profiles_->layer(std::get<std::string>(bindings_[chosen].get(settings))),
                  resolution);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto& winner = resolution.winners[i];
      if (winner) texts[i] = value_text(declarations_[i], winner->value);
    }
    return texts;
  }

  void append(Declaration declaration, Binding binding) {
    if (declaration.group.empty()) declaration.group = group_;
    if (declaration.variable.empty()) declaration.variable = variable_name(declaration.name);
    declaration.default_text = value_text(declaration, binding.get(defaults_));
    declarations_.push_back(std::move(declaration));
    bindings_.push_back(std::move(binding));
  }

  T defaults_;
  std::string group_;
  std::vector<Declaration> declarations_;
  std::vector<Binding> bindings_;  // as long as declarations_
  std::vector<Rule<T>> rules_;
  std::optional<Profiles> profiles_;
};

/// A type that is an alternative of Value itself.
template <class M, Kind kind>
struct PlainMember {
  static constexpr Kind kKind = kind;
  static Value value(const M& member) { return member; }
  static void assign(M& member, const Value& value) { member = std::get<M>(value); }
};
template <>
struct Member<Duration> : PlainMember<Duration, Kind::kDuration> {};
template <>
struct Member<double> : PlainMember<double, Kind::kNumber> {};
template <>
struct Member<bool> : PlainMember<bool, Kind::kFlag> {};
template <>
struct Member<std::string> : PlainMember<std::string, Kind::kText> {};
template <>
struct Member<Bytes> : PlainMember<Bytes, Kind::kBytes> {};
template <>
struct Member<Millicores> : PlainMember<Millicores, Kind::kCpu> {};
template <>
struct Member<Endpoint> : PlainMember<Endpoint, Kind::kEndpoint> {};
template <>
struct Member<WebSocketUrl> : PlainMember<WebSocketUrl, Kind::kWebSocketUrl> {};

/// Integers: without another bound, the maximum is that of the type.
template <std::integral M>
struct Member<M> {
  static constexpr Kind kKind = Kind::kInteger;
  static constexpr double kMax = static_cast<double>(std::numeric_limits<M>::max());
  static Value value(M member) { return static_cast<std::int64_t>(member); }
  static void assign(M& member, const Value& value) {
    member = static_cast<M>(std::get<std::int64_t>(value));
  }
};

template <class Tag>
struct Member<StrongName<Tag>> {
  static constexpr Kind kKind = Kind::kText;
  static Value value(const StrongName<Tag>& member) { return member.text(); }
  static void assign(StrongName<Tag>& member, const Value& value) {
    member = StrongName<Tag>(std::get<std::string>(value));
  }
};

/// The maximum of Member<M>, if it has one.
template <class M>
struct MaxOf {};
template <class M>
requires requires {
  Member<M>::kMax;
}
struct MaxOf<M> {
  static constexpr double kMax = Member<M>::kMax;
};

/// An optional setting.
template <class M>
struct Member<std::optional<M>> : MaxOf<M> {
  static constexpr Kind kKind = Member<M>::kKind;
  static Value value(const std::optional<M>& member) {
    return member ? Member<M>::value(*member) : Value();
  }
  static void assign(std::optional<M>& member, const Value& value) {
    Member<M>::assign(member.emplace(), value);
  }
};

}  // namespace bellows::config
