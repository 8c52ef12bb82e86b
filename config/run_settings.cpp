#include "config/run_settings.hpp"

#include <utility>

#include "config/request_declarations.hpp"
#include "config/text_formats.hpp"
#include "config/worker_count.hpp"

namespace bellows::config {

namespace {

void declare_addresses(Schema<RunSettings>& schema) {
  schema.group("Addresses");
  schema.add(&RunSettings::listen, {.name = "listen", .help = "Address for requests."});
  schema.add(&RunSettings::admin,
             {.name = "admin",
              .format = tcp_endpoint_format(),
              .help = "Address of the live page for a browser, of /metrics, /healthz and /readyz, "
                      "of the API of `bellows status`, and for the stats of the replicas."});
  declare_admin_hosts(schema, "none");
  schema.add(&RunSettings::control_socket,
             {.name = "control-socket",
              .help = "Path of the Unix socket, of mode 0600, by which services are retired, "
                      "paused and resumed. `bellows retire` and others get it from the program.",
              .unset = "bellows-PORT.sock in XDG_RUNTIME_DIR, in /run for root, else in a new "
                       "folder below /tmp"});
  declare_error_detail(schema);
}

void declare_shared(Schema<RunSettings>& schema) {
  declare_addresses(schema);
  schema.group("One machine");
  declare_workers(schema);
  schema.add(&RunSettings::quiet,
             {.name = "quiet", .help = "Write only warnings and errors, without the live view."});
  schema.add(&RunSettings::detach,
             {.name = "detach",
              .aliases = {"d"},
              .help = "Continue in the background, and return as soon as it serves. `bellows "
                      "logs`, `reload` and `down` reach it."});
  schema.add(&RunSettings::detach_log,
             {.name = "detach-log",
              .help = "With `detach`: the file to which the log is appended.",
              .unset = "bellows-PORT.log, by the port of admin, in "
                       "$XDG_STATE_HOME/bellows or ~/.local/state/bellows"});
  schema.add(&RunSettings::stop_timeout,
             {.name = "stop-timeout",
              .bounds = between(Duration::zero(), std::chrono::hours(1)),
              .help = "Time that an app has to end after SIGTERM, which it gets when its last "
                      "request has ended; then it is killed. Raise it for apps that write much at "
                      "their end."});
  schema.add(&RunSettings::journal_memory,
             {.name = "journal-memory",
              .bounds = between(Bytes{0}, mebibytes(std::int64_t{64} * 1024)),
              .help = "Memory for the decisions of the last day, of all services together and 8 "
                      "MiB of each at most. The page, `bellows journal --since` and `bellows "
                      "explain --at` show them. 0: only the last 32 decisions are kept."});
  schema.add(
      &RunSettings::machine_cpu,
      {.name = "machine-cpu",
       .bounds = between(Millicores{0}, Millicores{1'000'000'000}),
       .help = "CPU that the replicas of all services may request together, with room for the next "
               "replica of the busiest service (docs/sizing.md). 0: CPU is not counted.",
       .unset = "what the machine, or its control group, has"});
  schema.add(
      &RunSettings::machine_memory,
      {.name = "machine-memory",
       .bounds = between(Bytes{0}, mebibytes(std::int64_t{1024} * 1024 * 1024)),
       .help =
           "Memory that they may request together, with the same room. 0: memory is not counted.",
       .unset = "what the machine, or its control group, has"});
  schema.add(&RunSettings::keep_revisions,
             {.name = "keep-revisions",
              .bounds = between(0, 1000),
              .help = "Revisions without requests that are kept of each service, so that `bellows "
                      "rollback` finds them."});
  schema.include(&RunSettings::tls, tls_schema());
  schema.include(&RunSettings::server, server_schema());
  schema.include(&RunSettings::log, log_schema());
  schema.include(&RunSettings::access_log, access_log_schema());
  schema.include(&RunSettings::trace, trace_schema());
  schema.include(&RunSettings::revision, revision_schema());
  schema.include(&RunSettings::loop, recommender_loop_schema());
  schema.include(&RunSettings::recommender, recommender_schema(), kRecommenderPrefix);
}

}  // namespace

const Schema<RunSettings>& run_schema() {
  static const Schema<RunSettings> schema = [] {
    Schema<RunSettings> run;
    run.group("Service");
    run.add(&RunSettings::name,
            {.name = "name", .format = name_format(), .help = "Name of the service."});
    run.add(&RunSettings::recommend,
            {.name = "recommend",
             .help = "Size replicas by their usage: short for resources-mode auto unless "
                     "resources-mode is set. cpu and memory are the initial sizes; a resource "
                     "without one gets advice only."});
    run.add(&RunSettings::environment_file,
            {.name = "environment-file",
             .help = "File of NAME=VALUE lines that the app finds in its environment.",
             .unset = "none"});
    run.add(&RunSettings::user,
            {.name = "run-as-user",
             .help = "User of the app, by name or number. Bellows runs as root then.",
             .unset = "the user of Bellows"});
    run.add(&RunSettings::group,
            {.name = "run-as-group",
             .help = "Group of the app, by name or number; it has no other one.",
             .unset = "the group of run-as-user, or that of Bellows"});
    run.add(&RunSettings::no_new_privileges,
            {.name = "no-new-privileges",
             .help = "Prevents that the app gains privileges by set-user-ID programs (sudo, su)."});
    declare_shared(run);
    return run;
  }();
  return schema;
}

const Schema<RunSettings>& up_schema() {
  static const Schema<RunSettings> schema = [] {
    Schema<RunSettings> up;
    declare_shared(up);
    up.group("Revisions");
    up.add(&RunSettings::state_file,
           {.name = "state-file",
            .variable = "BELLOWS_UP_STATE_FILE",  // the autoscaler has one too
            .help = "File with the services, revisions and shares that commands have changed, so "
                    "that they outlive a restart. Written with the first change.",
            .unset = "FILE.state beside the settings file; none if that is standard input"});
    return up;
  }();
  return schema;
}

}  // namespace bellows::config
