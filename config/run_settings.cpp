#include "config/run_settings.hpp"

#include <utility>

#include "config/text_formats.hpp"

namespace bellows::config {

namespace {

using Settings = RunSettings;

/// `admin`: that setting, of which the two commands take different values.
void declare_shared(Schema<Settings>& schema, Declaration admin) {
  schema.group("Addresses");
  schema.add(&Settings::listen, {.name = "listen", .help = "Where callers come in."});
  schema.add(&Settings::admin, std::move(admin));
  schema.group("One machine");
  schema.add(&Settings::quiet,
             {.name = "quiet", .help = "Write only warnings and errors, and no live view."});
  schema.include(&Settings::log, log_schema());
  schema.include(&Settings::access_log, access_log_schema());
  schema.include(&Settings::revision, revision_schema());
  schema.include(&Settings::loop, recommender_loop_schema());
  schema.include(&Settings::recommender, recommender_schema(), kRecommenderPrefix);
}

}  // namespace

const Schema<RunSettings>& run_schema() {
  static const Schema<Settings> schema = [] {
    Schema<Settings> run;
    run.group("The service");
    run.add(&Settings::name,
            {.name = "name", .format = name_format(), .help = "What the service is called."});
    run.add(&Settings::recommend,
            {.name = "recommend",
             .help = "Size each replica by what it uses: short for resources-mode auto, unless "
                     "that is set. It begins with cpu and memory; what is left out is advice "
                     "only."});
    declare_shared(run, {.name = "admin",
                         .format = tcp_endpoint_format(),
                         .help = "Where /metrics, /healthz and /readyz are, what `bellows status` "
                                 "asks, and where the replicas send their stats."});
    return run;
  }();
  return schema;
}

const Schema<RunSettings>& up_schema() {
  static const Schema<Settings> schema = [] {
    Schema<Settings> up;
    declare_shared(up, {.name = "admin",
                        .help = "Where /metrics, /healthz and /readyz are, what `bellows status` "
                                "asks, and, without `autoscaler`, where the replicas send their "
                                "stats."});
    up.group("Separate programs");
    up.add(&Settings::autoscaler,
           {.name = "autoscaler",
            .help = "An autoscaler that runs as its own program; replicas send their stats there.",
            .unset = "autoscaler and activator run in this process"});
    up.add(&Settings::socket,
           {.name = "socket",
            .format = socket_path_format(),
            .help = "The Unix socket where a separate autoscaler and activator find the replicas; "
                    "opened only with `autoscaler`."});
    up.add_rule({{"admin", "autoscaler"},
                 [](const Settings& s) { return !s.admin.is_unix() || !s.autoscaler.empty(); },
                 "HOST:PORT, or an autoscaler that runs as its own program: stats come by TCP"});
    return up;
  }();
  return schema;
}

}  // namespace bellows::config
