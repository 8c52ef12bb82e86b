#include "http/io/program.hpp"

#include <sys/resource.h>

#include <boost/asio/co_spawn.hpp>
#include <csignal>
#include <exception>
#include <memory>
#include <utility>

#include "base/sys/log.hpp"
#include "http/io/resolve.hpp"

namespace bellows::http {

namespace {

std::optional<std::uint64_t> initial_limit;  // see initial_descriptor_limit()

void prepare_process() {
  std::signal(SIGPIPE, SIG_IGN);
  rlimit descriptors{};
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return;
  const rlim_t soft = std::exchange(descriptors.rlim_cur, descriptors.rlim_max);
  if (::setrlimit(RLIMIT_NOFILE, &descriptors) == 0) initial_limit = soft;
}

Awaitable<void> run_body(const std::function<Awaitable<int>(net::io_context&)>& body,
                         net::io_context& io, int& exit_code) {
  try {
    exit_code = co_await body(io);
  } catch (const std::exception& exception) {
    sys::log::error("the program failed", {{"because", exception.what()}});
  } catch (...) {
    sys::log::error("the program failed", {{"because", "not a std::exception"}});
  }
}

}  // namespace

std::optional<std::uint64_t> initial_descriptor_limit() {
  return initial_limit;
}

int run_program(const std::function<Awaitable<int>(net::io_context&)>& body) {
  prepare_process();
  // Only this thread uses sockets; look-ups of names post their results from another.
  auto io = std::make_unique<net::io_context>(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO);
  int exit_code = 1;
  net::co_spawn(*io, run_body(body, *io, exit_code),
                [&io](const std::exception_ptr&) { io->stop(); });
  io->run();
  // The destructor would wait for a name server that does not respond. The process ends anyway.
  if (pending_lookups() > 0) [[maybe_unused]]
    auto* const left = io.release();
  return exit_code;
}

}  // namespace bellows::http
