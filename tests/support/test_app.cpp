// An app for tests: executes its arguments in order.
//
//   say TEXT       writes a line to standard output
//   complain TEXT  writes a line to standard error
//   daemon         starts a daemon (two forks, two setsid) and writes "daemon PID"
//   child          starts a child in its own process group and writes "child PID"
//   deaf           ignores SIGTERM
//   grow MIB       allocates and touches this much memory
//   listen PORT    listens on 127.0.0.1
//   show NAME      writes the environment variable
//   where          writes the working directory
//   descriptors    writes the numbers of open descriptors above 2
//   exit CODE, abort, wait
#include <arpa/inet.h>
#include <dirent.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

void say(const std::string& text) {
  dprintf(STDOUT_FILENO, "%s\n", text.c_str());
}

[[noreturn]] void wait_for_ever() {
  for (;;) pause();
}

void listen_on(const char* port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port)));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::exit(98);
  if (listen(socket, 16) != 0) std::exit(98);
}

void start_daemon() {
  if (fork() != 0) return;
  setsid();
  if (fork() != 0) _exit(0);
  setsid();
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  say("daemon " + std::to_string(getpid()));
  wait_for_ever();
}

void start_child() {
  if (fork() != 0) return;
  say("child " + std::to_string(getpid()));
  wait_for_ever();
}

void say_descriptors() {
  std::string open;
  DIR* folder = opendir("/proc/self/fd");
  while (const dirent* entry = readdir(folder)) {
    const int number = std::atoi(entry->d_name);
    if (number > STDERR_FILENO && number != dirfd(folder)) open += " " + std::to_string(number);
  }
  say("descriptors:" + open);
}

void do_one(const std::string& verb, const char* what) {
  if (verb == "say") return say(what);
  if (verb == "complain") {
    dprintf(STDERR_FILENO, "%s\n", what);
  } else if (verb == "grow") {
    const std::size_t bytes = static_cast<std::size_t>(std::atoi(what)) << 20;
    static void* volatile kept = nullptr;  // volatile: not optimized away
    kept = std::malloc(bytes);
    std::memset(kept, 1, bytes);
  } else if (verb == "listen") {
    listen_on(what);
  } else if (verb == "show") {
    const char* value = std::getenv(what);
    say(std::string(what) + "=" + (value != nullptr ? value : "(unset)"));
  } else {
    std::exit(std::atoi(what));
  }
}

bool do_one_alone(const std::string& verb) {
  if (verb == "daemon")
    start_daemon();
  else if (verb == "child")
    start_child();
  else if (verb == "deaf")
    signal(SIGTERM, SIG_IGN);
  else if (verb == "where")
    say(std::string("where ") + get_current_dir_name());
  else if (verb == "descriptors")
    say_descriptors();
  else if (verb == "abort")
    std::abort();
  else if (verb == "wait")
    wait_for_ever();
  else
    return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (do_one_alone(argv[i])) continue;
    if (i + 1 == argc) return 97;
    do_one(argv[i], argv[i + 1]);
    ++i;
  }
  return 0;
}
