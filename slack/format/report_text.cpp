#include "slack/format/report_text.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/quantity_text.hpp"
#include "slack/format/plan_json.hpp"

namespace bellows::slack {

namespace {

std::string count_text(std::int64_t count, std::int64_t most) {
  return count == 0 ? "none" : (count >= most ? "at least " : "") + std::to_string(count);
}

std::string size_text(const Resources& amount) {
  return to_string(Millicores{amount.cpu_millicores}) + " " + to_string(Bytes{amount.memory_bytes});
}

void write_report(json::Writer& out, const ShapeReport& one) {
  out.open().text("shape", one.shape);
  write_amount(out, one.requests);
  out.integer("pods", one.pods)
      .integer("held", one.held)
      .integer("fits-now", one.guarantee.fits_now);
  if (!one.guarantee.in_the_way.empty()) out.text("in-the-way", one.guarantee.in_the_way);
  if (!one.no_node.empty()) out.text("no-node", one.no_node.front().reason);
  out.close();
}

}  // namespace

std::vector<ShapeReport> report_shapes(const Planner& planner, std::int64_t most) {
  const Cluster& cluster = planner.cluster();
  std::vector<ShapeReport> reports;
  for (ShapeId id = 0; id < cluster.shapes().size(); ++id) {
    const Shape& shape = cluster.shapes()[id];
    ShapeReport one{.shape = shape.name, .requests = shape.requests, .pods = cluster.pods_of(id)};
    for (const PlaceholderId placeholder : planner.placeholders().of(id)) {
      const NodeId node = planner.placeholders()[placeholder].node;
      if (node != kNoNode && !cluster.node(node).is_upcoming) ++one.held;
    }
    const bool is_wanted = planner.placeholders().count(id) > 0;
    if (shape.is_daemon || (one.pods == 0 && !is_wanted)) continue;
    one.guarantee = guarantee(cluster, id, most);
    one.no_node = no_type_takes(cluster, id, planner.types());
    reports.push_back(std::move(one));
  }
  std::sort(reports.begin(), reports.end(), [](const ShapeReport& a, const ShapeReport& b) {
    return std::tie(a.guarantee.fits_now, a.shape, a.requests.cpu_millicores,
                    a.requests.memory_bytes) < std::tie(b.guarantee.fits_now, b.shape,
                                                        b.requests.cpu_millicores,
                                                        b.requests.memory_bytes);
  });
  return reports;
}

std::string report_text(const std::vector<ShapeReport>& shapes, const Plan& plan) {
  std::string text =
      "Sudden arrivals that find room now, shape by shape. Each line holds if pods of that shape "
      "alone arrive.\n\n";
  for (const ShapeReport& one : shapes) {
    text += count_text(one.guarantee.fits_now, kMostCounted) + " of " + one.shape + " (" +
            size_text(one.requests) + ")";
    if (one.held > 0) text += ", " + std::to_string(one.held) + " of them kept by placeholders";
    text += "\n";
    if (one.guarantee.fits_now > 0) continue;
    text += "    in the way: " + one.guarantee.in_the_way + "\n";
    text += one.no_node.empty()
                ? "    a node would be added for it, and it waits for that node\n"
                : "    no node would be added: " + one.no_node.front().reason + "\n";
  }
  for (const ScaleUp& one : plan.ordered_now) {
    text += "\nto keep the extra capacity, " + std::to_string(one.nodes) + " more of node type " +
            one.type + (one.nodes == 1 ? " is needed\n" : " are needed\n");
  }
  for (const Unmet& one : plan.unmet) {
    text += "\n" + one.object + ": " + one.field + ": " + one.value + ": " + one.reason + "\n";
  }
  return text;
}

std::string report_json(const std::vector<ShapeReport>& shapes, const Plan& plan) {
  json::Writer out;
  out.open_list("shapes");
  for (const ShapeReport& one : shapes) write_report(out, one);
  out.close().open_list("needed");
  for (const ScaleUp& one : plan.ordered_now)
    out.open().text("type", one.type).integer("nodes", one.nodes).close();
  return out.close().end_line();
}

std::vector<ProbeCell> probe_grid(Planner& planner, int steps) {
  Cluster& cluster = planner.cluster();
  Resources biggest;
  for (ShapeId id = 0; id < cluster.shapes().size(); ++id) {
    const Shape& shape = cluster.shapes()[id];
    if (cluster.pods_of(id) > 0 && !shape.is_daemon && !shape.is_exempt)
      biggest = max_of(biggest, shape.requests);
  }
  std::vector<ProbeCell> grid;
  for (int cpu = 1; cpu <= steps; ++cpu) {
    for (int memory = 1; memory <= steps; ++memory) {
      ProbeCell cell{.requests = {biggest.cpu_millicores * cpu / steps,
                                  biggest.memory_bytes / steps * memory, 1}};
      const ShapeId shape = cluster.intern(probe_shape(cell.requests));
      cell.fits_now = guarantee(cluster, shape, kMostCounted).fits_now;
      grid.push_back(cell);
    }
  }
  return grid;
}

std::string probe_json(const Shape& probe, const Guarantee& guarantee,
                       const std::vector<ProbeCell>& grid, const std::vector<ShapeReport>& shapes) {
  json::Writer out;
  out.open("probe");
  write_amount(out, probe.requests);
  out.close().flag("fits", guarantee.fits_now > 0).integer("fits-now", guarantee.fits_now);
  if (!guarantee.in_the_way.empty()) out.text("in-the-way", guarantee.in_the_way);
  out.open_list("grid");
  for (const ProbeCell& cell : grid) {
    out.open();
    write_amount(out, cell.requests);
    out.integer("fits-now", cell.fits_now).close();
  }
  out.close().open_list("shapes");
  for (const ShapeReport& one : shapes) write_report(out, one);
  return out.close().end_line();
}

}  // namespace bellows::slack
