// injector: the command line.
#include <array>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "base/random.hpp"
#include "base/sys/clock.hpp"
#include "base/sys/descriptor_reserve.hpp"
#include "base/sys/entropy.hpp"
#include "base/version.hpp"
#include "command/completion.hpp"
#include "command/errors.hpp"
#include "command/manual.hpp"
#include "command/program.hpp"
#include "config/sources/environment.hpp"
#include "config/sources/logging.hpp"
#include "http/io/program.hpp"
#include "http/io/signals.hpp"
#include "http/tls/tls_context.hpp"
#include "injector/service/program.hpp"
#include "injector/service/serve_settings.hpp"
#include "kubernetes/io/open_client.hpp"

namespace {

using namespace bellows;
using command::Invocation;
using injector::NativeSidecar;
using injector::ServeSettings;

using Client = std::unique_ptr<kubernetes::ApiClient>;

/// Opens the client of the API server that the settings name; null if its version does not matter.
http::Awaitable<Result<Client>> open_client(http::net::io_context& io, Random& random,
                                            const injector::PodSettings& settings) {
  if (settings.native_sidecar != NativeSidecar::kAuto) co_return Client();
  kubernetes::CredentialsOptions credentials{.kubeconfig = settings.kubeconfig,
                                             .context = settings.context,
                                             .environment = config::read_environment()};
  kubernetes::ApiClientOptions options{.user_agent = "bellows-injector/" + std::string(kVersion)};
  co_return co_await kubernetes::open_client(io, random, std::move(credentials),
                                             std::move(options));
}

http::Awaitable<int> run(http::net::io_context& io, const Invocation& invocation,
                         const ServeSettings& settings) {
  auto options = settings.pods.options(settings.pods.native_sidecar == NativeSidecar::kTrue);
  if (!options) co_return usage_error(invocation, options.error());
  const auto tls = http::make_tls_server(
      {.certificate = {.path = settings.tls_certificate, .text = {}, .name = {}},
       .key = {.path = settings.tls_key, .text = {}, .name = {}},
       .client_ca = {}});
  if (!tls) co_return usage_error(invocation, tls.error());
  SeededRandom random(sys::random_seed());
  const auto client = co_await open_client(io, random, settings.pods);
  if (!client) co_return usage_error(invocation, client.error());
  injector::Program program(io, sys::system_clock(), settings, *std::move(options), **tls,
                            client->get());
  const http::Signals signals(io, {SIGTERM, SIGINT}, [&program](int, int count) {
    if (count > 1) std::_Exit(EXIT_FAILURE);
    program.end();
  });
  if (const auto started = program.start(); !started) {
    co_return report_failure(invocation, started.error());
  }
  co_await program.serve_until_end();
  co_return command::kSuccess;
}

int run_serve(const Invocation& invocation) {
  const auto settings = injector::serve_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  if (!invocation.arguments.positional.empty()) return usage_error(invocation, "want flags only");
  config::start_logging(settings->log, "injector");
  return http::run_program(
      [&](http::net::io_context& io) { return run(io, invocation, *settings); });
}

const command::Declarations& serve_settings() {
  return injector::serve_schema().declarations();
}

constexpr std::string_view kAbout =
    R"(Gives pods a queue-proxy as they are made: a webhook of the API server of Kubernetes.

  injector serve --tls-certificate tls.crt --tls-key tls.key
)";

constexpr std::string_view kServeDetails =
    R"(Answers AdmissionReviews (admission.k8s.io/v1) with what `bellows inject` does to the same pod, until SIGTERM or SIGINT.
deploy/injector has its Deployment and the MutatingWebhookConfiguration. A pod that cannot be injected is admitted
unchanged, with a warning that says why.
)";

constexpr std::array<command::Command, 4> kCommands = {{
    {.name = "serve",
     .synopsis = "serve [flags]",
     .summary = "Inject pods at their admission",
     .details = kServeDetails,
     .settings = serve_settings,
     .run = run_serve},
    command::kCompletionCommand,
    command::kManualCommand,
    command::kVersionCommand,
}};

constexpr command::Program kInjector{.name = "injector", .about = kAbout, .commands = kCommands};

}  // namespace

int main(int argc, char** argv) {
  sys::open_standard_descriptors();
  return command::run_program(kInjector, argc, argv);
}
