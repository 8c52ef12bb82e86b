#include "slack/format/plan_json.hpp"

#include <algorithm>

namespace bellows::slack {

namespace {

void write_named(json::Writer& out, std::string_view key, const Resources& amount) {
  out.open(key);
  write_amount(out, amount);
  out.close();
}

void write_shapes(json::Writer& out, const Plan& plan) {
  out.open_list("placeholders");
  for (const ShapePlan& one : plan.placeholders) {
    out.open().text("shape", one.shape).text("for", one.why);
    write_amount(out, one.requests);
    out.integer("count", one.count)
        .integer("placed", one.placed)
        .integer("pending", one.pending)
        .integer("moved", one.moved)
        .close();
  }
  out.close();
}

void write_unmet(json::Writer& out, const Plan& plan) {
  out.open_list("unmet");
  for (const Unmet& one : plan.unmet) {
    out.open()
        .text("object", one.object)
        .text("field", one.field)
        .text("value", one.value)
        .text("reason", one.reason)
        .integer("count", one.count)
        .flag("error", one.is_error)
        .close();
  }
  out.close();
}

}  // namespace

bool has_error(const Plan& plan) {
  return std::any_of(plan.unmet.begin(), plan.unmet.end(),
                     [](const Unmet& one) { return one.is_error; });
}

void write_amount(json::Writer& out, const Resources& amount) {
  out.integer("cpu-millicores", amount.cpu_millicores).integer("memory-bytes", amount.memory_bytes);
}

std::string plan_json(const Plan& plan) {
  json::Writer out;
  write_shapes(out, plan);
  write_named(out, "desired", plan.desired);
  write_named(out, "free-for-placeholders", plan.free_for_placeholders);
  write_named(out, "held", plan.held);
  const bool may_scale = !has_error(plan);
  out.open_list("scale-up");
  for (const ScaleUp& one : plan.ordered_now) {
    if (may_scale) out.open().text("type", one.type).integer("nodes", one.nodes).close();
  }
  out.close();
  out.open_list("scale-down");
  for (const std::string& node : plan.scale_down) {
    if (may_scale) out.text(node);
  }
  out.close();
  write_unmet(out, plan);
  return out.end_line();
}

}  // namespace bellows::slack
