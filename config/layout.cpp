#include "config/layout.hpp"

#include <algorithm>
#include <iterator>

#include "base/check.hpp"
#include "config/aliases.hpp"
#include "config/table.hpp"

namespace bellows::config {

namespace {

const void* at_offset(const void* settings, std::size_t offset) {
  return static_cast<const std::byte*>(settings) + offset;
}

/// Returns the declaration of `row` for `programs`.
Declaration declaration_of(const Group& group, const Setting& row, Programs programs) {
  Aliases aliases = aliases_of(row.name, programs);
  Declaration declaration{.name = std::string(row.name), .aliases = std::move(aliases.keys)};
  declaration.variable = aliases.variable.empty() ? row.variable : aliases.variable;
  if (row.is_percent) declaration.kind = Kind::kPercent;
  declaration.bounds = row.bounds;
  if (row.format != nullptr) declaration.format = row.format();
  for (const Choice& choice : row.choices) {
    if (!choice.name.empty()) declaration.choices.emplace_back(choice.name);
  }
  declaration.required = row.is_required;
  declaration.help = row.help;
  declaration.group = group.heading;
  declaration.unset = row.unset;
  declaration.tier = row.tier;
  return declaration;
}

}  // namespace

void Layout::add(Declaration declaration, Spot spot, const void* defaults) {
  if (declaration.kind != Kind::kPercent) declaration.kind = spot.type->kind;
  if (!declaration.bounds.max) declaration.bounds.max = spot.type->max;
  if (declaration.group.empty()) declaration.group = group_;
  if (declaration.variable.empty()) declaration.variable = variable_name(declaration.name);
  const auto place = std::ranges::upper_bound(spots_, spot.order, {}, &Spot::order);
  const auto index = place - spots_.begin();
  spots_.insert(place, std::move(spot));
  declarations_.insert(declarations_.begin() + index, std::move(declaration));
  const auto i = static_cast<std::size_t>(index);
  declarations_[i].default_text = value_text(declarations_[i], get(i, defaults));
}

void Layout::add_rows(const std::type_info& owner, std::optional<Program> program,
                      const void* defaults) {
  std::size_t order = 0;
  each_row([&](const Group& group, const Setting& row) {
    ++order;
    const Programs programs = programs_of(group, row);
    if (program && !programs.contain(*program)) return;
    for (const Place& place : row.at) {
      if (place.owner == nullptr || *place.owner != owner) continue;
      Spot spot{.type = place.type, .order = order, .programs = programs};
      spot.offset = static_cast<std::size_t>(static_cast<const std::byte*>(place.member(defaults)) -
                                             static_cast<const std::byte*>(defaults));
      for (const Choice& choice : row.choices) {
        if (!choice.name.empty()) spot.values.push_back(choice.value);
      }
      add(declaration_of(group, row, program ? Programs(*program) : programs), std::move(spot),
          defaults);
    }
  });
}

void Layout::include(const Layout& part, std::size_t offset, const std::string& prefix,
                     std::optional<Program> program, const void* defaults) {
  for (std::size_t i = 0; i < part.spots_.size(); ++i) {
    Spot spot = part.spots_[i];
    if (program && spot.order < kAfterTable && !spot.programs.contain(*program)) continue;
    spot.offset += offset;
    if (!prefix.empty()) spot.order += kAfterTable;
    add(prefixed(part.declarations_[i], prefix), std::move(spot), defaults);
  }
  if (part.profiles_) profiles_ = part.profiles_;
  if (part.implied_) implied_ = part.implied_;
  if (part.derive_) {
    derive_ = [derive = part.derive_, offset](void* settings) {
      derive(static_cast<std::byte*>(settings) + offset);
    };
  }
  for (LayoutRule rule : part.rules_) {
    for (std::string& name : rule.settings) name.insert(0, prefix);
    rule.offset += offset;
    add_rule(std::move(rule));
  }
}

std::vector<Error> Layout::apply(std::span<const Layer> layers, void* settings) const {
  Resolution resolution = resolve(declarations_, layers);
  if (implied_) {
    const auto index = find(declarations_, implied_->setting) - declarations_.data();
    const auto& winner = resolution.winners[static_cast<std::size_t>(index)];
    if (winner) resolve_below(declarations_, implied_->layer(winner->text), resolution);
  }
  if (profiles_) {
    resolve_below(declarations_, profiles_->layer(profile_of(resolution)), resolution);
  }
  for (std::size_t i = 0; i < spots_.size(); ++i) {
    if (resolution.winners[i]) set(i, settings, resolution.winners[i]->value);
  }
  if (derive_) derive_(settings);
  for (const LayoutRule& rule : rules_) {
    if (any_broken(declarations_, resolution, rule.settings)) continue;
    if (rule.holds(at_offset(settings, rule.offset))) continue;
    resolution.problems.push_back(broken_rule(declarations_, resolution, rule.settings, rule.want));
  }
  return std::move(resolution.problems);
}

std::vector<Change> Layout::changes(const void* before, const void* after) const {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < spots_.size(); ++i) {
    std::string old = value_text(declarations_[i], get(i, before));
    std::string now = value_text(declarations_[i], get(i, after));
    if (old != now) changes.push_back({declarations_[i].name, std::move(old), std::move(now)});
  }
  return changes;
}

std::string Layout::text(std::string_view name, const void* settings) const {
  const auto found = std::ranges::find(declarations_, name, &Declaration::name);
  CHECK(found != declarations_.end(), "the setting is declared");
  return value_text(*found, get(static_cast<std::size_t>(found - declarations_.begin()), settings));
}

std::vector<std::pair<std::string, std::string>> Layout::texts(const void* settings) const {
  std::vector<std::pair<std::string, std::string>> texts;
  const std::vector<std::string> below = texts_below(settings);
  for (std::size_t i = 0; i < spots_.size(); ++i) {
    std::string text = value_text(declarations_[i], get(i, settings));
    if (text != below[i]) texts.emplace_back(declarations_[i].name, std::move(text));
  }
  return texts;
}

Value Layout::get(std::size_t index, const void* settings) const {
  const Spot& spot = spots_[index];
  Value value = spot.type->get(at_offset(settings, spot.offset));
  const auto* const number = std::get_if<std::int64_t>(&value);
  if (declarations_[index].kind != Kind::kChoice || number == nullptr) return value;
  const auto found = std::ranges::find(spot.values, *number);
  if (found == spot.values.end()) return {};
  return declarations_[index].choices[static_cast<std::size_t>(found - spot.values.begin())];
}

void Layout::set(std::size_t index, void* settings, const Value& value) const {
  const Spot& spot = spots_[index];
  void* const member = static_cast<std::byte*>(settings) + spot.offset;
  const auto* const name = std::get_if<std::string>(&value);
  if (declarations_[index].kind != Kind::kChoice || name == nullptr) {
    spot.type->set(member, value);
    return;
  }
  const std::vector<std::string>& choices = declarations_[index].choices;
  const auto found = std::ranges::find(choices, *name);
  CHECK(found != choices.end(), "the value is one of the choices");
  spot.type->set(member, spot.values[static_cast<std::size_t>(found - choices.begin())]);
}

std::size_t Layout::profile_index() const {
  return static_cast<std::size_t>(find(declarations_, profiles_->setting) - declarations_.data());
}

std::string Layout::profile_of(const Resolution& resolution) const {
  const std::size_t index = profile_index();
  const auto& winner = resolution.winners[index];
  return winner ? std::get<std::string>(winner->value) : declarations_[index].default_text;
}

std::vector<std::string> Layout::texts_below(const void* settings) const {
  std::vector<std::string> texts;
  texts.reserve(declarations_.size());
  for (const Declaration& declaration : declarations_) texts.push_back(declaration.default_text);
  if (!profiles_) return texts;
  Resolution resolution = resolve(declarations_, {});
  resolve_below(declarations_,
                profiles_->layer(std::get<std::string>(get(profile_index(), settings))),
                resolution);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto& winner = resolution.winners[i];
    if (winner) texts[i] = value_text(declarations_[i], winner->value);
  }
  return texts;
}

}  // namespace bellows::config
