// Declared settings bound to the members of a struct: reads layers of text, returns the struct or
// every problem.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/layout.hpp"
#include "config/member.hpp"
#include "config/resolution.hpp"

namespace bellows::config {

/// A condition on several settings of a struct.
template <class T>
struct Rule {
  std::vector<std::string> settings;  ///< names, the most likely culprit first
  bool (*holds)(const T&) = nullptr;
  std::string want;  ///< completes "want ..."
  /// The same condition in CEL, over a map `self` with the settings in camelCase, all of which it
  /// has; a duration is a text. Empty: CEL of Kubernetes 1.25 has no functions for it.
  std::string cel = {};
};

/// The settings of a `T`. Owner: a function-local static of the `..._schema()` functions. Thread:
/// declare on one thread; apply() on any.
template <class T>
class Schema {
 public:
  /// The defaults are the members of `defaults`.
  explicit Schema(T defaults = T()) : defaults_(std::move(defaults)) {}

  /// Returns the rows of the table with a member of `T`: those of `program`, or all. The same holds
  /// for parts that are included later.
  static Schema of(std::optional<Program> program = {}) {
    Schema schema;
    schema.program_ = program;
    schema.layout_.add_rows(typeid(T), program, &schema.defaults_);
    return schema;
  }

  /// Adds a flag of one command.
  template <class M>
  void add(M T::*member, Declaration declaration) {
    layout_.add(std::move(declaration), {offset_of(member), &kMemberType<M>}, &defaults_);
  }

  /// Adds an enum with the names of its values.
  template <class E>
  void add_choice(E T::*member, const std::vector<std::pair<std::string, E>>& names,
                  Declaration declaration) {
    Layout::Spot spot{offset_of(member), &kMemberType<E>};
    for (const auto& [name, value] : names) {
      declaration.choices.push_back(name);
      spot.values.push_back(static_cast<std::int64_t>(value));
    }
    layout_.add(std::move(declaration), std::move(spot), &defaults_);
  }

  /// Adds all settings and rules of `part` for `member`. The defaults are those of this schema.
  /// With a prefix ("recommender-") the names begin with it and have no aliases.
  template <class Part>
  void include(Part T::*member, const Schema<Part>& part, const std::string& prefix = {}) {
    layout_.include(part.layout_, offset_of(member), prefix, program_, &defaults_);
  }

  void add_rule(Rule<T> rule) {
    layout_.add_rule({std::move(rule.settings), 0,
                      [holds = rule.holds](const void* settings) {
                        return holds(*static_cast<const T*>(settings));
                      },
                      std::move(rule.want), std::move(rule.cel)});
  }

  /// Makes a declared choice select a layer below all layers of apply().
  void set_profiles(Profiles profiles) { layout_.set_profiles(std::move(profiles)); }

  /// Makes the value of a setting imply values of others that no layer has.
  void set_implied(Implied implied) { layout_.set_implied(std::move(implied)); }

  /// Makes apply() set members that are no settings.
  void set_derived(void (*derive)(T& settings)) {
    layout_.set_derived([derive](void* settings) { derive(*static_cast<T*>(settings)); });
  }

  /// Sets the heading of the settings added after this call.
  void group(std::string heading) { layout_.set_group(std::move(heading)); }

  const std::vector<Declaration>& declarations() const { return layout_.declarations(); }
  /// Returns the rules, those of included parts too.
  const std::vector<LayoutRule>& rules() const { return layout_.rules(); }

  /// Returns the defaults overridden by the layers in order, or every problem in all of them.
  Checked<T> apply(std::span<const Layer> layers) const {
    T settings = defaults_;
    auto problems = layout_.apply(layers, &settings);
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    return settings;
  }

  Checked<T> apply(std::initializer_list<Layer> layers) const {
    return apply(std::span<const Layer>(layers.begin(), layers.size()));
  }

  /// Returns every setting that differs, in the order of the declarations.
  std::vector<Change> changes(const T& before, const T& after) const {
    return layout_.changes(&before, &after);
  }

  /// Returns the text of a declared setting; empty: it is not set.
  std::string text(const T& settings, std::string_view name) const {
    return layout_.text(name, &settings);
  }

  /// Returns name and text of every setting that differs from the defaults and the profile. apply()
  /// of them as one layer returns the same settings. It passes settings to another program.
  std::vector<std::pair<std::string, std::string>> texts(const T& settings) const {
    return layout_.texts(&settings);
  }

 private:
  template <class Whole>
  friend class Schema;

  template <class M>
  std::size_t offset_of(M T::*member) const {
    return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&(defaults_.*member)) -
                                    reinterpret_cast<const std::byte*>(&defaults_));
  }

  T defaults_;
  Layout layout_;
  std::optional<Program> program_;
};

/// Returns the settings of a part that has no rules and is the same in every program.
template <class T>
const Schema<T>& schema_of() {
  static const auto schema = Schema<T>::of();
  return schema;
}

}  // namespace bellows::config
