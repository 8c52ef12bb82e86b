// sample-app: a small web service to scale, with a delay at start and a delay per request.
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "command/service_settings.hpp"
#include "config/text_formats.hpp"
#include "http/io/service_server.hpp"
#include "http/io/task_group.hpp"

namespace {

using namespace bellows;

struct SampleSettings {
  std::uint16_t port = 0;
  Duration start_delay = std::chrono::milliseconds(500);
  Duration service_time = std::chrono::milliseconds(200);
  std::string hang_path;
};

const config::Schema<SampleSettings>& sample_schema() {
  static const config::Schema<SampleSettings> schema = [] {
    config::Schema<SampleSettings> made;
    made.add(&SampleSettings::port, {.name = "port",
                                     .variable = "PORT",
                                     .bounds = config::at_least(1),
                                     .required = true,
                                     .help = "Port to listen on, at 127.0.0.1."});
    made.add(&SampleSettings::start_delay, {.name = "start-delay",
                                            .variable = "SAMPLE_START_DELAY",
                                            .bounds = config::at_least(Duration::zero()),
                                            .help = "Delay before it listens."});
    made.add(&SampleSettings::service_time, {.name = "service-time",
                                             .variable = "SAMPLE_SERVICE_TIME",
                                             .bounds = config::at_least(Duration::zero()),
                                             .help = "Duration of a request."});
    made.add(&SampleSettings::hang_path,
             {.name = "hang-path",
              .variable = "SAMPLE_HANG_PATH",
              .format = config::path_format(),
              .help = "A request for this path makes it hang, as in a deadlock. Use it to try "
                      "liveness-path.",
              .unset = "it never hangs"});
    return made;
  }();
  return schema;
}

http::Awaitable<http::Response> respond(const SampleSettings& settings, http::Request request) {
  // The only thread stops, but the kernel still accepts connections.
  while (!settings.hang_path.empty() && request.path == settings.hang_path) ::pause();
  co_await http::sleep_for(settings.service_time);
  http::Response response;
  response.body =
      "hello from process " + std::to_string(::getpid()) + ", you asked for " + request.path + "\n";
  co_return response;
}

http::Awaitable<void> serve(http::ServiceServer& server, const SampleSettings& settings) {
  co_await http::sleep_for(settings.start_delay);
  const auto handler = [&settings](http::Request request) {
    return respond(settings, std::move(request));
  };
  server.route("GET", "/*", handler);
  server.route("POST", "/*", handler);
  const auto address = server.listen({.host = "127.0.0.1", .port = settings.port, .unix_path = {}});
  if (!address) {
    std::cerr << "sample-app: " << to_string(address.error()) << "\n";
    std::exit(1);  // NOLINT(concurrency-mt-unsafe): one thread
  }
}

}  // namespace

int main(int argc, char** argv) {
  const auto settings = command::read_service_settings(
      sample_schema(), "sample-app",
      "A small web service to try Bellows with: GET / responds after a delay", argc, argv);
  if (!settings) return settings.error();
  http::net::io_context io(1);
  // Serves any host name.
  http::ServiceServer server(io, {.access = std::nullopt});
  http::TaskGroup tasks(io);
  tasks.spawn("serve", [&] { return serve(server, *settings); });
  io.run();
  return 0;
}
