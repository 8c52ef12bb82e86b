#include "config/path_settings.hpp"

#include "config/port_range.hpp"
#include "config/text_formats.hpp"

namespace bellows::config {

namespace {

/// "none" is stored as an empty text.
TextFormat activator_service_format() {
  return {.want = "NAMESPACE/NAME of a Service, or none",
          .read = [](std::string_view text) -> std::optional<std::string> {
            if (text.empty() || text == "none") return std::string();
            if (text.find('/') == std::string_view::npos) return std::nullopt;
            return revision_format().read(text);
          }};
}

TextFormat ports_format() {
  return {.want = "FIRST-LAST with ports from 1 to 65535, such as 20000-29999",
          .read = [](std::string_view text) {
            return read_port_range(text) ? std::optional<std::string>(text) : std::nullopt;
          }};
}

}  // namespace

Declaration activator_service_declaration() {
  return {
      .name = "activator-service",
      .format = activator_service_format(),
      .help =
          "Service whose endpoints are the activators. Activators join the path of a Revision's "
          "Service at zero and in bursts. none: Services stay unchanged, and callers must reach "
          "the activators in other ways. The autoscaler and the activators need the same value."};
}

const Schema<PathSettings>& path_schema() {
  using namespace std::chrono_literals;
  static const Schema<PathSettings> schema = [] {
    Schema<PathSettings> path;
    path.group("Activators in the path of Services");
    path.add(&PathSettings::activator_service, activator_service_declaration());
    path.add(&PathSettings::activator_ports,
             {.name = "activator-ports",
              .format = ports_format(),
              .help = "Ports of the activators, one for each Revision with a Service. More "
                      "Revisions need a wider range."});
    path.add(&PathSettings::settle_time,
             {.name = "path-settle-time",
              .bounds = between(0s, 1min),
              .help = "Maximum time in which every node of the cluster follows a change of an "
                      "EndpointSlice. Raise it for clusters with slow nodes."});
    path.add(
        &PathSettings::last_resort_endpoints,
        {.name = "last-resort-endpoints",
         .help = "While replicas take the requests, activators stay in the EndpointSlice as "
                 "serving and terminating, so that nodes use them once no replica is ready. Set "
                 "false if nodes do not use such an endpoint again (old versions of Cilium)."});
    return path;
  }();
  return schema;
}

}  // namespace bellows::config
