#include "http/io/control_socket.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/sys/log.hpp"

namespace bellows::http {
namespace {

/// Returns `text` as a JSON string. Control characters are dropped, because paths and errors
/// contain them only in an attack.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) continue;
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

Result<std::string> make_own_folder() {
  std::string folder = "/tmp/bellows-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return fail(system_error(folder, "mkdtemp", errno));
  return folder;
}

}  // namespace

ControlSocket::~ControlSocket() {
  if (own_folder_.empty()) return;
  ::unlink(path_.c_str());
  ::rmdir(own_folder_.c_str());
}

void ControlSocket::add_route(ServiceServer& server) {
  server.route("GET", "/v1/control", [this](Request) -> Awaitable<Response> {
    co_return json_response(
        "{\"version\":1," +
        (path_.empty() ? "\"trouble\":" + quoted(trouble_) : "\"socket\":" + quoted(path_)) +
        "}\n");
  });
}

Result<void> ControlSocket::listen(ServiceServer& server, const Endpoint& port,
                                   const Options& options) {
  if (port.is_unix()) {
    path_ = port.unix_path;
    return {};
  }
  auto path = try_paths(server, port, options);
  if (path) {
    path_ = *std::move(path);
    return {};
  }
  if (!options.path.empty()) return fail(path.error());
  trouble_ = "there is no control socket: " + to_string(path.error()) +
             "; --control-socket names another path";
  sys::log::warning("no control socket, so other programs can change nothing",
                    {{"error", to_string(path.error())}});
  return {};
}

Result<std::string> ControlSocket::try_paths(ServiceServer& server, const Endpoint& port,
                                             const Options& options) {
  const auto opened = [&server](const std::string& path) -> Result<std::string> {
    BELLOWS_TRY([[maybe_unused]] const Endpoint endpoint,
                server.listen({.host = {}, .port = 0, .unix_path = path}));
    return path;
  };
  if (!options.path.empty()) return opened(options.path);
  const std::string name = "/bellows-" + std::to_string(port.port) + ".sock";
  std::string folder = options.runtime_folder;
  if (folder.empty() && ::geteuid() == 0) folder = "/run";
  if (!folder.empty()) {
    if (auto path = opened(folder + name)) return path;
  }
  BELLOWS_TRY(own_folder_, make_own_folder());
  return opened(own_folder_ + name);
}

}  // namespace bellows::http
