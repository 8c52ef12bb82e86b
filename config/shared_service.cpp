#include "config/shared_service.hpp"

namespace bellows::config {

ServiceContent::ServiceContent(Service service)
    : name(std::move(service.name)),
      command(std::move(service.command)),
      is_starter(service.is_starter),
      stop(std::move(service.stop)),
      environment(std::move(service.environment)),
      working_directory(std::move(service.working_directory)),
      environment_file(std::move(service.environment_file)),
      user(std::move(service.user)),
      no_new_privileges(service.no_new_privileges),
      route(std::move(service.route)),
      settings(shared_settings(service.settings)),
      command_at(std::move(service.command_at)) {
  command.shrink_to_fit();
  stop.shrink_to_fit();
}

Service ServiceContent::whole() const {
  Service service;
  service.name = name;
  service.command = command;
  service.is_starter = is_starter;
  service.stop = stop;
  service.environment = environment;
  service.working_directory = working_directory;
  service.environment_file = environment_file;
  service.user = user;
  service.no_new_privileges = no_new_privileges;
  service.route = route;
  service.settings = *settings;
  service.command_at = command_at;
  return service;
}

bool ServiceContent::operator==(const ServiceContent& other) const {
  return name == other.name && command == other.command && is_starter == other.is_starter &&
         stop == other.stop && environment == other.environment &&
         working_directory == other.working_directory &&
         environment_file == other.environment_file && user == other.user &&
         no_new_privileges == other.no_new_privileges && route == other.route &&
         (settings == other.settings || *settings == *other.settings);
}

ServiceRevision::ServiceRevision(Service service)
    : name(service.name), of(service.of), share(service.share) {
  content = SharedService(std::move(service));
  settings = content->settings;
  route = content->route;
}

Service ServiceRevision::whole() const {
  Service service = content.whole();
  service.name = name;
  service.of = of;
  service.route = route;
  service.settings = *settings;
  service.share = share;
  return service;
}

}  // namespace bellows::config
