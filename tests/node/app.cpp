// An app for pods of tests/node: HTTP/1.1 over kept-alive connections, a thread each, at all
// addresses.
//
//   node_app PORT [--delay MS] [--start MS] [--at-term end|leave]
//
// It responds after --delay, to GET /ready at once, with the pod's name, and begins to listen after
// --start. At SIGTERM it ends at once, as most apps do, whatever is in flight; or ignores it until
// SIGKILL comes.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

namespace {

using Milliseconds = std::chrono::milliseconds;

struct Settings {
  std::uint16_t port = 0;
  Milliseconds delay{0};
  Milliseconds start{0};
  bool leaves_slowly = false;
};

constexpr Milliseconds kLeaveTime{8000};
std::atomic<bool> is_leaving{false};

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "node_app: %s\n", text.c_str());
  std::exit(2);
}

Settings read_settings(int count, char** words) {
  if (count < 2) fail("want a port");
  Settings settings;
  settings.port = static_cast<std::uint16_t>(std::atoi(words[1]));
  for (int i = 2; i + 1 < count; i += 2) {
    const std::string_view name = words[i];
    const std::string_view value = words[i + 1];
    if (name == "--delay") {
      settings.delay = Milliseconds(std::atoi(words[i + 1]));
    } else if (name == "--start") {
      settings.start = Milliseconds(std::atoi(words[i + 1]));
    } else if (name == "--at-term" && (value == "end" || value == "leave")) {
      settings.leaves_slowly = value == "leave";
    } else {
      fail("unknown: " + std::string(name) + " " + std::string(value));
    }
  }
  return settings;
}

/// The time that the work of a real app would take.
void pass(Milliseconds time) {
  poll(nullptr, 0, static_cast<int>(time.count()));
}

/// Length of the body by the head's Content-Length; none is 0.
std::size_t body_length(std::string_view head) {
  constexpr std::string_view kName = "\r\ncontent-length:";
  for (std::size_t i = 0; i + kName.size() < head.size(); ++i) {
    if (strncasecmp(head.data() + i, kName.data(), kName.size()) == 0) {
      return static_cast<std::size_t>(std::atol(head.data() + i + kName.size()));
    }
  }
  return 0;
}

/// False once the peer has closed.
bool read_more(int socket, std::string& received) {
  char piece[16384];
  const ssize_t count = recv(socket, piece, sizeof piece, 0);
  if (count <= 0) return false;
  received.append(piece, static_cast<std::size_t>(count));
  return true;
}

std::string response_of(const std::string& name) {
  return "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " +
         std::to_string(name.size()) + (is_leaving ? "\r\nConnection: close" : "") + "\r\n\r\n" +
         name;
}

void serve(int socket, Milliseconds delay, const std::string& name) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  std::string received;
  for (;;) {
    const std::size_t end = received.find("\r\n\r\n");
    if (end == std::string::npos) {
      if (!read_more(socket, received)) break;
      continue;
    }
    const std::size_t whole = end + 4 + body_length(std::string_view(received).substr(0, end + 2));
    if (received.size() < whole) {
      if (!read_more(socket, received)) break;
      continue;
    }
    const bool is_probe = received.starts_with("GET /ready ");
    received.erase(0, whole);
    if (!is_probe) pass(delay);
    const std::string response = response_of(name);
    if (send(socket, response.data(), response.size(), MSG_NOSIGNAL) < 0) break;
  }
  close(socket);
}

int listen_on(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(socket, 1024) != 0) {
    fail("port " + std::to_string(port) + ": " + std::strerror(errno));
  }
  return socket;
}

std::string own_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return std::string(name) + "\n";
}

void end_at_once(int) {
  _exit(143);
}

void leave(int) {
  is_leaving = true;
  std::signal(SIGALRM, end_at_once);
  alarm(static_cast<unsigned>(kLeaveTime.count() / 1000));
}

}  // namespace

int main(int count, char** words) {
  const Settings settings = read_settings(count, words);
  // A program that is process 1 of its container ignores signals without a handler.
  std::signal(SIGTERM, settings.leaves_slowly ? leave : end_at_once);
  pass(settings.start);
  const int socket = listen_on(settings.port);
  const std::string name = own_name();
  for (;;) {
    const int accepted = accept4(socket, nullptr, nullptr, SOCK_CLOEXEC);
    if (accepted >= 0) std::thread(serve, accepted, settings.delay, name).detach();
  }
}
