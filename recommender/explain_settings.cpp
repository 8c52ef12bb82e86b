#include "recommender/explain_settings.hpp"

#include "config/recommender_settings.hpp"

namespace bellows::recommender {

const config::Schema<ExplainSettings>& explain_schema() {
  static const config::Schema<ExplainSettings> schema = [] {
    config::Schema<ExplainSettings> made;
    made.add(&ExplainSettings::admin,
             {.name = "admin",
              .help = "Admin address of a running `recommender serve` or `bellows run` to query.",
              .unset = "read FILE or standard input"});
    return made;
  }();
  return schema;
}

const std::vector<config::Declaration>& explain_declarations() {
  static const std::vector<config::Declaration> all = [] {
    auto declarations = explain_schema().declarations();
    for (const config::Declaration& policy : config::recommender_schema().declarations()) {
      declarations.push_back(policy);
    }
    return declarations;
  }();
  return all;
}

}  // namespace bellows::recommender
