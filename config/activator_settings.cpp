#include "config/activator_settings.hpp"

#include "config/forms.hpp"

namespace bellows::config {

const Schema<ActivatorSettings>& activator_schema() {
  using Settings = ActivatorSettings;
  static const Schema<Settings> schema = [] {
    Schema<Settings> activator;
    activator.group("Addresses");
    activator.add(&Settings::listen, {.name = "listen", .help = "Where callers come in."});
    activator.add(&Settings::admin,
                  {.name = "admin", .help = "Where /metrics, /healthz and /readyz are."});
    activator.add(&Settings::cluster,
                  {.name = "cluster",
                   .form = unix_socket_form(),
                   .required = true,
                   .help = "The Unix socket that `bellows up --autoscaler` offers."});
    activator.add(&Settings::autoscaler, {.name = "autoscaler",
                                          .required = true,
                                          .help = "Where stats and wakes go, over WebSocket."});
    activator.add(&Settings::name, {.name = "name",
                                    .form = name_form(),
                                    .help = "Its name in stats, unique among activators."});
    activator.group("Limits of a request");
    activator.add(&Settings::max_header_bytes,
                  {.name = "max-header-bytes",
                   .bounds = between(kibibytes(1), kibibytes(63)),
                   .help = "Request line and headers together; more is answered with 431."});
    activator.add(&Settings::max_headers,
                  {.name = "max-headers",
                   .bounds = between(8, 128),
                   .help = "Header lines of a request; more is answered with 431."});
    activator.include(&Settings::log, log_schema());
    return activator;
  }();
  return schema;
}

}  // namespace bellows::config
