#include "cli/screen/live_log.hpp"

#include "base/check.hpp"
#include "base/sys/log.hpp"

namespace bellows::cli {

namespace {

// The sink of the log is a plain function, so its area is a global.
LiveArea* current_area = nullptr;

void print_above(std::string_view line) {
  current_area->print_above(line);
}

}  // namespace

LiveLog::LiveLog(Terminal terminal) : area_(terminal) {
  CHECK(current_area == nullptr, "only one live area exists at a time");
  current_area = &area_;
  sys::log::set_sink(print_above);
}

LiveLog::~LiveLog() {
  sys::log::set_sink(nullptr);
  current_area = nullptr;
}

}  // namespace bellows::cli
