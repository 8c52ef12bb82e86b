#include "recommender/kubernetes/core/vertical_autoscaler.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/quantity_text.hpp"
#include "json/writer.hpp"
#include "kubernetes/core/fields.hpp"
#include "kubernetes/core/quantity.hpp"

namespace bellows::recommender {

namespace {

using kubernetes::Fields;

/// A change up to this fraction is not written.
constexpr double kSmallChange = 0.01;

std::optional<kubernetes::Quantity> quantity_of(const Fields& amounts, std::string_view key) {
  if (!amounts.has(key)) return std::nullopt;
  const auto quantity = kubernetes::Quantity::parse(amounts.integer_or_text(key));
  if (quantity) return *quantity;
  amounts.invalid(key, "a quantity such as 250m or 64Mi");
  return std::nullopt;
}

Amounts read_amounts(const Fields& object, std::string_view key) {
  const Fields amounts = object.object(key);
  Amounts read;
  if (const auto cpu = quantity_of(amounts, "cpu")) read.cpu = Millicores{cpu->milli()};
  if (const auto memory = quantity_of(amounts, "memory")) read.memory = Bytes{memory->units()};
  return read;
}

ContainerPolicy read_policy(const Fields& from) {
  ContainerPolicy policy{.container = ContainerName(from.view("containerName")),
                         .is_off = from.view("mode") == "Off",
                         .min_allowed = read_amounts(from, "minAllowed"),
                         .max_allowed = read_amounts(from, "maxAllowed")};
  if (!from.has("controlledResources")) return policy;
  policy.controls_cpu = false;
  policy.controls_memory = false;
  from.each_text("controlledResources", [&policy](std::string_view resource) {
    policy.controls_cpu = policy.controls_cpu || resource == "cpu";
    policy.controls_memory = policy.controls_memory || resource == "memory";
  });
  return policy;
}

std::vector<RecommendedContainer> read_recommended(const Fields& recommendation) {
  std::vector<RecommendedContainer> all;
  recommendation.each("containerRecommendations", [&all](const Fields& each) {
    all.push_back({.container = ContainerName(each.view("containerName")),
                   .sizes = {.target = read_amounts(each, "target"),
                             .lower_bound = read_amounts(each, "lowerBound"),
                             .upper_bound = read_amounts(each, "upperBound"),
                             .uncapped_target = read_amounts(each, "uncappedTarget")}});
  });
  std::ranges::sort(all, {}, &RecommendedContainer::container);
  return all;
}

/// Returns nothing of a text that is not valid: it is written again.
std::vector<RecommendedContainer> read_comparison(std::string_view text) {
  if (text.empty()) return {};
  const auto document = kubernetes::parse_document(text);
  if (!document) return {};
  return kubernetes::read_document(**document, "annotation", read_recommended)
      .value_or(std::vector<RecommendedContainer>());
}

VerticalAutoscaler read_autoscaler(const Fields& object) {
  VerticalAutoscaler autoscaler;
  autoscaler.meta = kubernetes::read_meta(object);
  const Fields spec = object.object("spec");
  if (spec.has("targetRef")) {
    const Fields target = spec.object("targetRef");
    autoscaler.target = kubernetes::ScaleTargetRef{.api_version = target.text("apiVersion"),
                                                   .kind = target.text("kind"),
                                                   .name = target.text("name")};
  }
  spec.each("recommenders", [&autoscaler](const Fields& each) {
    autoscaler.recommenders.push_back(each.text("name"));
  });
  autoscaler.update_mode = spec.object("updatePolicy").text("updateMode");
  spec.object("resourcePolicy").each("containerPolicies", [&autoscaler](const Fields& each) {
    autoscaler.containers.push_back(read_policy(each));
  });
  const Fields status = object.object("status");
  autoscaler.status.recommended = read_recommended(status.object("recommendation"));
  autoscaler.status.conditions = kubernetes::read_conditions(status, "conditions");
  autoscaler.compared = read_comparison(autoscaler.meta.annotations.get(kComparisonAnnotation));
  return autoscaler;
}

template <class Unit>
bool differs(const std::optional<Unit>& before, const std::optional<Unit>& after) {
  if (!before || !after) return before.has_value() != after.has_value();
  const auto change = static_cast<double>(after->value - before->value);
  return std::abs(change) > kSmallChange * static_cast<double>(before->value);
}

bool differ(const Amounts& before, const Amounts& after) {
  return differs(before.cpu, after.cpu) || differs(before.memory, after.memory);
}

bool differ(const RecommendedContainer& before, const RecommendedContainer& after) {
  return before.container != after.container || differ(before.sizes.target, after.sizes.target) ||
         differ(before.sizes.lower_bound, after.sizes.lower_bound) ||
         differ(before.sizes.upper_bound, after.sizes.upper_bound) ||
         differ(before.sizes.uncapped_target, after.sizes.uncapped_target);
}

bool is_same(const kubernetes::Condition& a, const kubernetes::Condition& b) {
  return a.type == b.type && a.status == b.status && a.reason == b.reason && a.message == b.message;
}

void write(json::Writer& writer, std::string_view key, const Amounts& amounts) {
  writer.open(key);
  if (amounts.cpu) writer.text("cpu", to_string(*amounts.cpu));
  if (amounts.memory) writer.text("memory", to_string(*amounts.memory));
  writer.close();
}

void write(json::Writer& writer, const std::vector<RecommendedContainer>& recommended) {
  writer.open_list("containerRecommendations");
  for (const auto& [container, sizes] : recommended) {
    writer.open().text("containerName", container.text());
    write(writer, "lowerBound", sizes.lower_bound);
    write(writer, "target", sizes.target);
    write(writer, "uncappedTarget", sizes.uncapped_target);
    write(writer, "upperBound", sizes.upper_bound);
    writer.close();
  }
  writer.close();
}

}  // namespace

kubernetes::Resource vertical_autoscalers() {
  return kubernetes::resource_of(kVerticalVersion, "verticalpodautoscalers");
}

const kubernetes::FieldSet& VerticalAutoscaler::fields() {
  static const kubernetes::FieldSet kFields = [] {
    kubernetes::FieldSet fields{"/spec/targetRef",
                                "/spec/recommenders/name",
                                "/spec/updatePolicy/updateMode",
                                "/spec/resourcePolicy/containerPolicies",
                                "/status/recommendation",
                                "/status/conditions"};
    kubernetes::keep_meta(fields);
    return fields;
  }();
  return kFields;
}

Result<VerticalAutoscaler> VerticalAutoscaler::from(const boost::json::object& pruned) {
  return kubernetes::read_document(pruned, "VerticalPodAutoscaler", read_autoscaler);
}

bool is_changed(const VerticalStatus& before, const VerticalStatus& after) {
  const bool is_equal =
      std::ranges::equal(before.recommended, after.recommended,
                         [](const auto& one, const auto& other) { return !differ(one, other); });
  return !is_equal || !std::ranges::equal(before.conditions, after.conditions, is_same);
}

std::string status_patch(const VerticalStatus& status, bool removes_recommendation) {
  json::Writer writer;
  writer.open("status");
  if (!status.recommended.empty()) {
    writer.open("recommendation");
    write(writer, status.recommended);
    writer.close();
  } else if (removes_recommendation) {
    writer.null("recommendation");
  }
  kubernetes::write_conditions(writer, status.conditions);
  return writer.close().end();
}

std::string comparison_patch(const std::vector<RecommendedContainer>& recommended) {
  json::Writer patch;
  patch.open("metadata").open("annotations");
  if (recommended.empty()) {
    patch.null(kComparisonAnnotation);
  } else {
    json::Writer value;
    write(value, recommended);
    patch.text(kComparisonAnnotation, value.end());
  }
  return patch.close().close().end();
}

}  // namespace bellows::recommender
