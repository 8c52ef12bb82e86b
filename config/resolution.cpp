#include "config/resolution.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "config/read_value.hpp"
#include "config/suggestion.hpp"

namespace bellows::config {

namespace {

/// Returns true if the entry names the setting, by its name or an alias.
bool names_setting(const Declaration& declaration, const Entry& entry) {
  if (entry.source == Source::kArgument) return false;
  if (entry.source == Source::kEnvironment) return entry.key == declaration.variable;
  return entry.key == declaration.name ||
         std::ranges::find(declaration.aliases, entry.key) != declaration.aliases.end();
}

std::optional<std::size_t> index_of(const std::vector<Declaration>& declarations,
                                    const Entry& entry) {
  for (std::size_t i = 0; i < declarations.size(); ++i) {
    if (names_setting(declarations[i], entry)) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> index_of(const std::vector<Declaration>& declarations,
                                    const std::string& name) {
  return index_of(
      declarations,
      Entry{.source = Source::kFlag, .key = name, .value = {}, .place = {}, .problem = {}});
}

Error problem(std::string culprit, std::string message) {
  return {ErrorKind::kInvalidSetting, std::move(culprit), std::move(message)};
}

Error unknown_key(const std::vector<Declaration>& declarations, const Entry& entry) {
  std::vector<std::string> known;
  known.reserve(declarations.size());
  const bool is_variable = entry.source == Source::kEnvironment;
  for (const Declaration& declaration : declarations) {
    known.push_back(is_variable ? declaration.variable : declaration.name);
  }
  // After a Knative prefix only the last part can be misspelt.
  const std::string name = entry.key.substr(entry.key.rfind('/') + 1);
  const std::string suggested = suggestion(name, known);
  std::string message = "unknown setting";
  const std::string_view instead = is_variable ? std::string_view() : instead_of(name);
  if (!instead.empty()) {
    message += "; " + std::string(instead);
  } else if (!suggested.empty()) {
    message += "; did you mean " + std::string(entry.source == Source::kFlag ? "--" : "") +
               suggested + "?";
  }
  return problem(origin(entry), std::move(message));
}

/// Returns the value of the entry, or its problem. `earlier`: the entry of the same setting in this
/// layer.
Result<Value> read_entry(const Declaration& declaration, const Entry& entry, const Entry* earlier) {
  const auto invalid = [&](std::string message) {
    return fail(problem(origin(entry), std::move(message)));
  };
  if (earlier != nullptr) {
    return invalid("\"" + entry.value + "\": the same setting is set in " + origin(*earlier) +
                   " already; want it once");
  }
  if (!entry.problem.empty())
    return invalid(entry.problem + "; want " + valid_values_text(declaration));
  auto value = read_value(declaration, entry.key, entry.value);
  if (!value) return invalid(value.error().message());
  return value;
}

/// Adds one layer; its values override those of earlier layers.
void add_layer(const std::vector<Declaration>& declarations, const Layer& layer,
               Resolution& resolution) {
  std::vector<const Entry*> seen(declarations.size(), nullptr);
  for (const Entry& entry : layer) {
    const auto index = index_of(declarations, entry);
    if (!index) {
      resolution.problems.push_back(entry.source == Source::kArgument
                                        ? problem(origin(entry), entry.problem)
                                        : unknown_key(declarations, entry));
      continue;
    }
    auto value = read_entry(declarations[*index], entry, seen[*index]);
    seen[*index] = &entry;
    if (value) {
      resolution.winners[*index] = {*std::move(value), entry.value, origin(entry)};
    } else {
      resolution.broken[*index] = true;
      resolution.problems.push_back(std::move(value).error());
    }
  }
}

/// Returns `max-scale "2" (--max-scale)`.
std::string name_value(const std::string& name, const std::string& quoted,
                       const std::string& origin) {
  return name + " " + quoted + " (" + origin + ")";
}

/// Returns "--user-port (environment USER_PORT)".
std::string flag_and_variable(const Declaration& declaration) {
  return "--" + declaration.name + " (environment " + declaration.variable + ")";
}

}  // namespace

Resolution resolve(const std::vector<Declaration>& declarations, std::span<const Layer> layers) {
  Resolution resolution;
  resolution.winners.resize(declarations.size());
  resolution.broken.resize(declarations.size(), false);
  for (const Layer& layer : layers) add_layer(declarations, layer, resolution);
  for (std::size_t i = 0; i < declarations.size(); ++i) {
    if (!declarations[i].required || resolution.winners[i] || resolution.broken[i]) continue;
    resolution.broken[i] = true;
    resolution.problems.push_back(
        problem(flag_and_variable(declarations[i]),
                "it is missing; want " + valid_values_text(declarations[i])));
  }
  return resolution;
}

void resolve_below(const std::vector<Declaration>& declarations, const Layer& below,
                   Resolution& resolution) {
  for (const Entry& entry : below) {
    const auto index = index_of(declarations, entry);
    CHECK(index, "a profile names only declared settings");
    const Declaration& declaration = declarations[*index];
    auto value = read_value(declaration, entry.key, entry.value);
    CHECK(value.has_value(), "the values of a profile are valid");
    auto& winner = resolution.winners[*index];
    if (!winner) winner = {*std::move(value), entry.value, origin(entry)};
  }
}

const Declaration* find(const std::vector<Declaration>& declarations, std::string_view key) {
  const auto index = index_of(declarations, std::string(key));
  return index ? &declarations[*index] : nullptr;
}

Declaration prefixed(Declaration declaration, const std::string& prefix) {
  if (prefix.empty()) return declaration;
  declaration.name.insert(0, prefix);
  declaration.variable = variable_name(declaration.name);
  declaration.aliases.clear();
  return declaration;
}

Error broken_rule(const std::vector<Declaration>& declarations, const Resolution& resolution,
                  const std::vector<std::string>& settings, const std::string& want) {
  std::string culprit;
  std::string value;
  std::string others;
  for (const std::string& name : settings) {
    const auto index = index_of(declarations, name);
    CHECK(index, "a rule names only declared settings");
    const auto& winner = resolution.winners[*index];
    const std::string quoted =
        "\"" + (winner ? winner->text : declarations[*index].default_text) + "\"";
    if (winner && culprit.empty()) {
      culprit = winner->origin;
      value = quoted;
      continue;
    }
    others += others.empty() ? " together with " : " and ";
    others += name_value(name, quoted, winner ? winner->origin : "the default");
  }
  return problem(culprit.empty() ? "the defaults" : culprit, value + others + ": want " + want);
}

bool any_broken(const std::vector<Declaration>& declarations, const Resolution& resolution,
                const std::vector<std::string>& settings) {
  return std::any_of(settings.begin(), settings.end(), [&](const std::string& name) {
    const auto index = index_of(declarations, name);
    CHECK(index, "a rule names only declared settings");
    return resolution.broken[*index];
  });
}

std::string changes_text(const std::vector<Change>& changes) {
  const auto shown = [](const std::string& value) { return value.empty() ? "(unset)" : value; };
  std::string text;
  for (const Change& change : changes) {
    if (!text.empty()) text += ", ";
    text += change.name + " " + shown(change.before) + " -> " + shown(change.after);
  }
  return text;
}

std::string problems_text(const std::vector<Error>& problems, std::string_view command) {
  const std::string prefix = command.empty() ? "" : std::string(command) + ": ";
  std::string text;
  for (const Error& each : problems) text += prefix + to_string(each) + "\n";
  return text;
}

}  // namespace bellows::config
