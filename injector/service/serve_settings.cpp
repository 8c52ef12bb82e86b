#include "injector/service/serve_settings.hpp"

namespace bellows::injector {

const config::Schema<ServeSettings>& serve_schema() {
  static const config::Schema<ServeSettings> schema = [] {
    config::Schema<ServeSettings> made;
    made.group("Webhook");
    made.add(&ServeSettings::listen,
             {.name = "listen",
              .help = "Address for the API server, and of /healthz, /readyz and /metrics; all of "
                      "them use TLS."});
    made.add(&ServeSettings::tls_certificate,
             {.name = "tls-certificate",
              .required = true,
              .help = "PEM FILE with the certificate and its issuers. It is read again when it "
                      "has changed."});
    made.add(&ServeSettings::tls_key,
             {.name = "tls-key", .required = true, .help = "PEM FILE with its key."});
    made.include(&ServeSettings::pods, pod_schema());
    made.include(&ServeSettings::log, config::schema_of<config::LogSettings>());
    return made;
  }();
  return schema;
}

}  // namespace bellows::injector
