// A replacement of the queue-proxy program in tests of its parent: it reads the environment and
// writes the notify lines (docs/formats/wire.md), but proxies nothing. Open connections to its
// serving port count as requests in flight: while there is one it does not end on SIGTERM.
#include <arpa/inet.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <vector>

namespace {

constexpr int kProbeEveryMs = 5;

int environment_number(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr) std::exit(2);
  return std::atoi(text);
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

int listen_anywhere(int& port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  if (bind(socket, reinterpret_cast<sockaddr*>(&address), length) != 0) std::exit(3);
  if (listen(socket, 16) != 0) std::exit(3);
  getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
  port = ntohs(address.sin_port);
  return socket;
}

bool app_listens(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port);
  const bool listens =
      connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(socket);
  return listens;
}

struct Stub {
  int notify = environment_number("BELLOWS_NOTIFY_FD");
  int app_port = environment_number("USER_PORT");
  int listener = -1;
  int signals = -1;
  std::vector<int> connections;
  bool is_ready = false;
  bool is_draining = false;

  void tell(const char* line) const { dprintf(notify, "%s\n", line); }

  void on_signal() {
    signalfd_siginfo info;
    if (read(signals, &info, sizeof info) != sizeof info) return;
    if (info.ssi_signo == SIGTERM) {
      is_draining = true;
      tell(R"({"event":"draining"})");
    } else {
      is_ready = false;
      tell(R"({"event":"unready","reason":"told to probe anew"})");
    }
  }

  void drop_closed(const std::vector<pollfd>& polled) {
    std::vector<int> open;
    for (std::size_t i = 0; i < connections.size(); ++i) {
      char byte = 0;
      if (polled[i + 2].revents != 0 && read(connections[i], &byte, 1) <= 0) {
        close(connections[i]);
      } else {
        open.push_back(connections[i]);
      }
    }
    connections = open;
  }

  void step() {
    std::vector<pollfd> polled = {{signals, POLLIN, 0}, {listener, POLLIN, 0}};
    for (const int connection : connections) polled.push_back({connection, POLLIN, 0});
    const bool probes = !is_ready && !is_draining;
    poll(polled.data(), polled.size(), probes ? kProbeEveryMs : -1);
    drop_closed(polled);
    if (polled[0].revents != 0) on_signal();
    if (polled[1].revents != 0) connections.push_back(accept(listener, nullptr, nullptr));
    if (!is_ready && !is_draining && app_listens(app_port)) {
      is_ready = true;
      tell(R"({"event":"ready"})");
    }
  }
};

}  // namespace

int main() {
  sigset_t listened;
  sigemptyset(&listened);
  for (const int signal : {SIGTERM, SIGHUP}) sigaddset(&listened, signal);
  sigprocmask(SIG_BLOCK, &listened, nullptr);
  Stub stub;
  stub.signals = signalfd(-1, &listened, SFD_CLOEXEC);
  int serving = 0;
  stub.listener = listen_anywhere(serving);
  dprintf(stub.notify,
          "{\"event\":\"listening\",\"serving\":\"127.0.0.1:%d\",\"admin\":\"127.0.0.1:%d\"}\n",
          serving, serving);
  std::fprintf(stderr, "stub listens\n");
  while (!stub.is_draining || !stub.connections.empty()) stub.step();
  return 0;
}
