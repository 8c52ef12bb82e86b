#include "cli/check/machine/check_machine.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>

#include "base/sys/file.hpp"
#include "cluster/local/app_groups.hpp"
#include "cluster/local/cgroup_tree.hpp"
#include "cluster/local/listeners.hpp"
#include "cluster/local/prepare_service.hpp"
#include "cluster/local/program_access.hpp"
#include "cluster/local/replica_room.hpp"
#include "config/fixed_ports.hpp"
#include "config/revision_schema.hpp"
#include "http/io/service_server.hpp"

namespace bellows::cli {

namespace {

using config::Service;

/// Returns what to do about a service that cannot be prepared.
std::string program_hint(const Error& error) {
  struct Row {
    std::string_view part;  // of the error
    std::string_view hint;
  };
  constexpr std::string_view kOpen =
      "chmod o+x on that folder, or a place that its user may enter, as /srv";
  constexpr Row kRows[] = {
      {"working-directory", "make the directory, or name another as working-directory"},
      {"to run as root", "sudo, or a unit of root (docs/production.md)"},
      {"name of a user", "`useradd --system NAME` makes one"},
      {"name of a group", "`groupadd --system NAME` makes one"},
      {"environment file", "make the file, or name another as environment-file"},
      {"is a directory", "name the program in that directory"},
      {"not executable", "chmod +x on that file"},
      {"may not execute", "chmod o+x on that file"},
      {"may not enter", kOpen},
      {"no such program", "install it, or name it by its path; PATH is that of Bellows"},
  };
  const std::string text = to_string(error);
  for (const Row& row : kRows) {
    if (text.find(row.part) != std::string::npos) return std::string(row.hint);
  }
  return {};
}

/// Returns the program of a service, if its user may execute it.
Result<std::string> usable_program(const Service& service) {
  BELLOWS_TRY(const Service ready, cluster::prepared(service));
  std::vector<std::string> programs = {ready.command.front()};
  if (!ready.stop.empty()) programs.push_back(ready.stop.front());
  for (const std::string& program : programs) {
    const std::string problem = cluster::access_problem(program, ready.user);
    if (!problem.empty()) {
      return fail(ErrorKind::kSystem, "service " + service.name.text() + ": run-as-user", problem);
    }
  }
  return ready.command.front();
}

CheckItem program_item(const std::string& name, const Result<std::string>& program) {
  if (program) return passed(name, *program);
  return failed(name, to_string(program.error()), program_hint(program.error()));
}

CheckItem unix_item(const std::string& name, const std::string& path, const std::string& setting) {
  std::error_code error;
  const auto folder = std::filesystem::absolute(path, error).parent_path();
  if (std::filesystem::is_directory(folder, error)) return passed(name, "unix:" + path);
  return failed(name, "unix:" + path + ": there is no folder " + folder.string(),
                "make it, or set another path for " + setting);
}

CheckItem port_item(http::net::io_context& io, const std::string& setting, const Endpoint& address,
                    bool is_running) {
  const std::string name = "address of " + setting;
  if (address.port == 0 && !address.is_unix()) return passed(name, "a free port is chosen");
  if (is_running) return passed(name, to_string(address) + " has the Bellows that runs");
  if (address.is_unix()) return unix_item(name, address.unix_path, setting);
  http::ServiceServer server(io);
  const auto listening = server.listen(address);
  if (listening) return passed(name, to_string(address) + " is free");
  return failed(name, to_string(listening.error()),
                "`ss -ltnp` shows who listens there; --" + setting + " takes another address");
}

std::size_t hard_limit_of_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_max == RLIM_INFINITY) {
    return std::numeric_limits<std::size_t>::max();
  }
  return static_cast<std::size_t>(limit.rlim_max);
}

bool is_sized(const Service& service) {
  return service.settings.resources.mode != config::ResourcesMode::kOff ||
         !cluster::app_limits(service.settings.resources).empty();
}

/// Returns which of its sizes cannot be applied on any machine; empty: all can.
std::string unsized(const Service& service) {
  const config::ResourcesSettings& resources = service.settings.resources;
  if (resources.mode == config::ResourcesMode::kAdvise)
    return "CPU and memory: resources-mode is advise";
  if (resources.mode == config::ResourcesMode::kOff) return {};
  if (!resources.cpu && !resources.memory)
    return "CPU and memory: no initial cpu and memory is set";
  if (!resources.cpu) return "CPU: no initial cpu is set";
  if (!resources.memory) return "memory: no initial memory is set";
  return {};
}

}  // namespace

std::vector<CheckItem> program_items(const std::vector<Service>& services) {
  std::vector<CheckItem> items;
  for (const Service& service : services) {
    items.push_back(program_item("program of " + service.name.text(), usable_program(service)));
  }
  for (const char* const own : {"queue-proxy", "replica-shim"}) {
    const auto program = cluster::own_program("", own);
    items.push_back(
        program ? passed(own, *program)
                : failed(own, to_string(program.error()), "it belongs beside the program bellows"));
  }
  return items;
}

std::vector<CheckItem> time_limit_items(const std::vector<Service>& services) {
  std::vector<CheckItem> items;
  for (const Service& service : services) {
    const std::string note = config::queue_age_note(service.settings);
    if (note.empty()) continue;
    items.push_back(noted("time limits of " + service.name.text(), note,
                          "revision-timeout: queue-age plus the time that a request takes"));
  }
  return items;
}

std::vector<CheckItem> port_items(http::net::io_context& io, const config::RunSettings& settings,
                                  bool is_running) {
  if (const auto checked = config::check_addresses(settings); !checked) {
    return {failed("addresses", to_string(checked.error()),
                   "requests and pages of Bellows have an address each")};
  }
  return {port_item(io, "listen", settings.listen, is_running),
          port_item(io, "admin", settings.admin, is_running)};
}

std::vector<CheckItem> app_port_items(const std::vector<config::Service>& services,
                                      bool is_running) {
  std::vector<CheckItem> items;
  for (const Service& service : services) {
    if (service.settings.port == 0) continue;
    const std::string name = "port of " + service.name.text();
    const std::string port = std::to_string(service.settings.port);
    const auto owner = is_running ? std::nullopt : cluster::port_owner(service.settings.port);
    if (!owner) {
      items.push_back(passed(name, port + ", so it has one replica at most"));
    } else if (service.stop.empty()) {
      items.push_back(failed(name, port + " is taken by " + *owner,
                             "end that process, or set the port at which the app listens"));
    } else {
      items.push_back(noted(name, port + " is taken by " + *owner,
                            "`stop` runs before the first start, and has to free the port"));
    }
  }
  return items;
}

CheckItem open_files_item(std::size_t limit, const std::vector<Service>& services) {
  const std::size_t room = cluster::room_for_replicas(limit);
  std::size_t most = 0;
  bool is_bounded = true;
  std::vector<cluster::ReplicaBounds> bounds;
  for (const Service& service : services) {
    bounds.push_back({service.name, service.settings.min_scale, service.settings.max_scale});
    most += static_cast<std::size_t>(service.settings.max_scale);
    is_bounded = is_bounded && service.settings.max_scale > 0;
  }
  std::string text = std::to_string(limit) + ", room for " + std::to_string(room) + " replicas";
  const auto fits = cluster::check_bounds(bounds, limit);
  if (!fits) {
    return failed("open files", text + "; " + to_string(fits.error()),
                  "a higher hard limit (ulimit -Hn, LimitNOFILE), or a smaller max-scale");
  }
  if (!is_bounded) return passed("open files", text + ", all services together");
  text += "; max-scale of all services together is " + std::to_string(most);
  if (most <= room) return passed("open files", text);
  return noted(
      "open files", text,
      "they cannot all be at max-scale: a higher hard limit (ulimit -Hn, LimitNOFILE), or a "
      "smaller max-scale");
}

std::vector<CheckItem> size_items(const std::vector<Service>& services,
                                  const Result<void>& groups) {
  std::vector<CheckItem> items;
  if (std::ranges::none_of(services, is_sized)) {
    items.push_back(
        passed("control groups", "not needed: no service has resources-mode or limits"));
    return items;
  }
  const std::string why = groups ? "" : to_string(groups.error());
  const bool has_limits = std::ranges::any_of(services, [](const Service& service) {
    return !cluster::app_limits(service.settings.resources).empty();
  });
  if (groups) {
    items.push_back(passed("control groups", "each app gets its own group"));
  } else if (has_limits) {
    items.push_back(failed("control groups", "cpu-limit and memory-limit cannot be kept: " + why,
                           "docs/production.md has a unit with Delegate=yes"));
  } else {
    items.push_back(noted("control groups", "sizes are advice only: " + why,
                          "docs/production.md has a unit with Delegate=yes"));
  }
  for (const Service& service : services) {
    const std::string advice = unsized(service);
    if (advice.empty()) continue;
    items.push_back(noted("sizes of " + service.name.text(), "advice only for " + advice,
                          "`bellows recommend " + service.name.text() + "` shows what fits"));
  }
  return items;
}

CheckItem swap_item(std::string_view swaps) {
  const std::size_t header = swaps.find('\n');
  const std::string_view rest =
      header == std::string_view::npos ? std::string_view() : swaps.substr(header + 1);
  if (rest.empty()) return passed("swap", "none");
  return noted("swap",
               "on (" + std::string(rest.substr(0, rest.find_first_of(" \t"))) +
                   "): memory that is swapped out does not count as used, and a growing replica "
                   "becomes slow before it is killed",
               "swapoff -a, or MemorySwapMax=0 in the unit");
}

std::vector<CheckItem> limit_items(const std::vector<Service>& services) {
  std::vector<CheckItem> items{open_files_item(hard_limit_of_files(), services)};
  const auto sizes = size_items(services, cluster::can_make_groups());
  items.insert(items.end(), sizes.begin(), sizes.end());
  if (std::ranges::any_of(services, is_sized)) {
    if (const auto swaps = sys::read_whole_file("/proc/swaps")) items.push_back(swap_item(*swaps));
  }
  return items;
}

}  // namespace bellows::cli
