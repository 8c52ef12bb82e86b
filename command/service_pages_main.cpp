// service_pages NAME FOLDER: writes the manual page and the completion scripts of a program without
// commands, from its settings. `cmake --install` runs it, so that these programs need not contain
// what makes them: the queue-proxy runs beside every replica.
//
//   service_pages bellows-activator FOLDER     bellows-activator.1, .bash, .zsh and .fish
#include <array>
#include <iostream>
#include <string>

#include "base/sys/file.hpp"
#include "command/completion.hpp"
#include "command/manual.hpp"
#include "config/activator_settings.hpp"
#include "config/autoscaler_settings.hpp"
#include "config/queue_proxy_settings.hpp"

namespace {

using namespace bellows;

struct Service {
  std::string_view name;
  const char* about;
  const command::Declarations& settings;
};

std::array<Service, 3> services() {
  return {
      {{"activator", config::kActivatorSummary, config::activator_schema().declarations()},
       {"autoscaler", config::kAutoscalerSummary, config::autoscaler_schema().declarations()},
       {"queue-proxy", config::kQueueProxySummary, config::queue_proxy_schema().declarations()}}};
}

Result<void> write_files(const Service& service, const std::string& name,
                         const std::string& folder) {
  const auto page = command::service_manual(name, service.about, service.settings);
  const auto completion = command::service_completion(name, service.settings);
  const std::string path = folder + "/" + name;
  BELLOWS_CHECKED(command::write_pages({page}, folder));
  BELLOWS_CHECKED(sys::replace_file(path + ".bash", completion.bash));
  BELLOWS_CHECKED(sys::replace_file(path + ".zsh", completion.zsh));
  return sys::replace_file(path + ".fish", completion.fish);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc == 3 ? argv[1] : "";
  for (const Service& service : services()) {
    if (command::called_name(service.name, name) != name) continue;
    const auto written = write_files(service, name, argv[2]);
    if (!written) std::cerr << "service_pages: " << to_string(written.error()) << "\n";
    return written ? command::kSuccess : command::kFailure;
  }
  std::cerr << "service_pages: want NAME FOLDER; NAME is that of a program without commands\n";
  return command::kUsageError;
}
