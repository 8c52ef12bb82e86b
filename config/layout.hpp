// The part of a schema that does not depend on the type of its struct: declarations, and the
// members for their values.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/resolution.hpp"
#include "config/setting.hpp"

namespace bellows::config {

/// A condition on several settings of a struct.
struct LayoutRule {
  std::vector<std::string> settings;  ///< names, the most likely culprit first
  std::size_t offset = 0;             ///< of the part that `holds` takes
  std::function<bool(const void* part)> holds;
  std::string want;      ///< completes "want ..."
  std::string cel = {};  ///< see Rule
};

/// Declarations bound to members of one struct; `settings` always points to such a struct.
/// Declarations of the table have its order; the others follow.
class Layout {
 public:
  /// The member for a value.
  struct Spot {
    std::size_t offset = 0;
    const MemberType* type = nullptr;
    std::vector<std::int64_t> values = {};  ///< of the choices of the declaration
    std::size_t order = kAfterTable;        ///< of the row in the table
    Programs programs = {};                 ///< of the row
  };
  static constexpr std::size_t kAfterTable = std::size_t{1} << 20U;

  const std::vector<Declaration>& declarations() const { return declarations_; }
  const std::vector<LayoutRule>& rules() const { return rules_; }

  /// Sets the heading of the settings added after this call.
  void set_group(std::string heading) { group_ = std::move(heading); }
  void set_profiles(Profiles profiles) { profiles_ = std::move(profiles); }
  void set_implied(Implied implied) { implied_ = std::move(implied); }
  /// Makes apply() call `derive` with the settings when they have the values of all layers.
  void set_derived(std::function<void(void* settings)> derive) { derive_ = std::move(derive); }
  void add_rule(LayoutRule rule) { rules_.push_back(std::move(rule)); }

  /// Adds a declaration whose default is in `defaults`.
  void add(Declaration declaration, Spot spot, const void* defaults);
  /// Adds each row of the table that has a member of `owner`, and has `program` if that is set.
  void add_rows(const std::type_info& owner, std::optional<Program> program, const void* defaults);
  /// Adds all settings and rules of `part`, which is at `offset`; with `program` set only its rows.
  void include(const Layout& part, std::size_t offset, const std::string& prefix,
               std::optional<Program> program, const void* defaults);

  /// Writes the values of the layers into `settings`, which have the defaults. Returns every
  /// problem.
  std::vector<Error> apply(std::span<const Layer> layers, void* settings) const;
  std::vector<Change> changes(const void* before, const void* after) const;
  std::string text(std::string_view name, const void* settings) const;
  std::vector<std::pair<std::string, std::string>> texts(const void* settings) const;

 private:
  Value get(std::size_t index, const void* settings) const;
  void set(std::size_t index, void* settings, const Value& value) const;
  std::size_t profile_index() const;
  std::string profile_of(const Resolution& resolution) const;
  /// Returns the text of every setting as it is with only the profile set.
  std::vector<std::string> texts_below(const void* settings) const;

  std::string group_;
  std::vector<Declaration> declarations_;
  std::vector<Spot> spots_;  // as long as declarations_
  std::vector<LayoutRule> rules_;
  std::optional<Profiles> profiles_;
  std::optional<Implied> implied_;
  std::function<void(void*)> derive_;  // may be empty
};

}  // namespace bellows::config
