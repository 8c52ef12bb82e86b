#include "queue-proxy/service/notifier.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "json/writer.hpp"

namespace bellows::queue_proxy {

Notifier::Notifier(int descriptor) : descriptor_(descriptor) {
  // Otherwise a child that inherited the descriptor would keep the pipe open after this process has
  // ended.
  if (descriptor_ < 0) return;
  ::fcntl(descriptor_, F_SETFD, FD_CLOEXEC);
  output_.emplace(descriptor_, [](std::uint64_t) { return std::string(); });
}

Notifier::~Notifier() {
  output_.reset();
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> Notifier::check(int descriptor) {
  if (descriptor < 0) return {};
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) return {};
  return fail(ErrorKind::kInvalidSetting, "notify-fd",
              std::to_string(descriptor) +
                  " is not open for writing; want a descriptor that was "
                  "inherited, or -1");
}

void Notifier::listening(const Ports& ports) {
  json::Writer line;
  line.text("event", "listening")
      .text("serving", to_string(ports.serving))
      .text("admin", to_string(ports.admin));
  if (ports.activator) line.text("activator", to_string(*ports.activator));
  if (ports.drain) line.text("drain", to_string(*ports.drain));
  write_line(line.end());
}

void Notifier::ready(proxy::UpstreamVersion app_version) {
  json::Writer line;
  line.text("event", "ready");
  if (app_version == proxy::UpstreamVersion::kHttp2) line.text("app_protocol", "h2c");
  write_line(line.end());
}

void Notifier::unready(std::string_view reason) {
  write_line(json::Writer().text("event", "unready").text("reason", reason).end());
}

void Notifier::hung(std::string_view reason, Duration silent) {
  write_line(json::Writer()
                 .text("event", "hung")
                 .text("reason", reason)
                 .integer("silent_ms", to_milliseconds(silent))
                 .end());
}

void Notifier::signalled() {
  write_line(R"({"event":"signalled"})");
}

void Notifier::tunnels_left() {
  write_line(R"({"event":"tunnels-left"})");
}

void Notifier::draining() {
  write_line(R"({"event":"draining"})");
}

void Notifier::write_line(std::string_view line) {
  if (output_) output_->write(std::string(line) + "\n");
}

}  // namespace bellows::queue_proxy
